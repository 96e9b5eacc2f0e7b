/* Plain-text formulas to MathML; see formula.h.
 * A small scanner, no grammar: a name, a number or a bracketed group is an atom, and _ and ^ behind an atom bind the
 * next one.  Two marks of the plain text have a meaning of their own: "<q, k>" without spaces inside its brackets is an
 * inner product, and sqrt( .. ) a root. */
#include <ctype.h>
#include <string.h>
#include "page/formula.h"

struct formula_sign { const char *plain, *shown; };
static const struct formula_sign greek[] = { { "alpha", "α" }, { "beta", "β" }, { "gamma", "γ" }, { "delta", "δ" },
    { "Delta", "Δ" }, { "eps", "ε" }, { "zeta", "ζ" }, { "eta", "η" }, { "theta", "θ" }, { "lambda", "λ" },
    { "mu", "μ" }, { "pi", "π" }, { "rho", "ρ" }, { "sigma", "σ" }, { "phi", "φ" }, { "omega", "ω" },
    { "inf", "∞" }, { "sum", "∑" }, { NULL, NULL } };
static const struct formula_sign marks[] = { { "->", "→" }, { "<-", "←" }, { "<=>", "⇔" }, { "<=", "≤" },
    { ">=", "≥" }, { "!=", "≠" }, { "..", "…" }, { "+-", "±" }, { "-", "−" }, { "*", "·" }, { NULL, NULL } };

static const struct formula_sign *sign_of(const struct formula_sign *list, const char *s, size_t n, bool whole)
{
    const struct formula_sign *best = NULL;
    for (; list->plain; list++) {
        size_t m = strlen(list->plain);
        bool is = whole ? m == n && !strncmp(s, list->plain, n) : !strncmp(s, list->plain, m);
        if (is && (!best || m > strlen(best->plain)))
            best = list;
    }
    return best;
}

/* f NULL, here and below: nothing is written, only the end found. */
static void say(FILE *f, const char *s)
{
    if (f)
        fputs(s, f);
}
static void put(FILE *f, const char *tag, const char *s, size_t n)
{
    char text[200];
    snprintf(text, sizeof text, "%.*s", (int)n, s);
    if (!f)
        return;
    fprintf(f, "<%s>", tag);
    html_escape(f, text);
    fprintf(f, "</%s>", tag);
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '\'')
        n++;
    return n;
}

/* The length of the group that begins at the bracket s, with both brackets; 0: it is not closed before `end`. */
static size_t group_length(const char *s, const char *end)
{
    int depth = 0;
    for (const char *c = s; c < end; c++) {
        depth += *c == '(' || *c == '[' || *c == '{';
        depth -= *c == ')' || *c == ']' || *c == '}';
        if (depth == 0)
            return (size_t)(c - s) + 1;
    }
    return 0;
}

static const char *scripted(FILE *f, const char *s, const char *end);
static void run(FILE *f, const char *s, const char *end)
{
    while (f && s < end)
        s = scripted(f, s, end);
}

static void put_name(FILE *f, const char *s, size_t n)
{
    const struct formula_sign *g = sign_of(greek, s, n, true);
    if (g)
        put(f, !strcmp(g->plain, "sum") ? "mo" : "mi", g->shown, strlen(g->shown));
    else
        put(f, n > 1 ? "mtext" : "mi", s, n);
}

/* The group that begins at s and ends with `close`, between brackets shown as left and right. */
static const char *group_of(FILE *f, const char *s, const char *close, const char *left, const char *right)
{
    say(f, "<mrow><mo stretchy=\"false\">"), say(f, left), say(f, "</mo>");
    run(f, s + 1, close);
    say(f, "<mo stretchy=\"false\">"), say(f, right), say(f, "</mo></mrow>");
    return close + 1;
}

/* The end of the inner product that begins at the < s; NULL: it is none. */
static const char *product_end(const char *s, const char *end)
{
    if (*s != '<' || s + 1 >= end || strchr(" =-", s[1]))
        return NULL;
    const char *close = memchr(s, '>', (size_t)(end - s));
    return close && memchr(s, ',', (size_t)(close - s)) ? close : NULL;
}

static const char *mark(FILE *f, const char *s, const char *end)
{
    const struct formula_sign *m = sign_of(marks, s, 0, false);
    size_t n = 1;
    if (m && s + strlen(m->plain) <= end)
        return put(f, "mo", m->shown, strlen(m->shown)), s + strlen(m->plain);
    while (s + n < end && ((unsigned char)s[n] & 0xc0) == 0x80) /* the rest of a letter of several bytes */
        n++;
    put(f, "mo", s, n);
    return s + n;
}

/* An atom, and what is behind it. */
static const char *atom(FILE *f, const char *s, const char *end)
{
    const char *close = product_end(s, end);
    size_t n = name_length(s), group = *s == '(' || *s == '[' ? group_length(s, end) : 0;
    n = s + n > end ? (size_t)(end - s) : n;
    if (isdigit((unsigned char)*s)) {
        n = strspn(s, "0123456789.");
        while (s[n - 1] == '.')
            n--;
        return put(f, "mn", s, n), s + n;
    }
    if (n == 4 && !strncmp(s, "sqrt(", 5) && (group = group_length(s + 4, end)) != 0) {
        say(f, "<msqrt>");
        run(f, s + 5, s + 3 + group);
        say(f, "</msqrt>");
        return s + 4 + group;
    }
    if (n)
        return put_name(f, s, n), s + n;
    if (*s == ' ')
        return say(f, "<mspace width=\"0.25em\"/>"), s + 1;
    if (group)
        return group_of(f, s, s + group - 1, *s == '(' ? "(" : "[", *s == '(' ? ")" : "]");
    return close ? group_of(f, s, close, "⟨", "⟩") : mark(f, s, end);
}

/* What _ or ^ binds: a group without its brackets, a sign with its atom, an atom. */
static const char *bound(FILE *f, const char *s, const char *end)
{
    size_t group = s < end && (*s == '(' || *s == '{') ? group_length(s, end) : 0;
    say(f, "<mrow>");
    if (group)
        run(f, s + 1, s + group - 1), s += group;
    else {
        if (s < end && (*s == '-' || *s == '+'))
            s = mark(f, s, end);
        if (s < end && *s != ' ')
            s = atom(f, s, end);
    }
    say(f, "</mrow>");
    return s;
}

/* An atom with the scripts behind it, at most one of each kind. */
static const char *scripted(FILE *f, const char *s, const char *end)
{
    const char *low = NULL, *high = NULL, *behind = atom(NULL, s, end);
    while (*s != ' ' && behind < end && ((*behind == '_' && !low) || (*behind == '^' && !high))) {
        *(*behind == '_' ? &low : &high) = behind + 1;
        behind = bound(NULL, behind + 1, end);
    }
    const char *tag = low && high ? "msubsup>" : low ? "msub>" : high ? "msup>" : NULL;
    if (tag)
        say(f, "<"), say(f, tag);
    atom(f, s, end);
    if (low)
        bound(f, low, end);
    if (high)
        bound(f, high, end);
    if (tag)
        say(f, "</"), say(f, tag);
    return behind;
}

void formula_line(FILE *f, const char *line)
{
    while (*line == ' ')
        line++;
    while (*line) {
        const char *gap = strstr(line, "  "), *end = gap ? gap : line + strlen(line);
        fputs("<math>", f);
        run(f, line, end);
        fputs("</math>\n", f);
        for (line = end; *line == ' ';)
            line++;
    }
}

void page_paper(struct page *p, const char *comment)
{
    bool words = false;
    char last = 0; /* that the line before ended with: where a sentence ends with its line, a paragraph does */
    const char *line = comment + strcspn(comment, "\n");
    line += *line == '\n';
    fputs("<div class=\"paper\">\n", p->html);
    for (const char *next; *line; line = next + (*next == '\n')) {
        char text[240];
        next = line + strcspn(line, "\n");
        snprintf(text, sizeof text, "%.*s", (int)(next - line), line);
        page_found(p, text);
        if (!strncmp(text, "  ", 2)) {
            fputs(words ? "</p>\n" : "", p->html);
            fprintf(p->html, "<div class=\"formula%s\">", strspn(text, " ") > 6 ? " more" : "");
            formula_line(p->html, text);
            fputs("</div>\n", p->html);
            words = false;
        } else {
            const bool ended = words && last == '.';
            fputs(ended ? "</p>\n<p>" : words ? " " : "<p>", p->html);
            html_escape(p->html, text);
            words = true;
        }
        last = *text ? text[strlen(text) - 1] : 0;
    }
    fprintf(p->html, "%s</div>\n", words ? "</p>\n" : "");
    fprintf(p->md, "```text\n%s```\n\n", comment);
}
