/* Fuzz target: a whole recorded case, in our words or others', with one array under every name: {"row":..,"op":..,"params":{..},..} is completed and read to trials. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "pack/pack.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char dir[] = "build/fuzz/pack";
static void save(const char *name, const void *data, size_t size)
{
    char path[100];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char npy[] = "\x93NUMPY\x01\x00\x3e\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), }\n0123456789abcdef0123456789abcdef";
    struct subject s;
    struct trial t;
    char err[900];
    int got, n = 0;
    if (access(dir, F_OK)) {
        mkdir(dir, 0777);
        save("x.npy", npy, sizeof npy - 1);
        save("pos.npy", "\x93NUMPY\x01\x00\x39\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }\n\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0", 83);
    }
    save("pack.json", data, size);
    if (subject_pack(&s, dir, err, sizeof err))
        return 0;
    while (n++ < 100 && (got = s.next(&s, &t, err, sizeof err)) != 0) {
        struct arith a;
        if (got == 1)
            trial_profile(&t, t.profile, &a, WIDEN, err, sizeof err);
        trial_close(&t);
        if (got < 0)
            break;
    }
    s.close(&s);
    return 0;
}
