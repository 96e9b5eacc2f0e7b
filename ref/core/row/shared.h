/* Parameters that several rows have with one meaning: name, default, what it says and what is allowed, written once.  A
 * row's table names one of them with its own place in the row's struct:
 *     { .as = &param_memory, .at = offsetof(struct shaw, memory) }
 * Where two rows differ in a default or in a word of the help, they are two parameters.  make lint (rule shared) finds
 * what is written twice. */
#ifndef SHARED_H
#define SHARED_H
#include "row/param.h"
/* What a query, a key and a head are. */
extern const struct param param_heads, param_query_heads, param_kv_heads, param_value_width, param_head_width,
    param_rotary_width, param_group, param_memory, param_past, param_offset;
/* Scores, and which keys they are of. */
extern const struct param param_scale, param_scaled, param_cap, param_causal, param_prefix, param_window, param_left,
    param_right, param_chunk, param_start;
/* Softmax and its mixing. */
extern const struct param param_softmax1, param_empty, param_online_block, param_mixing_route,
    param_mixing_block, param_sums, param_lse_base;
/* States of linear attention. */
extern const struct param param_read, param_unscaled;
/* Distances and their tables. */
extern const struct param param_sign, param_penalty;
/* Sinusoids. */
extern const struct param param_timescale, param_sine_layout, param_sine_spacing, param_sine_odd;
/* Rotations. */
extern const struct param param_base, param_pairs, param_neighbours, param_trained, param_near, param_rope_base,
    param_rope_pairs, param_beta_fast, param_beta_slow, param_truncate;
/* Layers, norms and blocks. */
extern const struct param param_norms_eps, param_norm_eps, param_eps_place, param_moments, param_apply, param_act,
    param_gated;
#endif
