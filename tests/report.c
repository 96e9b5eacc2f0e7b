/* The report's pages: well formed, without a dead link, asking for nothing outside, a page a row, equal in their two
 * texts and equal to the store; whole or as they were before. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/files.h"
#include "page/page.h"
#include "page/formula.h"
#include "page/plot.h"
#include "row/row.h"
#include "store/store.h"

static char dir[64], said[4000];

static void fresh(void)
{
    char path[400];
    strcpy(dir, "/tmp/meridian-report-XXXXXX");
    cr_assert(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/data/models", dir);
    cr_assert_eq(folder_make(path, said, sizeof said), 0, "%s", said);
    snprintf(path, sizeof path,
        "cp data/models/types.tsv data/models/published-llama-2-7b.json data/models/published-gpt2.json "
        "%s/data/models/ && cp data/models/published-llama-2-7b.json %s/data/models/published-twin.json",
        dir, dir);
    cr_assert_eq(system(path), 0);
}

static void clean(void)
{
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    cr_assert_eq(system(command), 0);
}

/* Starts meridian report over two models; `said` will hold both of its streams.  PATH is without gnuplot where
 * asked. */
static pid_t start(const char *out, const char *flag, bool no_gnuplot)
{
    pid_t pid = fork();
    if (!pid) {
        char self[400], data[100], log[100];
        ssize_t n = readlink("/proc/self/exe", self, sizeof self - 10);
        self[n < 0 ? 0 : n] = 0;
        strcpy(strrchr(self, '/'), "/meridian");
        snprintf(data, sizeof data, "%s/data", dir);
        snprintf(log, sizeof log, "%s/log", dir);
        setenv("MERIDIAN_DATA", data, 1);
        setenv("MERIDIAN_ISA", "scalar", 1); /* With one slot there is less to measure. */
        if (no_gnuplot)
            setenv("PATH", "/nowhere", 1);
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(fd, 1), dup2(fd, 2);
        execl(self, self, "report", "--quick", "--out", out, flag, (char *)NULL);
        kill(getpid(), SIGABRT);
    }
    return pid;
}

static int finish(pid_t pid)
{
    char log[100];
    int status;
    waitpid(pid, &status, 0);
    snprintf(log, sizeof log, "%s/log", dir);
    char *text = file_read(log);
    snprintf(said, sizeof said, "%s", text ? text : "");
    free(text);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *text_of(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/out/%s", dir, name);
    char *s = file_read(path);
    cr_assert(s, "%s is not there: %s", path, said);
    return s;
}

static void expect_balanced(const char *html)
{
    static char open_tags[256][24];
    int depth = 0;
    for (const char *s = strchr(html, '<'); s; s = strchr(s + 1, '<')) {
        char name[24];
        size_t n = 0;
        const char *end = strchr(s, '>'), *from = s + 1 + (s[1] == '/');
        cr_assert(end, "an open tag at %.40s", s);
        if (s[1] == '!')
            continue;
        while (n < 23 && (isalnum((unsigned char)from[n]) || from[n] == ':'))
            name[n] = from[n], n++;
        name[n] = 0;
        cr_assert(n > 0, "a bare < at %.40s", s);
        if (s[1] == '/') {
            cr_assert(depth > 0 && !strcmp(open_tags[depth - 1], name), "</%s> closes <%s> at %.60s", name,
                depth ? open_tags[depth - 1] : "nothing", s);
            depth--;
        } else if (end[-1] != '/' && strcmp(name, "meta")) {
            cr_assert(depth < 256);
            strcpy(open_tags[depth++], name);
        }
    }
    cr_expect_eq(depth, 0, "<%s> stays open", depth ? open_tags[depth - 1] : "");
}

/* Calls f for every page that the first one's contents name, in their order, "index.html" first. */
static int each_page(void (*f)(const char *name, void *with), void *with)
{
    char *index = text_of("index.html"), name[100];
    int n = 1;
    f("index.html", with);
    for (const char *s = strstr(index, "<li><a href=\""), *end = strstr(index, "</nav>"); s && s < end;
        s = strstr(s + 1, "<li><a href=\""), n++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(s + 13, "\"#"), s + 13);
        f(name, with);
    }
    free(index);
    return n;
}

static bool has_id(const char *html, const char *id, size_t n)
{
    char want[2][140];
    snprintf(want[0], sizeof *want, " id=\"%.*s\"", (int)n, id);
    snprintf(want[1], sizeof *want, " id='%.*s'", (int)n, id);
    return strstr(html, want[0]) || strstr(html, want[1]);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void expect_unique_ids(const char *name, const char *html)
{
    static char *id[20000];
    int n = 0;
    for (const char *s = strstr(html, " id="); s && n < 20000; s = strstr(s + 1, " id="))
        id[n++] = strndup(s + 5, strcspn(s + 5, "'\""));
    qsort(id, (size_t)n, sizeof *id, by_text);
    cr_expect_geq(n, 3, "%s: ids are not found: %d", name, n);
    for (int k = 1; k < n; k++)
        cr_expect_str_neq(id[k], id[k - 1], "%s: id '%s' occurs twice", name, id[k]);
    for (int k = 0; k < n; k++)
        free(id[k]);
}

/* Every reference of a page leads to a file of the folder, and to a place in it that is there. */
static void expect_targets(const char *name, const char *html, const char *attribute)
{
    for (const char *s = strstr(html, attribute); s; s = strstr(s + 1, attribute)) {
        const char *to = s + strlen(attribute) + 1;
        const size_t n = strcspn(to, "'\""), file = strcspn(to, "'\"#");
        char path[300];
        if (!strncmp(to, "data:", 5)) /* The picture of the heat map lies inside the page. */
            continue;
        snprintf(path, sizeof path, "%.*s", (int)file, to);
        cr_assert(!strstr(path, ":") && *path != '/', "%s: a reference leaves the folder: %.60s", name, to);
        char *other = file ? text_of(path) : strdup(html);
        cr_expect(n == file || has_id(other, to + file + 1, n - file - 1), "%s: no target for %.*s", name, (int)n, to);
        free(other);
    }
}

static void expect_figures(const char *name, const char *html)
{
    char link[120], figure[60];
    for (const char *s = strstr(html, "<figure id=\""); s; s = strstr(s + 1, "<figure id=\"")) {
        snprintf(figure, sizeof figure, "%.*s", (int)strcspn(s + 12, "\""), s + 12);
        for (int k = 0; k < 2; k++) {
            snprintf(link, sizeof link, "<a href=\"%s.%s\">", figure, k ? "gp" : "tsv");
            cr_expect(strstr(s, link), "%s: figure %s lacks %s", name, figure, link);
        }
    }
}

static void expect_whole(const char *name, void *with)
{
    char *html = text_of(name);
    (void)with;
    expect_balanced(html);
    expect_unique_ids(name, html);
    expect_targets(name, html, " href=");
    expect_targets(name, html, " src=");
    expect_figures(name, html);
    cr_expect(!strstr(html, "@import") && !strstr(html, "url(http"), "%s: an external resource", name);
    free(html);
}

static void add_page(const char *name, void *with)
{
    if (!strncmp(name, "row-", 4) || !strcmp(name, "model-cards.html"))
        return; /* a second view of the same numbers, in HTML alone */
    char *html = text_of(name), *main = strstr(html, "<main>");
    cr_assert(main);
    fputs(main, with);
    free(html);
}

/* The pages that the Markdown text has, too, one behind the other. */
static char *text_of_pages(void)
{
    static char *text;
    static size_t size;
    FILE *f = open_memstream(&text, &size);
    each_page(add_page, f);
    fclose(f);
    return text;
}

static void expect_site(void)
{
    char name[80], want[120], *search = text_of("search.js");
    const int n = each_page(expect_whole, NULL);
    int rows = 0;
    for (const struct row *const *row = all_rows; *row; row++, rows++) {
        snprintf(name, sizeof name, "row-%s.html", (*row)->name);
        char *html = text_of(name);
        for (const struct preset *p = (*row)->presets; p->name; p++) {
            snprintf(want, sizeof want, "<td>%s</td>", p->name);
            cr_expect(strstr(html, want), "%s lacks the convention %s", name, p->name);
        }
        cr_expect(strstr(html, "<math>") || !strstr(html, "class=\"formula"), "%s: no formula is typeset", name);
        snprintf(want, sizeof want, "[\"%s\",\"%s: %s\"", name, (*row)->name, (*row)->title);
        cr_expect(strstr(search, want), "search.js lacks %s", want);
        free(html);
    }
    cr_expect_geq(n, rows + 10, "only %d pages", n);
    free(search);
}

/* The cells of all tables in their order, without their escapes, one a line. */
static char *cells(const char *s, bool html)
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    static const struct {
        const char *from;
        char to;
    } entity[] = { { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' } };
    if (html)
        for (s = strstr(s, "<td>"); s; s = strstr(s, "<td>")) {
            const char *end = strstr(s, "</td>");
            for (s += 4; s < end; s++) {
                int k = 0;
                if (*s == '<') { /* the tags of a link */
                    s = strchr(s, '>');
                    continue;
                }
                while (k < 4 && strncmp(s, entity[k].from, strlen(entity[k].from)))
                    k++;
                fputc(k < 4 ? entity[k].to : *s == '\n' ? ' ' : *s, f);
                s += k < 4 ? strlen(entity[k].from) - 1 : 0;
            }
            fputc('\n', f);
        }
    else
        for (; *s; s += strcspn(s, "\n"), s += *s == '\n') {
            const char *next = strchr(s, '\n');
            if (*s != '|' || !strncmp(s, "|---", 4) || (next && !strncmp(next + 1, "|---", 4)))
                continue;
            const char *line = s + 2;
            for (; line < next; line++)
                if (!strncmp(line, " |", 2)) {
                    fputc('\n', f);
                    line += line + 2 < next ? 2 : 1;
                } else if (*line == '\\' && (line[1] == '|' || line[1] == '<'))
                    fputc(*++line, f);
                else
                    fputc(*line, f);
        }
    fclose(f);
    return text;
}

static void expect_equal_to_store(const char *html, const char *md)
{
    char path[200], want[900];
    sqlite3 *db;
    sqlite3_stmt *q;
    int n = 0;
    snprintf(path, sizeof path, "%s/out/results.db", dir);
    cr_assert_eq(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(db,
                     "SELECT r.subject, r.bits, r.witness, v.value FROM result r JOIN result v ON v.key=r.key AND "
                     "v.run=r.run AND v.measure='valid bf16' WHERE r.measure='worst'",
                     -1, &q, NULL),
        SQLITE_OK);
    /* The exact bits and the witness of every scan, by a query of the test's own. */
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        const char *contract = (const char *)sqlite3_column_text(q, 0),
                   *witness = (const char *)sqlite3_column_text(q, 2);
        snprintf(want, sizeof want, "| %s | %.4g |", contract, bits_read((const char *)sqlite3_column_text(q, 1)));
        cr_expect(strstr(md, want), "report.md lacks '%s'", want);
        snprintf(want, sizeof want, "<td>%s</td><td>%.4g</td>", contract,
            bits_read((const char *)sqlite3_column_text(q, 1)));
        cr_expect(strstr(html, want), "the pages lack '%s'", want);
        snprintf(want, sizeof want, "<td>%s</td>", witness);
        cr_expect(strstr(html, want), "the pages lack '%s'", want);
    }
    cr_expect_geq(n, 4, "only %d scans in the store", n);
    sqlite3_finalize(q);
    sqlite3_close(db);
    char *a = cells(html, true), *b = cells(md, false);
    size_t same = 0;
    while (a[same] && a[same] == b[same])
        same++;
    while (same && a[same - 1] != '\n')
        same--;
    cr_expect_str_eq(a, b, "tables differ from: html '%.80s' md '%.80s'", a + same, b + same);
    cr_expect_geq(strlen(a), 2000, "few cells: %zu bytes", strlen(a));
    free(a), free(b);
}

/* So many items of the store were measured by more than one run; a store that is being written to counts as one of
 * none. */
static long measured_twice(void)
{
    char path[160];
    sqlite3 *db;
    sqlite3_stmt *q;
    long n = 0;
    snprintf(path, sizeof path, "%s/out/results.db", dir);
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT count(*) FROM (SELECT key FROM item GROUP BY key HAVING count(*) > 1)", -1, &q,
            NULL) == SQLITE_OK) {
        n = sqlite3_step(q) == SQLITE_ROW ? (long)sqlite3_column_int64(q, 0) : 0;
        sqlite3_finalize(q);
    }
    sqlite3_close(db);
    return n > 2 ? n : 0;
}

/* The pages in a browser, where there is one. */
static void expect_browser(void)
{
    char command[300], line[300];
    snprintf(command, sizeof command, "python3 tests/browser/browse.py '%s/out' 2>&1", dir);
    FILE *f = popen(command, "r");
    cr_assert(f);
    while (fgets(line, sizeof line, f))
        fprintf(stderr, "%s", line);
    const int status = pclose(f);
    cr_expect(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77), "see the lines above");
}

Test(report, is_whole_equal_to_the_store_and_survives_kill_and_a_missing_gnuplot, .timeout = 900)
{
    char out[100], png[140];
    fresh();
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(png, sizeof png, "%s/out/fig-heat.png", dir);
    cr_assert_eq(finish(start(out, NULL, true)), 0, "%s", said);
    char *html = text_of_pages(), *md = text_of("report.md");
    cr_expect(strstr(md, "| figure | fig-error | - | gnuplot is not installed |") &&
            strstr(md, "| figure | fig-heat | - | gnuplot is not installed |"),
        "without gnuplot the figures not drawn are not named");
    cr_expect(strstr(md, "gpt2"), "the model that cannot be judged is not shown");
    each_page(expect_whole, NULL);
    free(html), free(md);

    cr_assert_eq(finish(start(out, NULL, false)), 0, "%s", said);
    cr_expect(strstr(said, "/out/index.html") && strstr(said, "/out/report.md") && strstr(said, "0 of 2 published"),
        "closing line: %s", said);
    /* The one item is the count of the rooms, which is made anew each time. */
    cr_expect(strstr(said, " 1 items measured"), "an unchanged item was measured again: %s", said);
    html = text_of_pages(), md = text_of("report.md");
    if (access(png, R_OK) == 0) /* gnuplot may be missing on this machine. */
        cr_expect(!strstr(md, "gnuplot is not installed"));
    expect_site();
    expect_equal_to_store(html, md);
    expect_browser();

    pid_t pid = start(out, "--fresh", false); /* Everything is measured again, and killed on the way. */
    for (int tenths = 0; tenths < 600 && !measured_twice(); tenths++)
        usleep(100000);
    kill(pid, SIGKILL);
    cr_expect_eq(finish(pid), 128 + SIGKILL, "it was done before the signal");
    char *after = text_of_pages();
    cr_expect_str_eq(html, after, "a killed run changed the pages");
    const long twice = measured_twice();
    cr_expect_geq(twice, 3, "the killed run kept %ld items", twice);

    cr_assert_eq(finish(start(out, NULL, false)), 0, "%s", said); /* what was measured twice is shown once */
    char *again = text_of_pages(), *cut = strdup(again);
    *strstr(html, "Who measured what is shown") = 0; /* how many runs it took differs */
    *strstr(cut, "Who measured what is shown") = 0;
    char *a = cells(html, true), *b = cells(cut, true);
    long rows[2] = { 0, 0 };
    for (const char *s = a; *s; s++)
        rows[0] += *s == '\n';
    for (const char *s = b; *s; s++)
        rows[1] += *s == '\n';
    cr_expect_eq(rows[0], rows[1], "the same report has %ld cells, measured anew %ld", rows[0], rows[1]);
    free(a), free(b), free(cut), free(again);
    free(html), free(md), free(after);
    clean();
}

Test(report, refuses_what_it_cannot_write_in_one_line)
{
    static const char *const bad[] = { "/proc/none", "/dev/null/report", "/dev/null" };
    fresh();
    for (int k = 0; k < 3; k++) {
        int rc = finish(start(bad[k], NULL, false));
        cr_expect_eq(rc, 2, "--out %s: exit %d", bad[k], rc);
        cr_expect(
            strstr(said, bad[k]) && strchr(said, '\n') == said + strlen(said) - 1, "--out %s: '%s'", bad[k], said);
    }
    clean();
}

Test(report, a_series_without_a_finite_point_is_refused)
{
    sqlite3 *db;
    struct plot p;
    fresh();
    sqlite3_open(":memory:", &db);
    plot_open(&p, dir, "fig-none", "title", "subtitle");
    plot_series(&p, db, "SELECT 1, NULL UNION SELECT 2, 9e999");
    fprintf(p.draw, "plot data using 1:2");
    cr_expect_eq(plot_close(&p), -1);
    cr_expect(strstr(p.why, "no finite point"), "%s", p.why);
    plot_open(&p, dir, "fig-bad", "title", "subtitle");
    plot_series(&p, db, "SELECT 1, 1");
    fprintf(p.draw, "plot nonsense(((");
    cr_expect_eq(plot_close(&p), -1, "a script with an error counts as drawn");
    cr_expect(*p.why && !strchr(p.why, '\n'), "%s", p.why);
    sqlite3_close(db);
    clean();
}

Test(report, a_page_that_cannot_be_written_whole_stays_as_it_was)
{
    char path[140], text[400];
    fresh();
    snprintf(path, sizeof path, "%s/page", dir);
    cr_assert_eq(file_replace(path, "old", 3, text, sizeof text), 0);
    cr_assert_eq(chmod(dir, 0555), 0);
    pid_t pid = fork();
    if (!pid) {
        int bad = geteuid() == 0 && setuid(65534); /* The superuser may write in any folder, so another user tries. */
        bad |= file_replace(path, "new", 3, text, sizeof text) == 0 || !strstr(text, "what was there is kept");
        signal(SIGUSR1, SIG_DFL); /* Who started the tests may ignore them, as perf does. */
        signal(SIGUSR2, SIG_DFL);
        kill(getpid(), bad ? SIGUSR1 : SIGUSR2);
    }
    int status;
    waitpid(pid, &status, 0);
    chmod(dir, 0755);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
    char *still = file_read(path);
    cr_expect_str_eq(still, "old");
    free(still);
    clean();
}

Test(report, a_formula_is_balanced_and_typeset_whatever_its_text_is)
{
    static const struct { const char *plain, *typeset; } lines[] = {
        { "w_k = base^(-2k/d)", "<msub><mi>w</mi><mrow><mi>k</mi></mrow></msub>" },
        { "base^(-2k/d)", "<msup><mtext>base</mtext><mrow><mo>−</mo><mn>2</mn><mi>k</mi><mo>/</mo>" },
        { "S_{t-1}^T", "<mn>1</mn></mrow><mrow><mi>T</mi></mrow></msubsup>" },
        { "<q, k> <= 1", "⟨</mo><mi>q</mi><mo>,</mo>" }, { "a < b, c > d", "<mo>&lt;</mo>" },
        { "sqrt(d) sum_j theta", "<msqrt><mi>d</mi></msqrt>" }, { "a  b", "<math><mi>b</mi></math>" },
        { "_ ^ )( [ <x,> sqrt( x_ y^ 1.. a__b ^^", "<math>" }, { "x_(", "<math>" }, { "", "" } };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char *text;
        size_t size;
        FILE *f = open_memstream(&text, &size);
        formula_line(f, lines[k].plain);
        fclose(f);
        if (*lines[k].plain)
            expect_balanced(text);
        cr_expect(strstr(text, lines[k].typeset), "%s: %s", lines[k].plain, text);
        free(text);
    }
}

Test(report, labels_move_apart_and_keep_their_order)
{
    double y[] = { 1, 1.01, 5, 1.02, 4.9 };
    plot_spread(y, 5, 0.5);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            cr_expect(fabs(y[i] - y[j]) >= 0.499, "labels %d and %d at %g and %g", j, i, y[j], y[i]);
    cr_expect(y[0] < y[1] && y[1] < y[3] && y[3] < y[4] && y[4] < y[2], "order is lost");
}
