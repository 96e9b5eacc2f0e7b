/* Parameters that several rows have; see shared.h. */
#include "row/shared.h"

/* What a query, a key and a head are. */
const struct param param_heads = { "heads", "8", "number of heads H", INT, .least = 1, .most = 1024 };
const struct param param_query_heads = { "heads", "2", "number of query heads H", INT, .least = 1, .most = 1024 };
const struct param param_kv_heads = { "kv_heads", "0", "number of key heads G; 0 = heads", INT, .least = 0,
    .most = 1024 };
const struct param param_value_width = { "value_width", "0", "of a head's v; 0 = width", INT, .least = 0,
    .most = 65536 };
const struct param param_head_width = { "dim", "8", "width d of a head", INT, .least = 2, .most = 65536 };
const struct param param_rotary_width = { "dim", "16", "head width d", INT, .least = 2, .most = 65536 };
const struct param param_group = { "group", "repeat", "which key head a query head reads", ENUM,
    .choices = "repeat tile" };
const struct param param_memory = { "memory", "0", "query i stands at memory + i", INT, .least = -(1L << 40),
    .most = 1L << 40 };
const struct param param_past = { "memory", "0", "query i stands at memory + i", INT, .least = 0, .most = 1L << 30 };
const struct param param_offset = { "offset", "0", "query i stands at offset + i", INT };

/* Scores, and which keys they are of. */
const struct param param_scale = { "scale", "0", "0 = 1/sqrt(d)", RATIONAL };
const struct param param_start = { "start", "end", "query i stands at m - n + i, or at i", ENUM,
    .choices = "end zero" };
const struct param param_scaled = { "scale", "none", "none, or 1/sqrt(d)", ENUM, .choices = "none width" };
const struct param param_cap = { "cap", "0", "c of c tanh(s / c); 0 = none", RATIONAL };
const struct param param_causal = { "causal", "none", "which keys query i may see", ENUM,
    .choices = "none topleft bottomright offset" };
const struct param param_prefix = { "prefix", "0", "keys before it are visible whatever causal says", INT, .least = 0,
    .most = 1 << 30 };
const struct param param_window = { "window", "0", "keys visible to the left, itself included; 0 = all", INT,
    .least = 0, .most = 1 << 30 };
const struct param param_left = { "left", "-1", "keys visible to the left, itself not counted; -1 = all", INT,
    .least = -1, .most = 1 << 30 };
const struct param param_right = { "right", "-1", "keys visible to the right; -1 = all, or none if causal", INT,
    .least = -1, .most = 1 << 30 };
const struct param param_chunk = { "chunk", "0", "only keys of the query's own chunk of so many; 0 = all", INT,
    .least = 0, .most = 1 << 30 };

/* Softmax and its mixing. */
const struct param param_softmax1 = { "softmax1", "off", "a logit 0 joins the softmax where no input sink does", ENUM,
    .choices = "off on" };
const struct param param_empty = { "empty", "zero", "output where nothing is visible", ENUM,
    .choices = "zero nan mean" };
const struct param param_online_block = { "block", "16", "keys per step of online", INT, .least = 1, .most = 1 << 20,
    .route = true };
const struct param param_mixing_route = { "route", "two-passes", "which algorithm rounds: ref/core/softmax/mix.h",
    ROUTE, .choices = "two-passes online split exp2 lazy" };
const struct param param_mixing_block = { "block", "16", "keys per step of online, lazy and split", INT, .least = 1,
    .most = 1 << 20, .route = true };
const struct param param_lse_base = { "base", "e", "of the logarithm of lse", ENUM, .choices = "e 2" };
const struct param param_sums = { "sums", "joined", "values and their vectors summed as one, or apart", ROUTE,
    .choices = "joined apart" };

/* States of linear attention. */
const struct param param_read = { "read", "after", "o reads the state after, or before the token's write", ENUM,
    .choices = "after before" };
const struct param param_unscaled = { "scale", "1", "0 = 1/sqrt(d)", RATIONAL };

/* Distances and their tables. */
const struct param param_sign = { "sign", "query-key", "distance t", ENUM, .choices = "query-key key-query" };
const struct param param_penalty = { "sign", "minus", "far keys are penalised (minus) or favoured", ENUM,
    .choices = "minus plus" };

/* Sinusoids. */
const struct param param_timescale = { "base", "10000", "longest timescale", RATIONAL };
const struct param param_sine_layout = { "layout", "interleaved", "order of sines and cosines", ENUM,
    .choices = "interleaved concat" };
const struct param param_sine_spacing = { "spacing", "paper", "exponent -2k/d, or -k/(d/2-1)", ENUM,
    .choices = "paper shifted" };
const struct param param_sine_odd = { "odd", "refuse", "odd width: last column 0, or last cosine dropped", ENUM,
    .choices = "refuse zero drop" };

/* Rotations. */
const struct param param_base = { "base", "10000", "w_k = base^(-2k/d)", RATIONAL };
const struct param param_pairs = { "layout", "half", "pairs (k, k + d/2) or (2k, 2k+1)", ENUM,
    .choices = "half interleaved" };
const struct param param_neighbours = { "layout", "interleaved", "pairs (k, k + d/2) or (2k, 2k+1)", ENUM,
    .choices = "half interleaved" };
const struct param param_trained = { "trained", "0",
    "length of training: queries beyond it are multiplied by ln(c + 1) / ln trained; 0 = never", INT, .least = 0,
    .most = 1L << 30 };
const struct param param_near = { "window", "4", "w: distances below it are as they are", INT, .least = 1,
    .most = 1L << 30 };
const struct param param_rope_base = { "base", "10000", "rope: w_k = base^(-2k/d)", RATIONAL };
const struct param param_rope_pairs = { "layout", "half", "rope: pairs (k, k + d/2) or (2k, 2k+1)", ENUM,
    .choices = "half interleaved" };
const struct param param_beta_fast = { "beta_fast", "32", "yarn: turns above which w stays", RATIONAL };
const struct param param_beta_slow = { "beta_slow", "1", "yarn: turns below which w/f", RATIONAL };
const struct param param_truncate = { "truncate", "on", "yarn: floor and ceil of the ramp's ends", ENUM,
    .choices = "on off" };

/* Layers, norms and blocks. */
const struct param param_norms_eps = { "eps", "1/100000", "of the norms", RATIONAL };
const struct param param_norm_eps = { "eps", "1e-6", "of norm", RATIONAL };
const struct param param_eps_place = { "place", "inside", "eps: inside the root, or added to it", ENUM,
    .choices = "inside outside" };
const struct param param_moments = { "moments", "two-passes", "route of row layernorm", ROUTE,
    .choices = "two-passes one-pass welford" };
const struct param param_apply = { "apply", "centred", "of row layernorm: (x - mu) r, or x r - mu r", ROUTE,
    .choices = "centred folded" };
const struct param param_act = { "act", "relu", "activation: row feedforward", ENUM,
    .choices = "relu gelu gelu-tanh silu quick-gelu sigmoid" };
const struct param param_gated = { "gated", "no", "act(x wg) (x w1) in place of act(x w1)", ENUM, .choices = "no yes" };
