/* What one rounding does to a ball, in a profile and in a contract (ref/core/ball/round.c), against a second evaluation
 * in 400 bits: the formula of its bound, and MPFR's own roundings of a format with subnormals. */
#include "ball/adverse.h"
#include "ball/trace.h"
#include "formula.h"

/* Puts into y what a profile adds to the radius of x for one rounding by r; `top`: the magnitude that is rounded. */
static void one_rounding(mpfr_ptr y, const struct arith *a, const struct rounding *r, mpfr_srcptr top)
{
    mpfr_t flushed;
    once(y, r, top);
    if (!a->ftz)
        return;
    /* The result, which lies below 2^emin, is what becomes 0: the value may be above by what the rounding is off. */
    mpfr_init2(flushed, BITS);
    power(flushed, r->f->emin);
    r->ulps > 2 ? plus(flushed, y) : plus_power(flushed, r->absolute, 0);
    mpfr_max(y, y, flushed, MPFR_RNDU);
    mpfr_clear(flushed);
}

static void top_of(mpfr_ptr y, const struct ball *x)
{
    mpfr_abs(y, x->mid, MPFR_RNDU);
    mpfr_set_zero(y, 1), plus(y, x->mid), mpfr_abs(y, y, MPFR_RNDU), plus_up(y, x->rad);
}

/* Is x an exact number that the format holds? */
static bool held(const struct ball *x, const struct format *f)
{
    mpfr_t y;
    mpfr_init2(y, BITS);
    mpfr_set(y, x->mid, MPFR_RNDN);
    const bool same = x->rad.m == 0 && (mpfr_inf_p(y) ? !f->saturates : round_to(y, f) == 0) &&
        mpfr_equal_p(y, x->mid);
    return mpfr_clear(y), same;
}

/* Expects y to be x, of the same number, and a radius larger by one rounding by r, unless it stays. */
static void widened(const char *what, int k, const struct arith *a, const struct rounding *r, const struct ball *x,
    struct up before, const struct ball *y)
{
    mpfr_t top, most;
    const bool stays = r->ulps <= 1 && r->absolute == 0 && !a->ftz && held(x, r->f);
    if (mpfr_nan_p(x->mid)) {
        cr_assert(mpfr_nan_p(y->mid) && y->rad.m == 0, "%s, case %d: a number of none", what, k);
        return;
    }
    cr_assert(mpfr_equal_p(x->mid, y->mid) && y->n == x->n && y->mag.m == x->mag.m && y->mag.e == x->mag.e,
        "%s, case %d: another number", what, k);
    cr_assert(b_is(y) == r->f && (y->id == 0 || stays), "%s, case %d: its format or its name", what, k);
    mpfr_inits2(BITS, top, most, (mpfr_ptr)0);
    mpfr_set_zero(most, 1), mpfr_set_zero(top, 1);
    struct ball old = *x;
    old.rad = before;
    top_of(top, &old);
    if (!stays)
        one_rounding(most, a, r, top);
    plus_up(most, before);
    raise_by(top, top, 0x1p-50); /* The magnitude is bounded by a double, which may say the next binade. */
    mpfr_t higher;
    mpfr_init2(higher, BITS), mpfr_set_zero(higher, 1);
    if (!stays)
        one_rounding(higher, a, r, top);
    plus_up(higher, before);
    between(what, k, y->rad, most, higher);
    mpfr_clears(top, most, higher, (mpfr_ptr)0);
}

Test(roundings, of_every_rounding_are_their_formula)
{
    for (int k = 0; k < 20000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        a.at[0] = any_rounding();
        ask_reset(&w, 64 + draw(100));
        struct ball *x = any_ball(&w, a.at[0].f);
        const struct rounding *r = &a.at[0], fitting = { .f = r->f, .ulps = 1 };
        const struct up before = x->rad;
        widened("a step", k, &a, r, x, before, b_step(&w, 0, x));
        widened("a constant", k, &a, r, x, before, b_held(&w, 0, x));
        if (mpfr_number_p(x->mid) && !(b_is(x) && inside(r->f, b_is(x))))
            widened("a store", k, &a, &fitting, x, before, b_store(&w, r->f, x));
        else
            cr_assert(b_store(&w, r->f, x) == x, "case %d: what the output holds is stored as it is", k);
        struct ball old = *x; /* The number that it was, whose midpoint stays where it is. */
        const struct ball *own = b_step_own(&w, 0, x);
        cr_assert(own == x, "in its place");
        widened("a step in its place", k, &a, r, &old, before, own);
        ask_clear(&w);
    }
}

/* What pages ask about a step: its relative error, its absolute error, its format, and twice its least normal number;
 * and nothing of a step that does not round or of an arithmetic that is no profile. */
Test(roundings, of_a_step_are_what_its_word_says)
{
    mpfr_t top, want, more;
    mpfr_inits2(BITS, top, want, more, (mpfr_ptr)0);
    for (int k = 0; k < 3000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[3] = any_rounding();
        const struct up at = { 0.5 + ldexp((double)draw(1L << 52), -53), binade(r.f) };
        between(
            "half-ulps", k, b_unit(&w, 3), mpfr_set_d(want, r.ulps * ldexp(1, -r.f->p), MPFR_RNDU) ? want : want, want);
        cr_assert(up_double(b_absolute(&w, 3)) == r.absolute && b_format(&w, 3) == r.f);
        between("the smallest", k, b_smallest(&w, 3), power(want, r.f->emin + 1), want);
        up_get(top, at), one_rounding(want, &a, &r, top);
        between("one rounding", k, b_rounding(&w, 3, at), want, want);
        cr_assert(b_rounds(&w, 3, 3) && b_rounds(&w, 0, 3) && b_rounds(&w, 3, 9) && !b_rounds(&w, 0, 2) &&
            !b_rounds(&w, 4, 9));
        for (int how = EXACT; how <= WIDEN; how++) {
            const int s = how == WIDEN ? 2 : 3; /* Step 2 does not round. */
            a.how = (enum how)how;
            cr_assert(b_unit(&w, s).m == 0 && b_absolute(&w, s).m == 0 && b_smallest(&w, s).m == 0 &&
                !b_format(&w, s) && b_rounding(&w, s, at).m == 0 && b_rounds(&w, 0, 9) == (how != EXACT));
        }
    }
    mpfr_clears(top, want, more, (mpfr_ptr)0);
}

/* The ends of x as a contract sees them: at the precision of the ask, rounded outward, then each to the format. */
static bool ends(mpfr_ptr lo, mpfr_ptr hi, const struct ball *x, mpfr_prec_t prec, const struct format *f)
{
    mpfr_t r;
    mpfr_init2(r, 64), up_get(r, x->rad);
    mpfr_set_prec(lo, prec), mpfr_set_prec(hi, prec);
    mpfr_sub(lo, x->mid, r, MPFR_RNDD), mpfr_add(hi, x->mid, r, MPFR_RNDU);
    round_to(lo, f), round_to(hi, f);
    return mpfr_clear(r), mpfr_equal_p(lo, hi) != 0;
}

/* Expects y to be what a contract makes of x: its rounding, or the hull of the roundings of both its ends. */
static void contracted(int k, struct ask *w, const struct format *f, const struct ball *x, const struct ball *y)
{
    mpfr_t lo, hi, got;
    if (mpfr_nan_p(x->mid)) {
        cr_assert(mpfr_nan_p(y->mid) && y->rad.m == 0 && !w->undecided, "case %d: a number of none", k);
        return;
    }
    const mpfr_prec_t prec = mpfr_get_prec(x->mid) > w->prec ? mpfr_get_prec(x->mid) : w->prec;
    mpfr_init2(lo, prec), mpfr_init2(hi, prec), mpfr_init2(got, 64);
    const bool agree = ends(lo, hi, x, prec, f);
    cr_assert_eq(w->undecided, !agree, "case %d", k);
    if (mpfr_nan_p(lo))
        cr_assert(isinf(y->rad.m) && mpfr_zero_p(y->mid) && isinf(y->mag.m), "case %d: not the whole line", k);
    else {
        mpfr_sub(hi, hi, lo, MPFR_RNDU), up_get(got, y->rad);
        cr_assert(mpfr_equal_p(y->mid, lo) && b_is(y) == f, "case %d: the lower end", k);
        cr_assert(agree ? y->rad.m == 0 : !mpfr_number_p(hi) ? isinf(y->rad.m) : mpfr_cmp(got, hi) >= 0, "case %d", k);
        cr_assert(agree || !mpfr_number_p(hi) || (mpfr_mul_d(hi, hi, 1 + loose, MPFR_RNDU), mpfr_cmp(got, hi) <= 0));
        cr_assert(up_of(lo).m == y->mag.m && up_of(lo).e == y->mag.e, "case %d: its size", k);
    }
    mpfr_clears(lo, hi, got, (mpfr_ptr)0);
}

Test(roundings, of_a_contract_are_the_roundings_of_both_ends)
{
    for (int k = 0; k < 10000; k++) {
        struct arith a = { .how = ROUND, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        a.at[0] = any_rounding();
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, a.at[0].f);
        contracted(k, &w, a.at[0].f, x, b_step(&w, 0, x)), w.undecided = false;
        contracted(k, &w, a.at[0].f, x, b_step_own(&w, 0, x)), w.undecided = false;
        contracted(k, &w, a.at[0].f, x, b_stored(&w, &a.at[0], x)), w.undecided = false;
        if (mpfr_number_p(x->mid) && !(b_is(x) && inside(a.at[0].f, b_is(x))))
            contracted(k, &w, a.at[0].f, x, b_store(&w, a.at[0].f, x));
        a.how = EXACT;
        cr_assert(b_step(&w, 0, x) == x && b_step_own(&w, 0, x) == x && b_store(&w, a.at[0].f, x) == x);
        ask_clear(&w);
    }
}

/* An adverse arithmetic rounds at every step, the first one too, but not where an input or an output is stored. */
Test(roundings, of_an_adverse_arithmetic_are_its_own_roundings)
{
    for (int k = 0; k < 3000; k++) {
        struct adverse adverse = { .way = { UPWARD, DOWNWARD } };
        struct arith a = { .how = ROUND, .adverse = &adverse };
        struct ask w = { .arith = &a };
        const struct format *f = any_format();
        if (f->p < 8)
            continue; /* x would have to lie farther from a power of two. */
        a.at[0] = a.at[1] = (struct rounding){ .f = f, .ulps = 2 };
        ask_reset(&w, 200);
        struct ball *x = (struct ball *)b_si(&w, (1L << 60) + (1L << 55) + 2 * draw(1L << 58) + 1);
        mpfr_t want;
        mpfr_init2(want, 200);
        mpfr_mul_2si(x->mid, x->mid, draw(9) - 64, MPFR_RNDN); /* Of more bits than any format, and no power of two. */
        for (int s = 0; s < 2; s++) {
            const struct ball *y = b_step(&w, s, x);
            mpfr_set_prec(want, 200), mpfr_set(want, x->mid, MPFR_RNDN);
            mpfr_prec_round(want, f->p, s ? MPFR_RNDD : MPFR_RNDU);
            cr_assert(mpfr_equal_p(y->mid, want), "step %d, case %d", s, k);
        }
        mpfr_set_prec(want, 200), mpfr_set(want, x->mid, MPFR_RNDN), round_to(want, f);
        cr_assert(mpfr_equal_p(b_store(&w, f, x)->mid, want) && mpfr_equal_p(b_stored(&w, &a.at[0], x)->mid, want),
            "case %d: the store", k);
        mpfr_clear(want), ask_clear(&w);
    }
}

/* An input stored in a format: nothing is lost where it is a number of that format already, an exact number beyond the
 * largest one becomes an infinity, and all else is widened by one rounding. */
Test(roundings, of_what_is_stored_are_those_of_one_rounding)
{
    const struct adverse adverse = { .way = { UPWARD, UPWARD, UPWARD } };
    for (int k = 0; k < 10000; k++) {
        /* A profile does not choose as an adverse arithmetic does, and a store is no step. */
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0, .adverse = &adverse };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[0] = a.at[1] = a.at[2] = any_rounding();
        const bool nearest = r.ulps <= 1 && r.absolute == 0;
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, r.f), *y = b_stored(&w, &r, x);
        mpfr_t end;
        mpfr_init2(end, 200);
        mpfr_set(end, x->mid, MPFR_RNDN), round_to(end, r.f);
        if (nearest && !a.ftz && b_is(x) == r.f)
            cr_assert(y == x, "case %d", k);
        else if (nearest && x->rad.m == 0 && mpfr_inf_p(end)) /* A NaN is none. */
            cr_assert(mpfr_equal_p(y->mid, end) && y->rad.m == 0, "case %d: an overflow", k);
        else
            widened("stored", k, &a, &r, x, x->rad, y);
        mpfr_clear(end);
        ask_clear(&w);
    }
}

/* Does every number of x round to one value?  No may be said too often only where the ends, at the precision of x, lie
 * beyond a boundary. */
Test(roundings, say_whether_a_rounding_is_known)
{
    mpfr_t lo, hi;
    mpfr_inits2(BITS, lo, hi, (mpfr_ptr)0);
    long known = 0, unknown = 0;
    for (int k = 0; k < 20000; k++) {
        struct arith a = { .how = ROUND };
        struct ask w = { .arith = &a };
        const struct format *f = any_format();
        ask_reset(&w, 64 + draw(100));
        const struct ball *x = any_ball(&w, f);
        const bool says = rounds_known(x, f), all = ends(lo, hi, x, 3000, f),
                   near = ends(lo, hi, x, mpfr_get_prec(x->mid), f);
        if (!mpfr_number_p(x->mid))
            cr_assert(says, "an infinity is one");
        else
            cr_assert(isinf(x->rad.m) ? !says : says ? all : !near, "%s, case %d", f->name, k);
        known += says && x->rad.m > 0, unknown += !says;
        ask_clear(&w);
    }
    cr_assert(known > 2000 && unknown > 2000, "%ld %ld", known, unknown);
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

/* x times a power of two: a number of the format only loses what underflows, or all where it overflows; any other is
 * rounded as a step. */
Test(roundings, of_a_factor_that_is_a_power_of_two_are_those_of_underflow)
{
    mpfr_t most, zero;
    mpfr_inits2(BITS, most, zero, (mpfr_ptr)0);
    mpfr_set_zero(zero, 1);
    for (int k = 0; k < 10000; k++) {
        struct arith a = { .how = WIDEN, .ftz = draw(3) == 0 };
        struct ask w = { .arith = &a };
        const struct rounding r = a.at[0] = any_rounding();
        ask_reset(&w, 200);
        const struct ball *x = any_ball(&w, r.f);
        struct ball *by = (struct ball *)b_si(&w, draw(3) ? 1 : -1 - draw(9));
        mpfr_mul_2si(by->mid, by->mid, draw(7) - 3, MPFR_RNDN);
        by->rad = draw(8) ? by->rad : up_d(0x1p-60);
        struct ball plain = *b_mul(&w, x, by);
        const struct ball *y = b_scaled(&w, 0, x, by);
        const bool exact = by->rad.m == 0 && mpfr_min_prec(by->mid) == 1 && r.ulps <= 1 && r.absolute == 0 && b_is(x) &&
            inside(r.f, b_is(x)) && mpfr_number_p(x->mid);
        if (!exact || !isfinite(x->rad.m)) {
            if (mpfr_number_p(x->mid) || mpfr_nan_p(x->mid))
                widened("a factor", k, &a, &r, &plain, plain.rad, y);
        } else {
            top_of(most, &plain);
            mpfr_mul_d(most, most, 1 + 0x1p-50, MPFR_RNDU);
            const bool over = beyond(r.f, most);
            one_rounding(most, &a, &r, zero);
            if (mpfr_cmpabs_ui(by->mid, 1) >= 0 && !a.ftz)
                mpfr_set_zero(most, 1);
            plus_up(most, plain.rad);
            if (over)
                cr_assert(isinf(y->rad.m), "case %d: an overflow", k);
            else
                between("a power of two", k, y->rad, most, most);
            cr_assert(b_is(y) == r.f && y->id == 0);
        }
        ask_clear(&w);
    }
    mpfr_clears(most, zero, (mpfr_ptr)0);
}

/* A function that is off by up to 32 units answers a number just below 2^emin, and that is flushed to 0: the value
 * itself lay above 2^emin. */
Test(roundings, hold_a_value_whose_result_is_flushed)
{
    for (const struct format *f = formats; f->name; f++)
        for (int by = 1; by < 32; by++) {
            struct arith a = { .how = WIDEN, .ftz = true, .at = { { .f = f, .ulps = 64 } } };
            struct ask w = { .arith = &a };
            ask_reset(&w, 200);
            struct ball *x = (struct ball *)b_si(&w, (1L << (f->p - 1)) + by);
            mpfr_mul_2si(x->mid, x->mid, f->emin - f->p + 1, MPFR_RNDN);
            cr_assert(!up_less(b_step(&w, 0, x)->rad, up_of(x->mid)), "%s, %d units above", f->name, by);
            /* An adverse arithmetic finds that result. */
            a.adverse = &(struct adverse){ .way = { TOWARD_ZERO }, .flush = true };
            adverse_round(&a, 0, x->mid);
            cr_assert(mpfr_zero_p(x->mid), "%s, %d units above is not flushed", f->name, by);
            ask_clear(&w);
        }
}

/* Rounding to a format, against MPFR's own arithmetic of a format with subnormals, and against the machine's. */
Test(roundings, of_formats_are_those_of_ieee_754)
{
    mpfr_t x, y, want;
    mpfr_inits2(300, x, y, want, (mpfr_ptr)0);
    const mpfr_exp_t least = mpfr_get_emin(), most = mpfr_get_emax();
    for (int k = 0; k < 20000; k++) {
        const struct format *f = any_format();
        const int few = draw(2) ? 1 : 0;
        mpfr_set_d(x, few ? (double)(1 + draw(1L << (f->p + 2))) : real(0), MPFR_RNDN); /* Few bits: ties. */
        mpfr_set_exp(x, binade(f) + (draw(9) ? 0 : 2));
        if (draw(9) == 0)
            mpfr_set_ui_2exp(x, 1, f->emax + 1, MPFR_RNDN), mpfr_sub_d(x, x, 0, MPFR_RNDN),
                mpfr_set_ui_2exp(y, 1 + 2 * (unsigned long)draw(2), f->emax - f->p - draw(2), MPFR_RNDN),
                mpfr_sub(x, x, y, MPFR_RNDN);
        if (draw(2))
            mpfr_neg(x, x, MPFR_RNDN);
        mpfr_set(y, x, MPFR_RNDN);
        const int inexact = round_to(y, f);
        mpfr_set_prec(want, f->p);
        mpfr_set_emin(f->emin - f->p + 2), mpfr_set_emax(f->emax + 1);
        const int ieee =
            mpfr_subnormalize(want, mpfr_check_range(want, mpfr_set(want, x, MPFR_RNDN), MPFR_RNDN), MPFR_RNDN);
        mpfr_set_emin(least), mpfr_set_emax(most);
        if (f->saturates) { /* Only arrays have infinities: what is beyond the end stays there. */
            const double end = ldexp(2 - ldexp(1 + f->gone, 1 - f->p), (int)f->emax), is = mpfr_get_d(want, MPFR_RNDN);
            const int far = fabs(is) > end ? is > 0 ? 1 : -1 : 0;
            mpfr_set_d(want, far ? far * end : is, MPFR_RNDN);
            cr_assert(mpfr_equal_p(y, want) && (!far || (inexact > 0) == (far < 0)), "%s, case %d", f->name, k);
            continue;
        }
        cr_assert(mpfr_equal_p(y, want) && mpfr_signbit(y) == mpfr_signbit(x), "%s, case %d", f->name, k);
        cr_assert((inexact > 0) - (inexact < 0) == (ieee > 0) - (ieee < 0), "%s, case %d: %d", f->name, k, inexact);
        cr_assert(f->p != 53 || mpfr_get_d(x, MPFR_RNDN) == mpfr_get_d(y, MPFR_RNDN));
        cr_assert(f->p != 24 || (double)mpfr_get_flt(x, MPFR_RNDN) == mpfr_get_d(y, MPFR_RNDN));
    }
    for (int k = 0; k < 3; k++) {
        k == 0 ? mpfr_set_zero(x, -1) : k == 1 ? mpfr_set_inf(x, -1) : mpfr_set_nan(x);
        mpfr_set(y, x, MPFR_RNDN);
        cr_assert(round_to(y, &formats[k]) == 0 && (k == 2 ? mpfr_nan_p(y) : mpfr_equal_p(x, y)) &&
                mpfr_signbit(x) == mpfr_signbit(y),
            "what is no number, or 0, stays");
    }
    mpfr_clears(x, y, want, (mpfr_ptr)0);
}

/* A rounding notes the word that it read, as that of a number or of a sum, and no other word. */
Test(roundings, note_the_word_that_they_read)
{
    struct arith a = { .at = {
                           { .f = &formats[1], .ulps = 1, .word = 5 }, { .f = &formats[1], .ulps = 1, .word = 9 } } };
    struct ask w = { .arith = &a };
    for (int what = 0; what < 8; what++)
        for (int how = ROUND; how <= WIDEN; how++) {
            struct trace trace = { .rounded = false };
            a.how = (enum how)how, w.trace = &trace;
            ask_reset(&w, 100);
            const struct ball *x = b_ratio(&w, 1, 3), *t[] = { x, x };
            struct summand s[] = { { 1, { 0, 0 }, NULL }, { 1, { 0, 0 }, NULL } };
            switch (what) {
            case 0: b_step(&w, 1, x); break;
            case 1: b_held(&w, 1, x); break;
            case 2: b_step_own(&w, 1, x); break;
            case 3: b_scaled(&w, 1, x, x); break;
            case 4: b_unit(&w, 1), b_absolute(&w, 1); break;
            case 5: b_rounding(&w, 1, up_d(1)), b_smallest(&w, 1); break;
            case 6: b_sum(&w, 1, t, 2); break;
            default: sum_error(&w, 1, s, 2, false);
            }
            const bool sum = what >= 6, none = what == 7 && how == ROUND;
            for (int k = 0; k < TRACE_TEXT; k++)
                cr_assert(
                    trace.summed[k] == (sum && !none && k == 8) && (trace.used[k] == (!sum && k == 8) || what == 6),
                    "what %d, how %d, word %d", what, how, k);
        }
    ask_clear(&w);
}

/* On the exact path a number has a name, which a rounding takes from it. */
Test(roundings, take_the_name_of_a_number)
{
    struct arith a = { .how = WIDEN, .at = { { .f = &formats[1], .ulps = 1 } } };
    struct ask w = { .arith = &a, .exact = true };
    ask_reset(&w, 100);
    struct ball *x = (struct ball *)b_ratio(&w, 1, 3);
    cr_assert(x->id);
    b_becomes(x, &formats[1]);
    for (int k = -2; k < 3; k++)
        cr_assert(b_scaled(&w, 0, x, k < 0 ? b_ratio(&w, 1, 1 << -k) : b_si(&w, 1 << k))->id == 0, "times 2^%d", k);
    cr_assert(b_step(&w, 0, x)->id == 0 && b_step_own(&w, 0, x)->id == 0);
    ask_clear(&w);
}
