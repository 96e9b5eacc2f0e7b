/* The golden files: made again byte for byte, whole, equal to the reference in every format, met by the own kernels;
 * and tampering is seen. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include "core/files.h"
#include "golden/golden.h"
#include "kernels.h"
#include "trial/mistake.h"

enum { LEAST = 5, MOST = 64 };  /* LEAST lines are in every golden file; at most MOST files are read. */
static char files[MOST][40];      /* The rows of data/golden, found by name. */
static int count_files(void)
{
    DIR *d = opendir("data/golden");
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) && n < MOST;)
        if (strlen(e->d_name) < sizeof *files && strstr(e->d_name, ".tsv"))
            snprintf(files[n], sizeof *files, "%.*s", (int)(strlen(e->d_name) - 4), e->d_name), n++;
    cr_assert(d && n >= 5, "%d golden files", n);
    closedir(d);
    return n;
}

static char *text_of(const char *row)
{
    char path[100];
    snprintf(path, sizeof path, "data/golden/%s.tsv", row);
    char *s = file_read(path);
    cr_assert(s != NULL, "%s: missing; make data", path);
    return s;
}

/* A question's words are extents where the quantity has such an axis, and indices lie within them; a line that was not
 * there was a null pointer once. */
Test(golden, questions_outside_their_arrays_are_refused)
{
    static const struct {
        const char *row, *quantity, *inputs, *says;
    } list[] = {
        { "mla", "dw_uv", "h=2 n=2 m=3 at=1,1 k=2", NULL },
        { "mla", "dw_uv", "h=2 n=2 m=3 at=1,2 k=0", "at: index 1 lies outside" },
        { "mla", "dw_uv", "h=2 n=2 m=3 at=2,0 k=0", "at: index 0 lies outside" },
        { "mla", "dw_uv", "h=2 n=2 m=3 at=1,-1 k=0", "at: index 1 lies outside" },
        { "mla", "dw_uv", "h=2 n=2 m=3 at=1,1 k=3", "k=3 lies outside" },
        { "mla", "dw_uv", "h=2 n=2 m=3 l=5 at=1,1 k=4", NULL },
        { "attention", "o", "h=2 n=2 m=3 e=4 at=1,2 k=0", "at: index 1 lies outside" },
        { "softmax", "p", "n=1 m=3 x[]=1,2,3 at=0 k=0", NULL },
        { "softmax", "p", "n=1 m=3 x[]=1,2 at=0 k=0", "x[] must be 3 numbers" },
        { "softmax", "p", "n=1 m=3 x[]=1,2,3,4 at=0 k=0", "x[] must be 3 numbers" },
        { "softmax", "p", "n=1 m=3 x[]=1,2,x at=0 k=0", "x[] must be 3 numbers" },
        { "softmax", "p", "n=1 m=3 x[]=1,2, at=0 k=0", "x[] must be 3 numbers" },
    };
    for (size_t j = 0; j < sizeof list / sizeof *list; j++) {
        struct golden g = { .id = "asked" };
        struct trial t;
        char err[400] = "";
        long k;
        snprintf(g.quantity, sizeof g.quantity, "%s", list[j].quantity);
        snprintf(g.inputs, sizeof g.inputs, "%s", list[j].inputs);
        const int rc = golden_trial(&t, list[j].row, &g, &k, err, sizeof err);
        cr_expect(list[j].says ? rc < 0 && strstr(err, list[j].says) : !rc, "%s: %d %s", list[j].inputs, rc, err);
        trial_close(&t);
    }
}
Test(golden, made_again_they_are_the_same_bytes)
{
    for (int k = 0, n = count_files(); k < n; k++) {
        char err[400] = "", *there = text_of(files[k]), *made = golden_make(files[k], err, sizeof err);
        cr_assert(made != NULL, "%s", err);
        cr_expect_str_eq(made, there, "%s", files[k]);
        cr_expect_eq(golden_intact(there, err, sizeof err), 0, "%s", err);
        free(there), free(made);
    }
}

static void read_out(mpfr_t y, const struct golden *g, bool *exact)
{
    char *end;
    mpfr_strtofr(y, g->out, &end, 16, MPFR_RNDN);
    *exact = *end == '=';
    cr_assert((*end == '=' || *end == '~') && !end[1], "%s: %s", g->id, g->out);
    cr_assert(*exact || mpfr_min_prec(y) == GOLDEN_BITS, "%s: the last bit is not set", g->id);
}

/* Rounding a line of the file is rounding the real number, in every format. */
static int rounds(const struct golden *g, void *with)
{
    struct trial t;
    struct arith none = { 0 };
    long k;
    bool exact;
    char err[400];
    mpfr_t y, z, v;
    mpfr_inits2(GOLDEN_BITS, y, z, (mpfr_ptr)0);
    read_out(y, g, &exact);
    cr_assert_eq(golden_trial(&t, with, g, &k, err, sizeof err), 0, "%s", err);
    const struct quantity *q = row_quantity(t.row, g->quantity);
    struct ask w = { .params = t.params, .call = &t.call, .arith = &none };
    golden_line(&t, g, w.at, &w.len);
    const struct ball **line = calloc((size_t)w.len + 1, sizeof *line);
    for (const struct format *f = formats; f->name; f++) {
        cr_assert_eq(line_eval(&w, q, f, line), YES, "%s", g->id);
        mpfr_init2(v, mpfr_get_prec(line[k]->mid));
        mpfr_set(v, line[k]->mid, MPFR_RNDN);
        mpfr_set(z, y, MPFR_RNDN);
        round_to(v, f);
        round_to(z, f);
        cr_expect(mpfr_equal_p(v, z), "%s: %s rounds to another %s", g->id, g->out, f->name);
        mpfr_clear(v);
    }
    free(line), ask_clear(&w), trial_close(&t);
    mpfr_clears(y, z, (mpfr_ptr)0);
    return 0;
}
Test(golden, every_line_rounds_to_each_format_as_the_reference_does)
{
    for (int k = 0, n = count_files(); k < n; k++) {
        char *there = text_of(files[k]);
        int lines = golden_each(there, rounds, (void *)files[k]);
        cr_expect_geq(lines, LEAST, "%s has %d lines", files[k], lines);
        free(there);
    }
}

/* How many lines are of quantities that some kernel has, and how many of them one answered. */
struct met { const char *row; int asked, told; };
/* Is |got - golden| within the bound of the kernel's own profile? */
static int kernels_meet(const struct golden *g, void *with)
{
    struct met *m = with;
    bool asked = false, told = false; /* A slot may divide the sizes of a question among several kernels. */
    for (const struct slot *o = slots; o->name; o++)
        for (const struct mer_kernel *kernel = o->kernel; o->here() && kernel->row; kernel++) {
            struct trial t;
            struct arith a;
            long k;
            bool exact;
            char err[400], outs[100];
            snprintf(outs, sizeof outs, " %s ", kernel->out);
            char word[40];
            snprintf(word, sizeof word, " %s ", g->quantity);
            if (strcmp(kernel->row, m->row) || strcmp(kernel->type, "f32") || !strstr(outs, word))
                continue;
            cr_assert_eq(golden_trial(&t, m->row, g, &k, err, sizeof err), 0, "%s", err);
            asked = true;
            if (mer_ask(kernel, &t.call) == MER_OK) {
                mpfr_t y;
                mpfr_init2(y, GOLDEN_BITS);
                read_out(y, g, &exact);
                struct ask w = { .params = t.params, .call = &t.call, .arith = &a };
                double got = array_get(&t.out[0], golden_line(&t, g, w.at, &w.len) + k);
                cr_assert_gt(trial_profile(&t, kernel->profile, &a, WIDEN, err, sizeof err), 0, "%s", err);
                const struct ball **line = calloc((size_t)w.len + 1, sizeof *line);
                w.params = t.params; /* The profile may have changed the parameters. */
                ask_reset(&w, 200);
                line_page(&w, row_quantity(t.row, g->quantity), format_named("f32", 3), line);
                mpfr_sub_d(y, y, got, MPFR_RNDA);
                cr_expect(strstr(g->out, "inf") ?
                        mpfr_nan_p(y) && isinf(got) :
                        fabs(mpfr_get_d(y, MPFR_RNDA)) <= b_radius(line[k]) * (1 + 0x1p-40) + 0x1p-140,
                    "%s %s: got %a, golden %s, bound %g", o->name, g->id, got, g->out, b_radius(line[k]));
                told = true;
                free(line), ask_clear(&w), mpfr_clear(y);
            }
            trial_close(&t);
        }
    m->asked += asked, m->told += told;
    return 0;
}
Test(golden, own_kernels_meet_every_line_within_their_own_bound)
{
    for (int k = 0, n = count_files(); k < n; k++) {
        char *there = text_of(files[k]);
        struct met m = { files[k], 0, 0 };
        golden_each(there, kernels_meet, &m);
        cr_expect_gt(m.told, m.asked / 2, "%s: %d of %d questions are offered", files[k], m.told, m.asked);
        free(there);
    }
}

Test(golden, tampering_is_noticed)
{
    char err[400], *s = text_of("rope");
    char *body = strchr(strchr(s, '\n') + 1, '\n') + 1, *digit = strstr(body, "0x") + 6,
         *count = strstr(s, "count ") + 6, *schema = s + 9;
    *digit = *digit == '7' ? '8' : '7';
    cr_expect(golden_intact(s, err, sizeof err) && strstr(err, "digest"), "%s", err);
    free(s), s = text_of("rope");
    count = strstr(s, "count ") + 6;
    *count = *count == '9' ? '8' : (char)(*count + 1);
    cr_expect(golden_intact(s, err, sizeof err) && strstr(err, "count"), "%s", err);
    free(s), s = text_of("rope");
    *(strrchr(s, '\t')) = ' ';
    cr_expect_neq(golden_intact(s, err, sizeof err), 0);
    free(s), s = text_of("rope");
    schema = s + 9;
    *schema = '2';
    cr_expect(golden_intact(s, err, sizeof err) && strstr(err, "schema"), "%s", err);
    free(s), s = text_of("rope");
    strrchr(s, '\n')[0] = 0;
    cr_expect_neq(golden_intact(s, err, sizeof err), 0);
    free(s);
}

static int known_flag(const struct mistake *m, void *with) { return !strcmp(m->id, with); }
static int flagged(const struct golden *g, void *with)
{
    for (const char *s = strcmp(g->flags, "-") ? g->flags : ""; *s; s += strcspn(s, ","), s += *s == ',') {
        char id[48], word[50];
        snprintf(id, sizeof id, "%.*s", (int)strcspn(s, ","), s);
        snprintf(word, sizeof word, " %s ", id);
        cr_expect(strstr(" exact hard reduction ", word) || mistakes_each(with, known_flag, id) == 1,
            "%s: flag %s names no mistake", g->id, id);
    }
    return 0;
}
Test(golden, every_flag_is_a_known_mistake)
{
    for (int k = 0, n = count_files(); k < n; k++) {
        char *there = text_of(files[k]);
        golden_each(there, flagged, (void *)files[k]);
        free(there);
    }
}
