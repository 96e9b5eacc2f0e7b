/* The golden pack and its readers, without meridian's binary: the archive is the same bytes twice, honest outputs pass
 * under every profile, own kernels pass, and every named mistake is killed by the C reader alone. */
#include <criterion/criterion.h>
#include <math.h>
#include <sys/stat.h>
#include "compare/compare.h"
#include "core/arrayfile.h"
#include "command.h"
#include "core/files.h"
#include "golden/goldenpack.h"
#include "kernels.h"
#include "trial/change.h"
#include "trial/mistake.h"
#include "part.h"

static const char base[] = "build/goldenpack", unpacked[] = "build/goldenpack/golden-test";

static int sh(const char *format, const char *a, const char *b)
{
    char command[900];
    snprintf(command, sizeof command, format, a, b);
    int rc = system(command);
    return WIFEXITED(rc) ? WEXITSTATUS(rc) : 128;
}

static void save(const char *folder, const char *id, const struct mer_array *y, int type)
{
    char path[600], err[300];
    struct mer_array to = *y;
    to.type = type, to.data = calloc((size_t)array_len(y) + 1, 8);
    for (long k = 0; k < array_len(y); k++)
        array_put(&to, k, array_get(y, k));
    snprintf(path, sizeof path, "%s/%s", base, folder);
    cr_assert_eq(folder_make(path, err, sizeof err), 0, "%s", err);
    snprintf(path, sizeof path, "%s/%s/%s.npy", base, folder, id);
    cr_assert_eq(array_write(path, &to), 0, "%s", path);
    free(to.data);
}

static int type_of(const struct trial *t) { return t->out[0].type < MER_I64 ? MER_F32 : MER_F64; }

/* A mistake in so many is asked of the reader, and a row in so many made twice, others on another day (part.h). */
enum { PARTS = 8 };
struct planting { const struct goldcase *g; struct trial *t; };
static int plant(const struct mistake *m, void *with)
{
    struct planting *p = with;
    struct trial wrong;
    struct arith a;
    char err[900], folder[120];
    if (p->g->question || strcmp(m->where, p->g->where) || !is_due_named(m->id, PARTS))
        return 0;
    trial_copy(&wrong, p->t, err, sizeof err);
    *wrong.profile = 0;
    if (!trial_change(&wrong, m->change, err, sizeof err) &&
        trial_profile(&wrong, wrong.profile, &a, ROUND, err, sizeof err) >= 0) {
        reference_run(&wrong, &a);
        snprintf(folder, sizeof folder, "wrong/%s-%s", wrong.row->name, m->id);
        save(folder, p->g->id, &wrong.out[0], type_of(&wrong));
    } /* Otherwise it is a change of an input that this quantity does not have. */
    trial_close(&wrong);
    return 0;
}

static int answer(const struct goldcase *g, struct trial *t, void *with)
{
    (void)with;
    struct planting p = { g, t };
    mistakes_each(t->row->name, plant, &p);
    for (const struct slot *s = slots; s->name; s++)
        for (const struct mer_kernel *k = s->kernel; !strcmp(s->name, "scalar") && k->row; k++)
            if (!strcmp(k->row, t->row->name) && !strcmp(k->out, g->quantity) && !strcmp(k->type, "f32") &&
                mer_ask(k, &t->call) == MER_OK)
                save("own", g->id, &t->out[0], type_of(t));
    reference_run(t, &(struct arith){ 0 });
    save("honest", g->id, &t->out[0], type_of(t));
    struct mer_array *y = &t->out[0];
    for (long k = 0; y->type < MER_I64 && k < array_len(y); k++) {
        uint16_t h;
        struct mer_array one = { "", MER_BF16, 0, { 0 }, &h };
        array_put(&one, 0, array_get(y, k)), array_put(y, k, array_get(&one, 0));
    }
    save("honest16", g->id, y, type_of(t));
    return 0;
}

static int reader(const char *folder, const char *profile)
{
    char all[300];
    snprintf(all, sizeof all, "%s %s", folder, profile);
    return sh("cd %s && ./check ../%s >../check.out", unpacked, all);
}

struct counted { const char *row; int n; };
static int killed(const struct mistake *m, void *with)
{
    struct counted *c = with;
    char folder[120];
    if (!is_due_named(m->id, PARTS))
        return 0;
    snprintf(folder, sizeof folder, "wrong/%s-%s", c->row, m->id);
    int rc = reader(folder, "f64angle");
    cr_expect_eq(rc, mistake_equivalent(m) ? 0 : 1, "%s: exit %d", folder, rc);
    c->n += !mistake_equivalent(m);
    return 0;
}

Test(goldenpack, is_reproducible_and_its_reader_kills_every_mistake, .timeout = 300)
{
    char err[600], path[200], first[600];
    const struct goldenpack_asked nobody = { 0 };
    size_t size = 0, again = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        if (!is_due(r - all_rows, PARTS))
            continue;
        char *once = goldenpack_make("test", (*r)->name, nobody, &size, err, sizeof err);
        char *twice = goldenpack_make("test", (*r)->name, nobody, &again, err, sizeof err);
        cr_expect(once && twice && size == again && !memcmp(once, twice, size), "%s: made again, it differs",
            (*r)->name);
        free(once), free(twice);
    }
    cr_assert_eq(sh("rm -rf %s", base, ""), 0);
    char *tar = goldenpack_make("test", NULL, (struct goldenpack_asked){ answer, NULL }, &size, err, sizeof err);
    cr_assert(tar != NULL, "%s", err);
    cr_expect_leq(size, goldenpack_most());
    cr_assert_eq(folder_make(base, err, sizeof err), 0, "%s", err);
    snprintf(path, sizeof path, "%s/pack.tar", base);
    cr_assert_eq(file_replace(path, tar, size, err, sizeof err), 0, "%s", err);
    free(tar);
    cr_assert_eq(sh("tar xf %s -C %s", path, base), 0);
    cr_assert_eq(sh("cc -std=c11 -O1 -Wall -Wextra -Werror -o %s/check %s/check.c -lm", unpacked, unpacked), 0);
    cr_expect_eq(sh("cd %s && awk -F'\t' '!/^#/ { n = split($5, a, \",\"); for (i = 1; i <= n; i++) { split(a[i], p, "
                    "\"=\"); print p[2] ? p[2] : $1 \".in.\" p[1] \".npy\" } }' index.tsv | { while read -r f; do [ -f "
                    "\"$f\" ] || exit 1; done; }%s",
                     unpacked, ""),
        0, "an input that the index names is missing");
    for (int p = 0; p < PROFILES; p++)
        cr_expect_eq(
            reader("honest", goldenpack_profile[p]), 0, "honest f32 outputs fail under %s", goldenpack_profile[p]);
    cr_expect_eq(reader("honest16", "bf16"), 0, "honest bf16 outputs fail");
    cr_expect_eq(reader("honest16", "f32"), 1, "bf16 outputs pass as f32");
    if (reader("own", "f32") != 0) {
        char *said = file_read("build/goldenpack/check.out"), *at = said ? strstr(said, "FAIL") : NULL;
        snprintf(first, sizeof first, "%.300s", at ? at : "nothing judged");
        cr_expect(false, "own kernels: %s", first);
        free(said);
    }
    cr_expect_eq(reader("empty", "f32"), 77);
    int total = 0;
    for (const struct row *const *r = all_rows; *r; r++) {
        struct counted c = { (*r)->name, 0 };
        mistakes_each((*r)->name, killed, &c);
        total += c.n;
    }
    cr_expect_geq(total, 55, "%d mistakes", total);
}

/* A pack's answer of two elements that are 1, of which the bound of f32 is 2^-24, as numpy would write it. */
static void write_pair(const char *path)
{
    const double value[2] = { 1, 0 };
    const float bound[PROFILES] = { 0, 0x1p-24f, 1 };
    const char *head = "{'descr': [('hi', '<f8'), ('lo', '<f8'), ('bound', '<f4', (3,))], 'fortran_order': False, "
                       "'shape': (2,), }";
    FILE *f = fopen(path, "wb");
    cr_assert(f != NULL);
    fwrite("\x93NUMPY\x01\x00", 1, 8, f), fputc((int)strlen(head) + 1, f), fputc(0, f), fprintf(f, "%s\n", head);
    for (int k = 0; k < 2; k++)
        fwrite(value, sizeof value, 1, f), fwrite(bound, sizeof bound, 1, f);
    cr_assert_eq(fclose(f), 0);
}

Test(goldenpack, nan_another_shape_and_another_type_fail)
{
    char err[300];
    cr_assert_eq(folder_make("build/goldenone/y", err, sizeof err), 0, "%s", err);
    write_pair("build/goldenone/c.exact.npy");
    cr_assert_eq(sh("printf 'c\\t\\n' >%s/index.tsv && cc -O1 -o %s/check data/reader/check.c -lm", "build/goldenone",
                     "build/goldenone"),
        0);
    const struct {
        double x;
        int64_t dim;
        int type, rc;
    } list[] = { { 1, 2, MER_F32, 0 }, { 1 + 0x1p-24, 2, MER_F64, 0 }, { 1 + 0x1p-23, 2, MER_F32, 1 },
        { 1 - 0x1.01p-24, 2, MER_F64, 1 }, { (double)NAN, 2, MER_F32, 1 }, { (double)INFINITY, 2, MER_F32, 1 },
        { 1, 1, MER_F32, 1 }, { 1, 3, MER_F32, 1 }, { 1, 2, MER_I32, 1 } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        uint64_t room[4];
        struct mer_array a = { "", list[k].type, 1, { list[k].dim }, room };
        for (long i = 0; i < list[k].dim; i++)
            array_put(&a, i, list[k].x);
        cr_assert_eq(array_write("build/goldenone/y/c.npy", &a), 0);
        int rc = sh("cd %s && ./check y %s >/dev/null", "build/goldenone", "f32");
        cr_expect_eq(rc, list[k].rc, "line %d: exit %d", (int)k, rc);
    }
}
