/* Fuzz target: the .safetensors header against any bytes and file size; what is accepted lies inside the file. */
#include "core/arrayfile.h"
#include "ball/ball.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mer_array a = { 0 };
    uint64_t at = 0;
    char err[300];
    if (!safetensors_header(data, size, size, &a, &at, err, sizeof err) &&
        (at > size || a.rank > MER_RANK || (uint64_t)array_len(&a) * type_size(a.type) > size - at))
        abort();
    return 0;
}
