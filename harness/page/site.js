/* What the pages do by themselves: tables sort and filter, code is copied, and everything is searched in search.js,
 * which is read when it is first asked for, so that it works from a folder as from a server.  Without script all is
 * readable. */
'use strict';

/* The number that a cell begins with: "131,072", "1.2e-5 x", "2^-8"; NaN where it begins with none. */
function number(text) {
  const plain = text.replace(/(\d),(?=\d{3})/g, '$1');
  const power = /^2\^\{?(-?\d+)/.exec(plain);
  return power ? Math.pow(2, Number(power[1])) : parseFloat(plain);
}

/* Two cells in order: numbers before words, "-" (no value) last. */
function compare(a, b) {
  if (a === '-' || b === '-') return (a === '-') - (b === '-');
  const x = number(a), y = number(b);
  if (!isNaN(x) && !isNaN(y)) return x - y || a.localeCompare(b);
  return isNaN(x) - isNaN(y) || a.localeCompare(b);
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const cell = row => row.cells[column].textContent;
      const missing = row => cell(row) === '-';
      const sign = down ? -1 : 1;
      body.append(...[...body.rows].sort((a, b) =>
        missing(a) || missing(b) ? missing(a) - missing(b) : sign * compare(cell(a), cell(b))));
    });
  });
}

function filterable(table) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 8) return;
  const line = document.createElement('div'), field = document.createElement('input');
  const shown = document.createElement('span');
  line.className = 'filter';
  field.type = 'search';
  field.placeholder = 'filter ' + rows.length + ' lines';
  field.setAttribute('aria-label', 'filter: ' + table.caption.textContent);
  line.append(field, shown);
  table.parentElement.before(line);
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
      count += !row.hidden;
    }
    shown.textContent = words.length ? count + ' shown' : '';
  });
}

function copyable(block) {
  const around = document.createElement('div'), button = document.createElement('button');
  around.className = 'copy';
  button.textContent = 'copy';
  block.before(around);
  around.append(block, button);
  button.addEventListener('click', () => {
    const done = () => { button.textContent = 'copied'; setTimeout(() => { button.textContent = 'copy'; }, 1500); };
    const text = block.textContent;
    const by_hand = () => {
      getSelection().selectAllChildren(block);
      if (document.execCommand('copy')) done();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, by_hand);
    else by_hand();
  });
}

/* search.js calls this: [[file, title, [[anchor, text], ...]], ...]. */
let pages = null, waiting = null;
function search_index(list) {
  pages = list;
  if (waiting) waiting();
}

/* The places that hold every word; those whose page's title does come first. */
function search(text, most) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean), found = [];
  if (!words.length || !pages) return found;
  for (const [file, title, places] of pages) {
    const low = title.toLowerCase();
    for (const [anchor, body] of places) {
      const here = body.toLowerCase();
      if (!words.every(word => here.includes(word) || low.includes(word))) continue;
      const count = text => words.filter(word => text.includes(word)).length;
      const score = 4 * count(low) + count(here) + (body.length < 80 ? 1 : 0);
      found.push({ url: file + (anchor ? '#' + anchor : ''), title, body, score, first: words[0] });
    }
  }
  return found.sort((a, b) => b.score - a.score).slice(0, most);
}

function searching(field, list) {
  const show = () => {
    list.replaceChildren(...search(field.value, 40).map(hit => {
      const item = document.createElement('li'), link = document.createElement('a');
      const text = document.createElement('small');
      const at = Math.max(0, hit.body.toLowerCase().indexOf(hit.first) - 40);
      link.href = hit.url;
      link.textContent = hit.title;
      text.textContent = (at ? '… ' : '') + hit.body.slice(at, at + 140);
      item.append(link, text);
      return item;
    }));
    if (pages && field.value.trim() && !list.firstChild) {
      const none = document.createElement('li');
      none.textContent = 'nothing holds all of these words';
      list.append(none);
    }
  };
  const load = () => {
    if (pages || waiting) return;
    waiting = show;
    const script = document.createElement('script');
    script.src = 'search.js';
    document.head.append(script);
  };
  field.addEventListener('focus', load);
  field.addEventListener('input', () => { load(); show(); });
}

/* A link into something folded unfolds it. */
function unfold() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let e = target; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
  if (target) target.scrollIntoView();
}

document.querySelectorAll('table').forEach(table => {
  sortable(table);
  filterable(table);
});
document.querySelectorAll('pre').forEach(copyable);
const field = document.getElementById('search');
if (field) searching(field, document.getElementById('found'));
if (matchMedia('(max-width: 60rem)').matches)
  document.querySelectorAll('.side details').forEach(fold => { fold.open = false; });
addEventListener('hashchange', unfold);
unfold();
