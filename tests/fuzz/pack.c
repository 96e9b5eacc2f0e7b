/* Fuzz target: pack.json as text. */
#include "pack/pack.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char err[300];
    json_decref(pack_parse((const char *)data, size, err, sizeof err));
    return 0;
}
