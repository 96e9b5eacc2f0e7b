/* Attention over a quantized cache: which numbers codes have, by tables of their own; blocks by hand; contracts; and
 * what is refused. */
#include "page_line.h"
#include "told.h"
#include "trial/allowed.h"

static const struct code *named(const char *name)
{
    const struct code *c = codes;
    while (c->name && strcmp(c->name, name))
        c++;
    return c;
}
/* The numbers from 0 up of the small codes, as their standards list them. */
Test(quantized, codes_have_the_numbers_of_their_standards)
{
    static const struct { const char *name; int n; double x[16]; } list[] = {
        { "e2m1", 8, { 0, 0.5, 1, 1.5, 2, 3, 4, 6 } },
        { "int4", 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
        { "uint4", 16, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
        { "e2m3", 16, { 0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1, 1.125, 1.25, 1.375, 1.5, 1.625, 1.75,
                          1.875 } },
        { "e3m2", 10, { 0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625 } },
        { "e4m3", 9, { 0, 0x1p-9, 0x1p-8, 0x1.8p-8, 0x1p-7, 0x1.4p-7, 0x1.8p-7, 0x1.cp-7, 0x1p-6 } },
        { "e5m2", 5, { 0, 0x1p-16, 0x1p-15, 0x1.8p-15, 0x1p-14 } },
        { "e8m0", 3, { 0x1p-127, 0x1p-126, 0x1p-125 } },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const struct code *c = named(list[k].name);
        cr_assert(c->name, "%s", list[k].name);
        for (int j = 0; j < list[k].n; j++) {
            const double x = list[k].x[j], next = j + 1 < list[k].n ? list[k].x[j + 1] : x;
            cr_expect_eq(code_nearest(c, x), x, "%s %g", c->name, x);
            cr_expect_eq(code_nearest(c, x + (next - x) * 0.499), x, "%s behind %g", c->name, x);
            cr_expect_eq(code_nearest(c, x + (next - x) * 0.501), next, "%s before %g", c->name, next);
        }
    }
}
/* Between two numbers lies a tie, which goes to the even one; beyond an end stands the end. */
Test(quantized, codes_end_and_break_ties_as_their_standards_say)
{
    static const struct { const char *name; double x, is; } list[] = {
        { "e4m3", 448, 448 }, { "e4m3", 460, 448 }, { "e4m3", -1e9, -448 }, { "e4m3", 17, 16 }, { "e4m3", 19, 20 },
        { "e4m3", 0x1p-10, 0 }, { "e4m3", 0x1.8p-9, 0x1p-8 }, { "e5m2", 60000, 57344 }, { "e5m2", 9, 8 },
        { "e5m2", 11, 12 }, { "e5m2", (double)INFINITY, 57344 }, { "e2m1", 5, 4 }, { "e2m1", 7, 6 },
        { "e2m1", -0.25, 0 }, { "e2m3", 7.5, 7.5 }, { "e2m3", 8, 7.5 }, { "e3m2", 28, 28 }, { "e3m2", 30, 28 },
        { "int8", 127.4, 127 }, { "int8", 200, 127 }, { "int8", -127.5, -128 }, { "int8", -300, -128 },
        { "int8", 2.5, 2 }, { "int8", 3.5, 4 }, { "int4", -8, -8 }, { "int4", -9, -8 }, { "int4", 7.6, 7 },
        { "uint8", -1, 0 }, { "uint8", 254.5, 254 }, { "uint8", 256, 255 }, { "uint4", 99, 15 },
        { "e8m0", 0, 0x1p-127 }, { "e8m0", 3, 4 }, { "e8m0", 0x1p200, 0x1p127 }, { "e8m0", 1.4, 1 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        cr_expect_eq(code_nearest(named(list[k].name), list[k].x), list[k].is, "%s %g: %g, not %g", list[k].name,
            list[k].x, code_nearest(named(list[k].name), list[k].x), list[k].is);
    cr_expect(isnan(code_nearest(named("int8"), (double)NAN)));
}
/* The table and the list of its names are one. */
Test(quantized, every_code_has_its_place_among_the_names)
{
    int k = 0;
    for (const char *s = CODE_NAMES; *s; s += strcspn(s, " "), s += *s != 0, k++)
        cr_expect(codes[k].name && !strncmp(codes[k].name, s, strlen(codes[k].name)) &&
            strlen(codes[k].name) == strcspn(s, " "), "%s", s);
    cr_expect(!codes[k].name);
}
/* A code that is a format of steps, too, has the same numbers in both: the format rounds to what the code is. */
Test(quantized, a_code_that_is_a_format_has_its_numbers)
{
    int both = 0;
    for (const struct code *c = codes; c->name; c++) {
        const struct format *f = format_named(c->name, strlen(c->name));
        if (!f)
            continue;
        both++;
        cr_expect(c->p == f->p && c->emin == f->emin && c->most == -c->least, "%s", c->name);
        cr_expect_eq(c->most, ldexp(1 - ldexp(1 + f->gone, -f->p), (int)f->emax + 1), "%s: %g", c->name, c->most);
    }
    cr_expect_eq(both, 2);
    int k = 0;
    for (const char *s = FORMAT_NAMES; *s; s += strcspn(s, " "), s += *s != 0, k++)
        cr_expect(formats[k].name && strlen(formats[k].name) == strcspn(s, " ") &&
            !strncmp(formats[k].name, s, strcspn(s, " ")), "%s", s);
    cr_expect(k == FORMATS && !formats[k].name);
}

/* Key 1 + j + c / 8 of token j and channel c, under scales 2^(8 r + a): the block is read off the answer. */
static void read_blocks(const char *params, long m, long d, long rows, long columns, long tokens, long width)
{
    struct page_line x;
    char sizes[80];
    snprintf(sizes, sizeof sizes, "h=1 m=%ld d=%ld r=%ld a=%ld", m, d, rows, columns);
    line_open(&x, &(struct trial_spec){ "quantized", params, "key", MER_F64, sizes, 5 }, "", EXACT);
    for (long k = 0; k < m * d; k++)
        array_put(trial_in(&x.t, "k"), k, 1);
    for (long k = 0; k < rows * columns; k++)
        array_put(trial_in(&x.t, "k_scale"), k, ldexp(1, (int)(8 * (k / columns) + k % columns)));
    for (long j = 0; j < m; j++) {
        x.w.at[1] = j;
        line_ask(&x);
        for (long c = 0; c < d; c++) {
            const long row = j / tokens < rows ? j / tokens : rows - 1,
                       column = c / width < columns ? c / width : columns - 1;
            cr_expect_eq(b_value(x.y[c]), ldexp(1, (int)(8 * row + column)), "%s, token %ld, channel %ld: %g", params,
                j, c, b_value(x.y[c]));
        }
    }
    line_close(&x);
}
Test(quantized, blocks_are_counted_from_the_first_and_the_last_goes_on)
{
    read_blocks("k_tokens=1 k_width=2", 4, 5, 4, 3, 1, 2);
    read_blocks("k_tokens=3 k_width=1", 7, 3, 3, 3, 3, 1);
    read_blocks("k_tokens=2 k_width=4", 6, 6, 1, 1, 2, 4);
    read_blocks("k_tokens=2 k_width=2", 7, 7, 2, 2, 2, 2);
}

/* Made-up inputs hold numbers of their code alone, in any way to fill, and many of them. */
Test(quantized, made_up_numbers_are_of_their_code)
{
    static const char *const ways[] = { "uniform", "normal", "small", "heavy", "probe" };
    char why[400];
    for (const struct preset *p = row_named("quantized")->presets; p->name; p++)
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            struct trial t;
            char sizes[60];
            int other = 0, coded = 0;
            snprintf(sizes, sizeof sizes, "g=2 h=2 m=9 d=8 e=8 %s k_zero", ways[way]);
            cr_assert_eq(trial_make(&t, &(struct trial_spec){ "quantized", p->text, "o", MER_F32, sizes, 3 }, why,
                sizeof why), 0, "%s", why);
            for (int k = 0; k < t.call.n_in; k++) {
                const struct code *c = allowed_code(&t, t.in[k].name);
                for (long i = 0; c && i < array_len(&t.in[k]); i++, coded++) {
                    const double y = array_get(&t.in[k], i);
                    cr_expect_eq(code_nearest(c, y), y, "%s %s: %s[%ld] %g", p->name, ways[way], t.in[k].name, i, y);
                    other += fabs(y) > 1;
                }
                cr_expect_eq(allowed(&t, &t.in[k], "", why, sizeof why), 0, "%s", why);
            }
            cr_expect(coded >= 288 && other > 20, "%s %s: %d of %d", p->name, ways[way], other, coded);
            trial_close(&t);
        }
}

/* A contract rounds where K is made: the zero first, or last. */
Test(quantized, a_contract_rounds_keys_as_they_are_unpacked)
{
    static const struct { const char *params, *words; double key; } list[] = {
        { "k_code=uint8", "", (201 - 0x1p-9) * 1.0009765625 },
        { "k_code=uint8", "zeroing=bf16", 201 * 1.0009765625 },
        { "k_code=uint8", "unpack=bf16", 201 },
        { "k_code=uint8 zero=after", "", 201 * 1.0009765625 + 0x1p-9 },
        { "k_code=uint8 zero=after", "unpack=bf16", 201 + 0x1p-9 },
        { "k_code=uint8 zero=after", "zeroing=bf16", 201 },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct page_line x;
        line_open(&x, &(struct trial_spec){ "quantized", list[k].params, "key", MER_F64,
            "h=1 m=1 d=1 r=1 a=1 k_zero", 5 }, list[k].words, ROUND);
        array_put(trial_in(&x.t, "k"), 0, 201), array_put(trial_in(&x.t, "k_scale"), 0, 1.0009765625);
        array_put(trial_in(&x.t, "k_zero"), 0, 0x1p-9);
        line_ask(&x);
        cr_expect_eq(b_value(x.y[0]), list[k].key, "%s, %s: %.17g, not %.17g", list[k].params, list[k].words,
            b_value(x.y[0]), list[k].key);
        line_close(&x);
    }
}

Test(quantized, numbers_of_no_code_are_refused_in_one_line)
{
#define ONE "eval quantized key --sizes \"h=1 m=1 d=2 r=1 a=1\" "
    static const struct refused bad[] = {
        { ONE "--in k=0.3,1", "'k' element 0 is 0.3, no number of e4m3; the nearest is 0.3125" },
        { ONE "--in k=1,500", "'k' element 1 is 500, no number of e4m3; the nearest is 448" },
        { ONE "--k_code int4 --in k=-9,0", "'k' element 0 is -9, no number of int4; the nearest is -8" },
        { ONE "--scales e8m0 --in k_scale=3", "'k_scale' element 0 is 3, no number of e8m0; the nearest is 4" },
        { "eval quantized key --k_tokens 0", "k_tokens" },
        { "eval quantized key --k_width 0", "k_width" },
        { "eval quantized key --k_code e4m4", "k_code" },
        { "eval quantized o --cap -1", "cap: must not be below 0" },
        { "eval quantized o --scale -1", "scale: must not be below 0" },
    };
    are_refused(bad, sizeof bad / sizeof *bad);
    cr_expect_eq(meridian("", ONE "--k_code any --in k=0.3,1"), 0, "%s", err);
    cr_expect_eq(meridian("", ONE "--in k=nan,1"), 0, "%s", err);
}
