/* Weights that reverse a word, and the word's trial; see reverse.h. */
#include "lab/exact/reverse.h"
#include <ctype.h>
#include <stdio.h>

extern const struct mer_kernel seq2seq_scalar[];
enum { PLACES = REVERSE_MOST + 1, V = REVERSE_LETTERS, READ = PLACES, SAY = PLACES + V, UNITS = PLACES + 2 * V };
/* gain: tanh(4) = 0.9993 keeps a unit at nearly 1 from step to step.  emphasis: the logit of the symbol to be
 * written. */
static const double gain = 4, emphasis = 12;
static const char params[] = "vocab=27 start=0 attention=dot scale=12";

static void set(struct trial *t, const char *name, long i, long j, double x)
{
    struct mer_array *a = trial_in(t, name);
    array_put(a, i * a->dim[1] + j, x);
}

void reverse_weights(struct trial *t)
{
    set(t, "wx", 0, 0, gain);
    for (long p = 1; p < PLACES; p++)
        set(t, "wh", p, p - 1, gain), set(t, "ws", p - 1, p, gain);
    for (long v = 0; v < V; v++) {
        set(t, "wx", READ + v, v, gain), set(t, "wc", SAY + v, READ + v, gain);
        set(t, "wo", v, SAY + v, emphasis), set(t, "emb", v, v, 1);
    }
}

int reverse_word(const char *word, char *err, size_t n)
{
    const long length = (long)strlen(word);
    for (long k = 0; k < length; k++)
        if (word[k] < 'a' || word[k] > 'z')
            return snprintf(err, n,
                       isprint((unsigned char)word[k]) ? "letter %ld is '%c', allowed a to z" :
                                                         "letter %ld is byte 0x%02x, allowed a to z",
                       k + 1, isprint((unsigned char)word[k]) ? word[k] : (unsigned char)word[k]),
                   -1;
    return !length || length > REVERSE_MOST ?
           snprintf(err, n, "a word of %ld letters, allowed 1 to %d", length, REVERSE_MOST),
           -1 : 0;
}

int reverse_open(struct reverser *r, const char *word, char *err, size_t n)
{
    char sizes[80];
    *r = (struct reverser){ .length = (long)strlen(word), .kernel = seq2seq_scalar };
    if (reverse_word(word, err, n))
        return -1;
    snprintf(sizes, sizeof sizes, "m=%ld t=%ld d=%d c=%d e=%d a=1", r->length + 1, r->length + 2, UNITS, V, V);
    if (trial_make(&r->t, &(struct trial_spec){ "seq2seq", params, "weights logprob", MER_F32, sizes, 1 }, err, n))
        return -1;
    for (int k = 0; k < r->t.call.n_in; k++)
        memset(r->t.in[k].data, 0, (size_t)array_len(&r->t.in[k]) * type_size(r->t.in[k].type));
    reverse_weights(&r->t);
    for (long j = 0; j <= r->length; j++)
        set(&r->t, "x", j, j ? word[j - 1] - 'a' + 1 : 0, 1);
    while (r->kernel->row && !(strstr(r->kernel->out, "logprob") && !strcmp(r->kernel->type, "f32")))
        r->kernel++;
    snprintf(r->t.profile, sizeof r->t.profile, "%s", r->kernel->profile);
    return 0;
}

int reverse_run(struct reverser *r, const int64_t *token, int64_t n)
{
    struct mer_array *target = trial_in(&r->t, "target");
    if (n >= r->length + 2)
        return MER_BAD;
    target->dim[0] = n + 1;
    for (int64_t k = 0; k < n; k++)
        array_put(target, k, (double)token[k]);
    for (int k = 0; k < r->t.call.n_out; k++)
        r->t.out[k].dim[0] = n + 1;
    return mer_ask(r->kernel, &r->t.call);
}

static int next(void *with, const int64_t *token, int64_t n, double *y)
{
    struct reverser *r = with;
    int rc = reverse_run(r, token, n);
    const struct mer_array *p = mer_out(&r->t.call, "logprob");
    for (long v = 0; rc == MER_OK && v < V; v++)
        y[v] = array_get(p, n * V + v);
    return rc;
}
struct beam_model reverse_model(struct reverser *r) { return (struct beam_model){ next, r }; }

void reverse_close(struct reverser *r) { trial_close(&r->t); }
