/* Fuzz target: config.json. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include "model/config.h"
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct config c;
    char path[60], err[900];
    int fd = memfd_create("config", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (write(fd, data, size) == (ssize_t)size)
        config_read(path, &c, err, sizeof err);
    close(fd);
    return 0;
}
