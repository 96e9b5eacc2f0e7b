/* Signed distances between a query and a key, cut or put into logarithmic buckets, and the rows of a table that they
 * read (DeBERTa).
 *   row(x) = clip(b(x), -span, span - 1) + span      b(x) = x (linear), or of version 2 (log):
 *   |x| <= mid: x;   else sign(x) (mid + ceil((mid-1) ln(|x|/mid) / ln((M-1)/mid)))   mid = span/2, M = max_position
 * Beyond M the Microsoft code first clips x to M - 1, Hugging Face does not: at x <= -M their rows are 1 and 0
 * (parameter beyond). */
#ifndef SIGNED_H
#define SIGNED_H
#include "relative/buckets.h"
#include "row/param.h"

/* Begins the parameters of a row; query i stands at memory + i. */
struct signed_rows { long span, max_position, memory; int distance, beyond, route; };
/* A part's list (param.h) of span, max_position, memory, distance and beyond; parameter route of the quantities bucket
 * and row. */
extern const struct param signed_params[];
extern const struct param signed_route;

/* row(x), by integers; the parameters of w begin with a struct signed_rows. */
long signed_row(const struct ask *w, long x);
/* The bucket b(x) and the row row(x) of element at[0] of the input relative_position[n]: by integers, or
 * (route=logarithm) as libraries compute it, with roundings at these steps. */
const struct ball *signed_bucket_ball(struct ask *w, struct bucket_steps s);
const struct ball *signed_row_ball(struct ask *w, struct bucket_steps s);
/* NULL, or why these parameters (they begin with a struct signed_rows) are undefined. */
const char *signed_refuse(const void *params);
#endif
