/* The report's page: well formed, self-contained, equal in its two texts and equal to the store; whole or as it was
 * before. */
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
#include "page/plot.h"
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

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void expect_unique_ids(const char *html)
{
    static char *id[20000];
    int n = 0;
    for (const char *s = strstr(html, " id="); s && n < 20000; s = strstr(s + 1, " id=")) {
        size_t len = strcspn(s + 5, "'\"");
        id[n] = strndup(s + 5, len), n++;
    }
    qsort(id, (size_t)n, sizeof *id, by_text);
    cr_expect_geq(n, 10, "ids are not found: %d", n);
    for (int k = 1; k < n; k++)
        cr_expect_str_neq(id[k], id[k - 1], "id '%s' occurs twice", id[k]);
    /* Every reference stays inside the page and has its target. */
    for (const char *s = strstr(html, "href="); s; s = strstr(s + 1, "href=")) {
        if (!strncmp(s + 6, "data:", 5)) /* The picture of the heat map lies inside the page. */
            continue;
        char *want = strndup(s + 7, strcspn(s + 7, "'\""));
        cr_assert_eq(s[6], '#', "a reference leaves the page: %.60s", s);
        cr_assert(bsearch(&want, id, (size_t)n, sizeof *id, by_text), "no target for %s", want);
        free(want);
    }
    cr_expect(!strstr(html, "src="), "an external resource");
    cr_expect(!strstr(html, "@import") && !strstr(html, "<script") && !strstr(html, "<link"));
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
        cr_expect(strstr(html, want), "index.html lacks '%s'", want);
        snprintf(want, sizeof want, "<td>%s</td>", witness);
        cr_expect(strstr(html, want), "index.html lacks '%s'", want);
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

Test(report, is_whole_equal_to_the_store_and_survives_kill_and_a_missing_gnuplot, .timeout = 900)
{
    char out[100], png[140];
    fresh();
    snprintf(out, sizeof out, "%s/out", dir);
    snprintf(png, sizeof png, "%s/out/fig-heat.png", dir);
    cr_assert_eq(finish(start(out, NULL, true)), 0, "%s", said);
    char *html = text_of("index.html"), *md = text_of("report.md");
    cr_expect(strstr(md, "| figure | fig-error | - | gnuplot is not installed |") &&
            strstr(md, "| figure | fig-heat | - | gnuplot is not installed |"),
        "without gnuplot the figures not drawn are not named");
    cr_expect(strstr(md, "gpt2"), "the model that cannot be judged is not shown");
    expect_balanced(html);
    free(html), free(md);

    cr_assert_eq(finish(start(out, NULL, false)), 0, "%s", said);
    cr_expect(strstr(said, "/out/index.html") && strstr(said, "/out/report.md") && strstr(said, "0 of 2 published"),
        "closing line: %s", said);
    /* The one item is the count of the rooms, which is made anew each time. */
    cr_expect(strstr(said, " 1 items measured"), "an unchanged item was measured again: %s", said);
    html = text_of("index.html"), md = text_of("report.md");
    if (access(png, R_OK) == 0) /* gnuplot may be missing on this machine. */
        cr_expect(!strstr(md, "gnuplot is not installed"));
    expect_balanced(html);
    expect_unique_ids(html);
    expect_equal_to_store(html, md);

    pid_t pid = start(out, "--fresh", false); /* Everything is measured again, and killed on the way. */
    for (int tenths = 0; tenths < 600 && !measured_twice(); tenths++)
        usleep(100000);
    kill(pid, SIGKILL);
    cr_expect_eq(finish(pid), 128 + SIGKILL, "it was done before the signal");
    char *after = text_of("index.html");
    cr_expect_str_eq(html, after, "a killed run changed the page");
    const long twice = measured_twice();
    cr_expect_geq(twice, 3, "the killed run kept %ld items", twice);

    cr_assert_eq(finish(start(out, NULL, false)), 0, "%s", said); /* what was measured twice is shown once */
    char *again = text_of("index.html"), *cut = strdup(again);
    *strstr(html, "id=\"provenance\"") = 0; /* how many runs it took differs */
    *strstr(cut, "id=\"provenance\"") = 0;
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

Test(report, labels_move_apart_and_keep_their_order)
{
    double y[] = { 1, 1.01, 5, 1.02, 4.9 };
    plot_spread(y, 5, 0.5);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++)
            cr_expect(fabs(y[i] - y[j]) >= 0.499, "labels %d and %d at %g and %g", j, i, y[j], y[i]);
    cr_expect(y[0] < y[1] && y[1] < y[3] && y[3] < y[4] && y[4] < y[2], "order is lost");
}
