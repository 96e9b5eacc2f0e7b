/* Describes program and machine for the keys and the provenance of the store. */
#include "store/machine.h"
#include "base/digest.h"
#include <gnu/libc-version.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "core/files.h"
#include "kernels.h"
#include "version.h"

void machine_describe(struct machine *m)
{
    struct utsname u;
    char line[400];
    size_t used = 0;
    *m = (struct machine){ .cpu = "unknown processor" };
    uname(&u);
    snprintf(m->name, sizeof m->name, "%.20s %.60s %.20s, %ld processors", u.sysname, u.release, u.machine,
        sysconf(_SC_NPROCESSORS_ONLN));
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
            line[strcspn(line, "\n")] = 0;
            snprintf(m->cpu, sizeof m->cpu, "%.150s", strchr(line, ':') + 2);
            break;
        }
    if (f)
        fclose(f);
    for (const struct slot *s = slots, *last = NULL; s->name; last = s, s++)
        if (s->here() && (!last || strcmp(last->name, s->name)))
            used += (size_t)snprintf(m->isa + used, sizeof m->isa - used, "%s%s", used ? " " : "", s->name);
    snprintf(m->program, sizeof m->program, "%016llx mpfr %s glibc %s",
        (unsigned long long)file_digest("/proc/self/exe", digest_start), mpfr_get_version(),
        gnu_get_libc_version());
}

struct provenance machine_provenance(const struct machine *m)
{
    return (struct provenance){ m->name, m->cpu, __VERSION__, MERIDIAN_COMMIT, MERIDIAN_VERSION, m->isa,
        mpfr_get_version() };
}
