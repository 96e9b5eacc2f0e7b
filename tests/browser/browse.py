"""Asks a browser whether the report's pages work: browse.py SITE [PICTURES]

Chromium without a window, driven through its own pipe (--remote-debugging-pipe: messages of JSON, each ended by a zero
byte), so that nothing beside it and Python is needed.  Every page is loaded: no script error, no file missing,
nothing asked of a network, at three widths nothing wider than the window.  On one page a table is sorted and filtered, a fold
opened by its link, a program copied; on the front page a row is searched and its page opened by what was found.  With
PICTURES, a PNG of one page of each kind, light, dark and narrow, is left in that folder.
Exit status: 0, 1 with a line for each thing that is wrong, 77 where there is no Chromium."""
import base64, json, os, pathlib, shutil, subprocess, sys, tempfile

WIDTHS = (360, 800, 1600)
KINDS = ("index", "models", "row-rope", "model-cards", "findings", "power")


class Browser:
    """One tab.  `events` holds what happened and was not read yet."""

    def __init__(self, program, home):
        to, self.out = os.pipe()
        self.back, back = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        for fd in (to, back):
            os.set_inheritable(fd, True)
        script = f"exec 3<&{to} 4>&{back}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", script, "bash", program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-pipe",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={home}", "about:blank"],
            pass_fds=(to, back), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to), os.close(back)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 20)
            if not more:
                raise SystemExit("the browser ended by itself")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            said = self.read()
            if said.get("id") == self.number:
                if "error" in said:
                    raise SystemExit(f"{method}: {said['error']}")
                return said["result"]
            self.events.append(said)

    def js(self, text):
        """The value of an expression, promises waited for."""
        said = self.ask("Runtime.evaluate", expression=text, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            return "raised: " + said["exceptionDetails"].get("exception", {}).get("description", "?")[:200]
        return said["result"].get("value")

    def load(self, url):
        """Opens a page; returns what went wrong on the way."""
        self.events.clear()
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        while self.js("document.readyState") != "complete" or self.js("location.href") == "about:blank":
            pass
        return self.wrong()

    def wrong(self):
        bad = []
        for event in self.events:
            what, params = event.get("method"), event.get("params", {})
            if what == "Runtime.exceptionThrown":
                raised = params["exceptionDetails"].get("exception", {}).get("description", "?")
                bad.append("script error: " + raised[:160])
            if what == "Network.loadingFailed" and not params.get("canceled"):
                bad.append("not loaded: " + params.get("errorText", "?"))
            if what == "Network.requestWillBeSent":
                url = params["request"]["url"]
                if not url.startswith(("file:", "data:", "about:")):
                    bad.append("asks outside: " + url[:120])
        self.events.clear()
        return bad

    def size(self, width, height, dark=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = "dark" if dark else "light"
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()


WIDER = """(() => { const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return '';
  const out = [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > most + 1 &&
    !e.closest('.wide') && !e.closest('pre') && !e.closest('.formula'))[0];
  return document.documentElement.scrollWidth + ' of ' + most + (out ? ': ' + out.outerHTML.slice(0, 120) : ''); })()"""

# The first column that orders two lines: pressed once its cells ascend, pressed again they descend; "-" is last.
SORTS = """(() => {
  const table = [...document.querySelectorAll('table')].find(t => t.tBodies[0].rows.length > 5);
  const head = [...table.tHead.rows[0].cells].find((h, k) => new Set([...table.tBodies[0].rows].map(r =>
    r.cells[k].textContent)).size > 3 && [...table.tBodies[0].rows].every(r => r.cells[k].textContent !== '-'));
  const column = head.cellIndex, cells = () => [...table.tBodies[0].rows].map(r => r.cells[column].textContent);
  const before = cells().sort();
  head.querySelector('button').click();
  const up = cells();
  head.querySelector('button').click();
  const down = cells();
  for (let k = 1; k < up.length; k++)
    if (compare(up[k - 1], up[k]) > 0 || compare(down[k - 1], down[k]) < 0)
      return 'out of order: ' + up[k] + ', ' + down[k];
  return JSON.stringify(up.slice().sort()) === JSON.stringify(before) ? '' : 'lines were lost'; })()"""

FILTERS = """(() => {
  const field = document.querySelector('.filter input');
  const table = field.closest('.filter').nextElementSibling.querySelector('table');
  const rows = [...table.tBodies[0].rows], word = rows[2].cells[0].textContent;
  const want = rows.filter(r => r.textContent.toLowerCase().includes(word.toLowerCase())).length;
  field.value = word;
  field.dispatchEvent(new Event('input'));
  const shown = rows.filter(r => getComputedStyle(r).display !== 'none').length;
  field.value = '';
  field.dispatchEvent(new Event('input'));
  if (rows.some(r => r.hidden)) return 'lines stay hidden';
  return shown === want && shown < rows.length ? '' : shown + ' lines hold ' + word + ', not ' + want; })()"""

FOLDS = """(async () => {
  const fold = [...document.querySelectorAll('main details')].find(d => d.querySelector('table'));
  if (!fold) return 'nothing is folded';
  if (fold.open) return 'it is open from the start';
  location.hash = '#' + fold.querySelector('table').id;
  await new Promise(go => setTimeout(go, 100));
  return fold.open && fold.querySelector('table').getBoundingClientRect().height > 0 ? '' : 'its link does not open it';
})()"""

SEARCHES = """(async () => {
  const field = document.getElementById('search');
  field.focus();
  field.value = 'rotary encoding Su et al. 2021';
  field.dispatchEvent(new Event('input'));
  for (let k = 0; k < 100 && !document.querySelector('#found a'); k++) await new Promise(go => setTimeout(go, 50));
  const hit = document.querySelector('#found a');
  if (!hit) return 'nothing is found';
  field.value = 'no such word as qqqqq';
  field.dispatchEvent(new Event('input'));
  if (document.querySelector('#found a')) return 'something is found that is nowhere';
  return hit.getAttribute('href').startsWith('row-rope.html') ? '' : 'found first: ' + hit.getAttribute('href'); })()"""

COPIES = """(async () => {
  const block = document.querySelector('main pre'), button = block.nextElementSibling;
  let copied = null;
  Object.defineProperty(navigator, 'clipboard',
    { configurable: true, value: { writeText: async text => { copied = text; } } });
  button.click();
  await new Promise(go => setTimeout(go, 50));
  return copied === block.textContent && button.textContent === 'copied' ? '' : 'copied: ' + copied; })()"""


def contrast(browser):
    """The least contrast of a page's text against its ground, which 4.5 makes readable."""
    return browser.js("""(() => {
      const line = v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
      const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).map(v => line(v / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const ground = light(getComputedStyle(document.querySelector('main')).backgroundColor);
      const all = [...document.querySelectorAll('main p, main a, main td, main th, figcaption')];
      return Math.min(...all.slice(0, 400).map(e => { const ink = light(getComputedStyle(e).color);
          return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05); })); })()""")


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    program = next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)
    if not program:
        print("the pages were not asked in a browser: no chromium")
        return 77
    bad, home = [], tempfile.mkdtemp()
    pages = sorted(site.glob("*.html"))
    linked = {page for page in pages if page.stem == "index" or f'"{page.name}"' in (site / "index.html").read_text()}
    browser = Browser(program, home)
    try:
        for page in sorted(linked):
            bad += [f"{page.name}: {what}" for what in browser.load(page.as_uri())]
            for width in WIDTHS:
                browser.size(width, 900)
                wider = browser.js(WIDER)
                bad += [f"{page.name} at {width}: wider than the window: {wider}"] if wider else []
        for dark in (False, True):
            browser.size(1600, 900, dark)
            for stem in KINDS:
                bad += [f"{stem}: {what}" for what in browser.load((site / f"{stem}.html").as_uri())]
                least = contrast(browser)
                bad += [f"{stem}, {'dark' if dark else 'light'}: contrast {least}"] if not least >= 4.5 else []
                if pictures:
                    browser.picture(pictures / f"{stem}-{'dark' if dark else 'light'}.png")
        for stem, name, text in (("models", "sort", SORTS), ("models", "filter", FILTERS), ("models", "fold", FOLDS),
                                 ("index", "search", SEARCHES), ("row-rope", "copy", COPIES)):
            browser.load((site / f"{stem}.html").as_uri())
            said = browser.js(text)
            bad += [f"{stem}: {name}: {said}"] if said != "" else []
            bad += [f"{stem}: {name}: {what}" for what in browser.wrong()]
        if pictures:
            browser.size(360, 800)
            for stem in KINDS:
                browser.load((site / f"{stem}.html").as_uri())
                browser.picture(pictures / f"{stem}-narrow.png")
    finally:
        browser.close()
        shutil.rmtree(home, ignore_errors=True)
    for line in bad:
        print(line)
    print(f"{len(linked)} pages in {os.path.basename(program)} at {', '.join(map(str, WIDTHS))} pixels: "
          f"{len(bad)} things wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
