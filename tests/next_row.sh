#!/bin/sh
# The price of a row: new files only.  In a copy of the tree a scratch row is added, seen by rooms, list, check and laws, and goes again.
set -eu
unset MAKEFLAGS MAKELEVEL
here=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap "rm -rf $copy" EXIT
cp -a "$here/." "$copy/"
cd "$copy"
cat >ref/scratch.c <<'C'
/* Scratch row: y = x gain, element by element. */
#include "row/row.h"
struct scratch { mpq_t gain; };
enum { PRODUCT };
static void scaled(struct ask *w, const struct ball **y)
{
    const struct scratch *p = w->params;
    for (long k = 0; k < w->len; k++)
        y[k] = b_step(w, PRODUCT, b_mul(w, b_in(w, "x", w->at[0], k, 0), b_q(w, p->gain)));
}
static const struct param params[] = { { "gain", "1.5", "the factor", RATIONAL, offsetof(struct scratch, gain) }, { 0 } };
static const struct preset presets[] = { { "paper", "", "nowhere" }, { 0 } }, contracts[] = { { "f32", "product=f32", "one product" }, { 0 } };
const struct row row_scratch = { .name = "scratch", .title = "scratch row", .cite = "nobody", .steps = { "product" }, .params = params, .size = sizeof(struct scratch),
    .presets = presets, .contracts = contracts, .q = { { "x[n,d] -> y[n|d]", scaled } } };
C
cat >fast/scratch.c <<'C'
/* Scratch kernel.  v0 one product an element */
#include "meridian.h"
static int run(const struct mer_call *c)
{
    const struct mer_array *x = mer_in(c, "x");
    float gain = (float)mer_real(c, "gain");
    for (int64_t i = 0; i < x->dim[0] * x->dim[1]; i++)
        ((float *)mer_out(c, "y")->data)[i] = ((const float *)x->data)[i] * gain;
    return MER_OK;
}
const struct mer_kernel scratch_scalar[] = { { "scratch", "y", "f32", "product=f32", 1, run }, { 0 } };
C
cat >proofs/scratch.c <<'C'
/* Laws of scratch. */
#include "law.h"
static const struct arith exact = { 0 };
static enum truth linear(const struct row *r, const char *params, uint64_t seed)
{
    const struct ball *y[2];
    double x[2] = { 3, (double)seed };
    struct ask w = { .arith = &exact };
    struct given in = { "x", x, 2, { 1, 2, 0 } };
    ask_reset(&w, 128);
    law_line(&w, r, "y", params, &in, 1, NULL, 2, y);
    enum truth v = b_value(y[0]) == 4.5 ? YES : NO;
    ask_clear(&w);
    return v;
}
const struct law scratch_laws[] = { { "three times the gain is 4.5", "gain=1.5", linear, "gain=2" }, { 0 } };
C
printf '# id\twhere\tchange\teffect\tcite\ngain\t-\tgain=2\tthe factor is 2\tnobody\n' >data/mistakes/scratch.tsv
make -s all >/dev/null
# $1: pattern; stdin is read to its end, so that who writes it never meets a closed pipe
shows() { [ "$(grep -c -e "$1")" -gt 0 ]; }
make -s rooms | shows '^scratch ' || { echo "rooms does not show the scratch row"; exit 1; }
build/meridian list | shows '^scratch ' || { echo "list does not show it"; exit 1; }
[ "$(build/meridian check quick --row scratch --verbose | grep -c ' scratch')" -gt 1 ] || { echo "check does not judge it"; exit 1; }
build/meridian judge own:scalar --row scratch | shows '^PASS' || { echo "judge does not pass it"; exit 1; }
build/meridian eval scratch y --x 3 --k 0 | shows ' = 4.5' || { echo "eval does not know it"; exit 1; }
rm ref/scratch.c data/mistakes/scratch.tsv
if make -s rooms >/dev/null 2>&1; then echo "rooms does not see a hole"; exit 1; fi
rm fast/scratch.c proofs/scratch.c
make -s all >/dev/null
! build/meridian list | shows '^scratch ' || { echo "the row does not go again"; exit 1; }
make -s rooms >/dev/null
echo "next row: appears in rooms, list, check, judge and eval with new files only, and goes again"
