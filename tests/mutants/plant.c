/* Choosing a fault, in the program of tests and in every program that a test starts: those find in MERIDIAN_PLANT which
 * one, and in MERIDIAN_MARKS the file in which they mark what they reach. */
#include "plant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned char *plant_shared = __start_plant_marks;

long plant_size(void) { return __stop_plant_marks - __start_plant_marks; }

long plant_choose(const char *key)
{
    long n = 0;
    for (const struct plant *p = __start_plant_table; p < __stop_plant_table; p++)
        if (!strcmp(p->key, key))
            *p->slot = p->version, n++;
    return n;
}

int plant_share(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, plant_size() + 1)) /* a length of 0 cannot be mapped */
        return -1;
    void *p = mmap(NULL, (size_t)plant_size() + 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (p == MAP_FAILED)
        return -1;
    plant_shared = p;
    return 0;
}

__attribute__((constructor)) static void choose(void)
{
    const char *key = getenv("MERIDIAN_PLANT"), *marks = getenv("MERIDIAN_MARKS");
    if (marks && plant_share(marks))
        abort();
    if (key && !plant_choose(key))
        abort();
}
