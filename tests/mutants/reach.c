/* Coverage for tests/mutants: gcc calls __sanitizer_cov_trace_pc at the head of every basic block of what is built with
 * -fsanitize-coverage=trace-pc. The place of the call, counted from this library's begin, is marked in the file that
 * MERIDIAN_REACH names, one byte for each byte of the library. A shared mapping: what a test's children reach counts,
 * and a process that is killed loses nothing. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST = 1 << 26 }; /* bytes of the library at most; the file is sparse */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
static unsigned char *reached;

__attribute__((constructor)) static void open_map(void)
{
    const char *path = getenv("MERIDIAN_REACH");
    int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
    if (fd < 0 || ftruncate(fd, LONGEST))
        return;
    void *p = mmap(NULL, LONGEST, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    reached = p == MAP_FAILED ? NULL : p;
    close(fd);
}

void __sanitizer_cov_trace_pc(void)
{
    uintptr_t at = (uintptr_t)__builtin_return_address(0) - (uintptr_t)__ehdr_start;
    if (reached && at < LONGEST)
        reached[at] = 1;
}
