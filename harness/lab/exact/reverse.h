/* A model that writes a word backwards: row seq2seq with weights in closed form.
 * Tokens: 0 ends (and starts) a text, 1 .. 26 are a .. z.  Three blocks of units, [places | letters | letters to say]:
 *   encoder   reads 0, w_1 .. w_L one-hot: the letter's unit goes up at once; the unit of place 0 by token 0, that of
 *             place j by place j - 1
 *   decoder   starts at h_L; its place moves down, s_t[p] = tanh(gain s_{t-1}[p + 1]), so that the query of step t
 *             meets h_{L - t}; what was read there
 *             is to be said.  Place 0 holds the end.  Earlier outputs are not looked at (wy = 0): what is next follows
 *             from the place alone.
 * Other weights of the same shapes (trained ones) go where reverse_weights writes: the inputs of row seq2seq by their
 * names. */
#ifndef REVERSE_H
#define REVERSE_H
#include "relative/beam.h"
#include "trial/trial.h"

enum { REVERSE_LETTERS = 27, REVERSE_MOST = 16 };       /* tokens; letters of a word */
/* The model at work on one word; the outputs of its trial are `weights` and `logprob`. */
struct reverser { struct trial t; const struct mer_kernel *kernel; long length; };
/* Checks a word.  0, or -1 and one line in err: it is empty or too long, or has a letter that is not a .. z. */
int reverse_word(const char *word, char *err, size_t n);
/* Makes the model for a word.  0, or -1 and one line in err, as reverse_word; reverse_close is due either way. */
int reverse_open(struct reverser *r, const char *word, char *err, size_t n);
/* Writes the weights in closed form to the inputs of t, a trial of row seq2seq. */
void reverse_weights(struct trial *t);
/* Runs the model on n given output tokens: n + 1 lines of the outputs.  A MER_ answer. */
int reverse_run(struct reverser *r, const int64_t *token, int64_t n);
/* The model as the search of row decode asks it; it borrows r. */
struct beam_model reverse_model(struct reverser *r);
void reverse_close(struct reverser *r);
#endif
