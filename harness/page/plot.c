/* Collects a figure's settings and data and runs gnuplot on them; see plot.h. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/leftover.h"
#include "core/files.h"
#include "page/plot.h"
#include "arith/need.h"

extern char **environ;
static const char *const plot_kind[] = { ".svg", ".png", ".pdf" };
const char plot_positions[] = "set logscale x 2\nset xtics (\"1\" 1, \"8\" 8, \"32\" 32, \"256\" 256, \"1k\" 1024, "
                              "\"4k\" 4096, \"32k\" 32768, \"128k\" 131072, \"1M\" 1048576)\n";
const char *const plot_colour[6] = { "#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9" };

void plot_open(struct plot *p, const char *dir, const char *name, const char *title, const char *subtitle)
{
    *p = (struct plot){ .dir = dir, .height = PLOT_HEIGHT, .fill = 0.86, .deep = 0.72, .left = 0.085 };
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->subtitle, sizeof p->subtitle, "%s", subtitle);
    p->set = need_stream(&p->text[0], &p->size[0]);
    p->draw = need_stream(&p->text[1], &p->size[1]);
    p->data = need_stream(&p->text[2], &p->size[2]);
    fprintf(p->set,
        "set datafile separator \"\\t\"\nset datafile missing \"nan\"\nset border 3 lc rgb \"#444444\"\nset tics "
        "nomirror out\n"
        "set grid y lt 1 lc rgb \"#e4e4e4\"\nunset key\nset tmargin 4.6\nset rmargin 4\nset lmargin 11\n");
}

void plot_panel(struct plot *p, int columns, int rows, int k, const char *title)
{
    const double left = p->left, right = 0.985, top = 1 - 104.0 / p->height, bottom = 0.02,
                 wide = (right - left) / columns, high = (top - bottom) / rows;
    const double x = left + wide * (k % columns), y = top - high * (k / columns);
    fprintf(p->draw, "%s", k ? "unset label 1\nunset label 2\n" : "set multiplot\n");
    fprintf(p->draw,
        "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\nset bmargin at screen "
        "%.4f\nset label 3 \"{/:Bold %s}\" at graph 0, graph 1.08 left\n",
        x, x + wide * p->fill, y, y - high * p->deep, title);
    p->panels = k + 1;
}

long plot_series(struct plot *p, sqlite3 *db, const char *format, ...)
{
    char sql[4096];
    va_list a;
    va_start(a, format);
    vsnprintf(sql, sizeof sql, format, a);
    va_end(a);
    sqlite3_stmt *q = NULL;
    long rows = 0, finite = 0;
    if (sqlite3_prepare_v2(db, sql, -1, &q, NULL) != SQLITE_OK)
        snprintf(p->why, sizeof p->why, "series %d: %s", p->series, sqlite3_errmsg(db));
    while (q && sqlite3_step(q) == SQLITE_ROW) {
        int n = sqlite3_column_count(q);
        for (int k = 0; k < n; k++) {
            bool number = sqlite3_column_type(q, k) != SQLITE_NULL, text = sqlite3_column_type(q, k) == SQLITE_TEXT;
            if (k < 4)
                p->last[k] = number ? sqlite3_column_double(q, k) : (double)NAN;
            if (text)
                fprintf(p->data, "%s%s", k ? "\t" : "", (const char *)sqlite3_column_text(q, k));
            else if (number)
                fprintf(p->data, "%s%.17g", k ? "\t" : "", sqlite3_column_double(q, k));
            else
                fprintf(p->data, "%snan", k ? "\t" : "");
            finite += k == n - 1 && number && (text || isfinite(sqlite3_column_double(q, k)));
        }
        fputc('\n', p->data);
        rows++;
    }
    sqlite3_finalize(q);
    if (!finite && !*p->why)
        snprintf(p->why, sizeof p->why, "series %d has no finite point", p->series);
    if (rows) /* gnuplot counts no empty block */
        fputs("\n\n", p->data), p->series++;
    return rows;
}

void plot_spread(double *y, int n, double gap)
{
    int at[32]; /* in ascending order: only neighbours push, so none overtakes */
    n = n < 32 ? n : 32;
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && y[at[j - 1]] > y[i]; j--)
            at[j] = at[j - 1];
        at[j] = i;
    }
    for (int sweep = 0; sweep < 400; sweep++)
        for (int i = 0; i + 1 < n; i++) {
            double push = (gap - (y[at[i + 1]] - y[at[i]])) / 2;
            if (push > 0)
                y[at[i]] -= push, y[at[i + 1]] += push;
        }
}

/* Runs gnuplot on one script.  No shell is involved, so a folder's name is never taken for a command. */
static int gnuplot(const char *commands, const char *errors, char *why, size_t n)
{
    int fd[2], status = 0;
    pid_t pid;
    posix_spawn_file_actions_t f;
    char *argv[] = { "gnuplot", "-d", NULL };
    if (pipe2(fd, O_CLOEXEC))
        return snprintf(why, n, "pipe: %s", strerror(errno)), -1;
    posix_spawn_file_actions_init(&f);
    posix_spawn_file_actions_adddup2(&f, fd[0], 0);
    posix_spawn_file_actions_addopen(&f, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&f, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int rc = posix_spawnp(&pid, "gnuplot", &f, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&f);
    close(fd[0]);
    if (rc)
        return close(fd[1]), snprintf(why, n, rc == ENOENT ? "gnuplot is not installed" : "gnuplot: %s", strerror(rc)),
               -1;
    struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
    sigaction(SIGPIPE, &ignore, &old);
    bool sent = write(fd[1], commands, strlen(commands)) == (ssize_t)strlen(commands);
    close(fd[1]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGPIPE, &old, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return snprintf(why, n, "gnuplot is not installed"), -1;
    char line[200] = "";
    FILE *e = fopen(errors, "r");
    while (e && fgets(line, sizeof line, e) && strspn(line, " \t\r\n^") == strlen(line))
        ;
    bool silent = !e || strspn(line, " \t\r\n^") == strlen(line);
    if (e)
        fclose(e);
    line[strcspn(line, "\r\n")] = 0;
    if (sent && silent && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return snprintf(why, n, "gnuplot failed: %s", *line ? line : "no message"), -1;
}

/* Writes s for gnuplot's single quotes, in which a quote is doubled. */
static void quoted(char *to, size_t n, const char *s)
{
    size_t k = 0;
    for (; *s && k + 3 < n; s++) {
        to[k++] = *s;
        if (*s == '\'')
            to[k++] = '\'';
    }
    to[k] = 0;
}

int plot_close(struct plot *p)
{
    char path[4200], to[4200], commands[9000], where[8400], errors[4200], *script = NULL;
    size_t length;
    const int kinds = p->only_svg ? 1 : p->pdf ? 3 : 2;
    fclose(p->set), fclose(p->draw), fclose(p->data);
    FILE *f = need_stream(&script, &length);
    /* titles sit at the top left, whatever the height (`set title` would centre) */
    const double pixel = 1.0 / p->height;
    fprintf(
        f, "# %s\nif (!exists(\"out\")) out = \"%s\"\ndata = \"%s.tsv\"\n%s", p->name, p->name, p->name, p->text[0]);
    fprintf(f, "set tmargin at screen %.4f\n", 1 - 78 * pixel);
    for (int k = 0; k < kinds; k++) { /* a panel takes the titles away: set again for each */
        static const char *const terminal[] = { "svg", "pngcairo", "pdfcairo" },
                                 *const font[] = { "dynamic font \"DejaVu Sans,13\"", "font \"DejaVu Sans,11\"",
                                     "font \"DejaVu Sans,11\"" };
        if (k < 2)
            fprintf(
                f, "set terminal %s size %d,%d %s background \"white\"\n", terminal[k], PLOT_WIDTH, p->height, font[k]);
        else /* the same picture at 96 pixels to the inch */
            fprintf(f, "set terminal %s size %.4fin,%.4fin %s background \"white\"\n", terminal[k], PLOT_WIDTH / 96.0,
                p->height / 96.0, font[k]);
        fprintf(f, "set output out.\"%s\"\n", plot_kind[k]);
        fprintf(f,
            "set label 1 \"{/:Bold=15 %s}\" at screen 0.022, screen %.4f left\nset label 2 \"%s\" at screen 0.022, "
            "screen %.4f left tc rgb \"#555555\"\n",
            p->title, 1 - 24 * pixel, p->subtitle, 1 - 47 * pixel);
        fprintf(f, "%s\n%s%s", p->text[1], p->panels ? "unset multiplot\n" : "",
            k == kinds - 1 ? "unset output\n" : "");
    }
    fclose(f);
    snprintf(path, sizeof path, "%s/%s.gp", p->dir, p->name);
    snprintf(to, sizeof to, "%s/%s.tsv", p->dir, p->name);
    if (file_replace(path, script, length, p->why, sizeof p->why) == 0)
        file_replace(to, p->text[2], p->size[2], p->why, sizeof p->why);
    quoted(where, sizeof where, p->dir);
    snprintf(errors, sizeof errors, "%s/.%s.errors", p->dir, p->name);
    leftover_add(errors);
    for (int k = 0; k < kinds; k++) {
        snprintf(path, sizeof path, "%s/.%s.new%s", p->dir, p->name, plot_kind[k]);
        leftover_add(path);
    }
    snprintf(commands, sizeof commands, "cd '%s'\nout = '.%s.new'\nload '%s.gp'\n", where, p->name, p->name);
    int rc = *p->why ? -1 : gnuplot(commands, errors, p->why, sizeof p->why);
    leftover_settle(errors, false);
    for (int k = 0; k < kinds; k++) {
        snprintf(path, sizeof path, "%s/.%s.new%s", p->dir, p->name, plot_kind[k]);
        snprintf(to, sizeof to, "%s/%s%s", p->dir, p->name, plot_kind[k]);
        if (rc)
            unlink(to); /* an old picture would not show these data */
        else if (rename(path, to))
            rc = (snprintf(p->why, sizeof p->why, "%.200s: %s", to, strerror(errno)), -1);
        leftover_settle(path, false);
    }
    free(script);
    for (int k = 0; k < 3; k++)
        free(p->text[k]);
    return rc;
}
