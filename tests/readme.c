/* Every command that a README of the tree shows behind " $ " is run, and prints what stands below it: lines are
 * compared with runs of blanks as one, and "..." stands for anything.
 * mutants: what this suite expects is earlier output of this code. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1 << 20 };
static char readme[1 << 16], seen[TEXT], dir[80];

static void squeeze(char *s) /* Makes one blank of every run of blanks and newlines. */
{
    char *to = s;
    for (const char *from = s; *from; from++)
        if (*from != ' ' && *from != '\n')
            *to++ = *from;
        else if (to > s && to[-1] != ' ')
            *to++ = ' ';
    *to = 0;
}

static size_t slurp_whole(const char *path, char *to, size_t n)
{
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s: not there", path);
    const size_t got = fread(to, 1, n - 1, f);
    fclose(f);
    to[got] = 0;
    return got;
}

/* Runs one command in a folder of its own, in which build, data and harness are those of the tree; its output is in
 * seen. */
static int run(const char *command)
{
    char text[2000], path[120];
    snprintf(text, sizeof text, "cd %s && PATH=\"$PWD/build:$PATH\" && %s >out 2>&1", dir, command);
    const int rc = system(text);
    snprintf(path, sizeof path, "%s/out", dir);
    slurp_whole(path, seen, sizeof seen);
    squeeze(seen);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128;
}

/* Do the pieces of a shown line, between "...", stand in the output in their order? */
static void shows(const char *file, const char *line)
{
    char want[1000], *at = want;
    const char *from = seen;
    snprintf(want, sizeof want, "%s", line);
    squeeze(want);
    for (char *end = want; end && *at; at = end + 3) {
        end = strstr(at, "...");
        if (end)
            *end = 0;
        while (*at == ' ')
            at++;
        size_t n = strlen(at);
        while (n && at[n - 1] == ' ')
            at[--n] = 0;
        const char *found = strstr(from, at);
        cr_expect(found, "%s: '%s' is not in the output: %.1500s", file, at, seen);
        from = found ? found + n : from;
        if (!end)
            break;
    }
}

static void follow(const char *file)
{
    bool ran = false;
    slurp_whole(file, readme, sizeof readme);
    for (char *save, *line = strtok_r(readme, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (!strncmp(line, "    $ ", 6)) {
            line[strcspn(line, "#")] = 0; /* What follows a # is said to the reader. */
            const int rc = run(line + 6);
            ran = true;
            cr_expect(rc == 0 || rc == 1, "%s: exit %d: %s: %.600s", file, rc, line + 6, seen);
        } else if (ran && !strncmp(line, "    ", 4))
            shows(file, line + 4);
        else
            ran = false;
    }
}

Test(readme, every_command_that_is_shown_does_what_is_shown, .timeout = 300)
{
    glob_t files = { 0 };
    static const char *const depth[] = { "README.md", "*/README.md", "*/*/README.md", "*/*/*/README.md" };
    char text[600];
    snprintf(dir, sizeof dir, "/tmp/meridian-readme-%d", (int)getpid());
    snprintf(text, sizeof text,
        "rm -rf %s && mkdir %s && ln -s \"$PWD\"/build \"$PWD\"/data \"$PWD\"/harness \"$PWD\"/tests %s", dir, dir,
        dir);
    cr_assert_eq(system(text), 0);
    for (size_t k = 0; k < sizeof depth / sizeof *depth; k++)
        glob(depth[k], k ? GLOB_APPEND : 0, NULL, &files);
    cr_assert_gt(files.gl_pathc, 1);
    for (size_t k = 0; k < files.gl_pathc; k++)
        if (strncmp(files.gl_pathv[k], "build/", 6)) /* What was unpacked there comes and goes with other tests. */
            follow(files.gl_pathv[k]);
    globfree(&files);
    snprintf(text, sizeof text, "rm -r %s", dir);
    cr_expect_eq(system(text), 0);
}
