/* Lists the spellings, and looks whether an object has one; see rope_keys.h. */
#include "model/rope_keys.h"
#include <string.h>

/* The first wins: `rope_scaling or self.rope_parameters` (modeling_rope_utils.py of transformers 5.23.0). */
const char rope_group_keys[] = "rope_scaling rope_parameters";
const char rope_base_keys[] = "rope_theta base rotary_emb_base rope_base rotary_embedding_base rotary_base";
const char rope_share_keys[] = "partial_rotary_factor rotary_pct rotary_emb_fraction rope_pct";
const char rope_local_keys[] = "rope_local_base_freq local_rope_theta";

bool rope_said(const struct scope *s)
{
    char kind[40] = "", why[200] = ""; /* A value that is no text says nothing of it; whoever needs one refuses it. */
    struct fields quiet = { .file = "", .err = why, .n = sizeof why };
    field_text(&quiet, s, "position_embedding_type", kind, sizeof kind);
    return field_has(s, rope_group_keys) ||
        field_has(s,
            "rope_theta rotary_emb_base rotary_dim rotary_pct rotary_emb_fraction rope_local_base_freq "
            "global_rope_theta qk_rope_head_dim") ||
        !strcmp(kind, "rotary") || !strcmp(kind, "rope");
}
