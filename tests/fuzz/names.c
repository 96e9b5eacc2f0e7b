/* Fuzz target: a whole recorded case, in our words or others', with one array under every name:
 * {"row":..,"op":..,"params":{..},..} is completed and read to trials. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "pack/pack.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[100]; /* A folder in memory, where there is such a place, as a case is three opened files. */
static void save(const char *name, const void *data, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
        abort();
}

static void leave(void)
{
    static const char *const names[] = { "x.npy", "pos.npy", "pack.json" };
    for (int k = 0; k < 3; k++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", dir, names[k]);
        unlink(path);
    }
    rmdir(dir);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char npy[] = "\x93NUMPY\x01\x00\x3e\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 4), "
                              "}\n0123456789abcdef0123456789abcdef";
    struct subject s;
    struct trial t;
    char err[900];
    int got, n = 0;
    if (!*dir) {
        snprintf(dir, sizeof dir, "%s/meridian-names-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
        if (!mkdtemp(dir))
            abort();
        atexit(leave);
        save("x.npy", npy, sizeof npy - 1);
        save("pos.npy",
            "\x93NUMPY\x01\x00\x39\x00{'descr': '<i8', 'fortran_order': False, 'shape': (2,), "
            "}\n\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0",
            83);
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
