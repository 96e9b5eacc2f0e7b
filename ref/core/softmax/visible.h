/* Which keys a query sees.  All rules hold at once; each but the last two is a stretch of keys, so their meeting is one
 * too.
 *   position   query i stands at c = i (causal=none, topleft), i + length - n (bottomright), i + offset (offset)
 *   causal     j <= c + max(right, 0), or j < prefix (prefix-LM); without causal and with right >= 0: j <= c + right
 *   left       j >= c - left                          flash-attention, ONNX: the query's own key is not counted
 *   window     W > 0, as `windows` counts it:
 *     past     c - W < j                              Mistral, gpt-oss, Hugging Face sliding_window
 *     within   |c - j| < W                            Gemma
 *     closed   |c - j| <= W                           Hugging Face bidirectional, transformers 5
 *     halves   |c - j| <= floor(W / 2)                llama.cpp SYMMETRIC, ModernBERT
 *     uneven   c - j < floor((W + 1) / 2) and j - c < floor(W / 2) + 1       Hugging Face bidirectional, before
 *   chunk      C > 0: floor((j - start) / C) = floor((c - start) / C)        Llama 4; start: length of the padding on
 *              the left
 *   padding    first <= j < length (-1: all)
 *   documents  input int doc[m]: doc[j] is the query's, which is query_doc[i] or, where that is absent, doc of the key
 *              at c
 *   packed     inputs int cu_seqlens_q[b], cu_seqlens_k[b], never one alone: document s holds queries cu_seqlens_q[s]
 *              .. cu_seqlens_q[s + 1] - 1 and keys
 *              likewise, lengths of their own; a query sees keys of its document.  counted=document: i, j, n and m in
 *              all of the above are those within the document (flash-attention's varlen functions); counted=pack: those
 *              of the whole
 *   keep       input int keep[h,n,m]: not 0; keys behind its last are hidden
 * Traps: window = left + 1; for one W the five windows are five sets from W = 2 on (test W = 1 .. 6); bottomright
 * counts real keys, not padded ones. */
#ifndef VISIBLE_H
#define VISIBLE_H
#include "ball/ball.h"
enum { EVERY_KEY, TOPLEFT, BOTTOMRIGHT, OFFSET };
enum { PAST, WITHIN, CLOSED, HALVES, UNEVEN };
enum { BY_DOCUMENT, BY_PACK };
enum { NO_LIMIT = -1 }; /* of left, right and length, whose others are not below 0 */
struct visible { long offset, prefix, left, right, window, chunk, start, first, length; int causal, windows, counted; };
/* The place c of query i among n queries and m keys. */
long visible_place(const struct visible *p, long i, long n, long m);
/* The same of packed documents, too: with counted=document it is the place within the query's document. */
long visible_position(const struct ask *w, const struct visible *p, long i, long n, long m);
/* Do all of the rules let query i of head h see key j? */
bool visible_key(const struct ask *w, const struct visible *p, long h, long i, long j, long n, long m);
#endif
