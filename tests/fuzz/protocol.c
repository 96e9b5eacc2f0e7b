/* Fuzz target: an answer's line and a hello's line. */
#include "subject/protocol.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[400];
    float y[2];
    struct mer_array out = { "y", MER_F32, 1, { 2 }, y };
    struct mer_call c = { .row = "rope", .params = "", .n_out = 1, .out = &out };
    protocol_answer((const char *)data, size, &c, why, sizeof why);
    kernels_free(protocol_kernels((const char *)data, size, why, sizeof why));
    return 0;
}
