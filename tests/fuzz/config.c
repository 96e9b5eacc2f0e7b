/* Fuzz target: config.json. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "model/config.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config c;
    static char path[60];
    static int fd = -1;
    char err[900];
    if (fd < 0) {
        fd = memfd_create("config", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size)
        config_read(path, &c, err, sizeof err);
    return 0;
}
