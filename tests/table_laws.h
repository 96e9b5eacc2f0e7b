/* The laws of the frequencies that tables are asked under, and tables by them. */
#ifndef TABLE_LAWS_H
#define TABLE_LAWS_H
#include <criterion/criterion.h>
#include "table/angles.h"

static const char *const laws[][2] = {
    { "rope", "dim=64" },
    { "rope", "dim=80 base=500000" },
    { "rope", "dim=6 base=1e6" },
    { "rope", "dim=2" },
    { "rope", "dim=256 rotary=96 base=10000.5" },
    { "rope", "dim=64 rotary=16 partial=proportional base=1000000" },
    { "rope", "dim=64 rotary=16 partial=proportional scaling=linear factor=8" },
    { "rope", "dim=128 scaling=linear factor=7/3" },
    { "rope", "dim=64 scaling=ntk factor=8" },
    { "rope", "dim=128 scaling=dynamic factor=10 trained=2048 length=16384" },
    { "rope", "dim=128 scaling=dynamic factor=10 trained=2048 length=100" },
    { "rope", "dim=128 base=1000000 scaling=yarn factor=4 trained=32768" },
    { "rope", "dim=64 base=150000 scaling=yarn factor=32 trained=4096 truncate=off" },
    { "rope", "dim=64 scaling=yarn factor=40 trained=4096 mscale=0.707 mscale_all_dim=1" },
    { "rope", "dim=64 scaling=yarn factor=40 trained=4096 attention_factor=1.25" },
    { "rope", "dim=64 scaling=yarn factor=4 trained=2048 beta_fast=1 beta_slow=1" },
    { "rope", "dim=128 base=500000 scaling=llama3 factor=8 trained=8192" },
    { "rope", "dim=64 base=500000 scaling=llama3 factor=32 trained=8192" },
    { "rope", "dim=8 scaling=longrope factor=4 trained=4096 length=8192 short_factor=1,1.05,1.2,2 "
        "long_factor=1.7,2.25,7,64" },
    { "rope", "dim=8 scaling=longrope factor=32 trained=4096 length=4096 short_factor=1,1.05,1.2,2 "
        "long_factor=1.7,2.25,7,64" },
    { "rope", "dim=64 scaling=yarn factor=4 trained=131072" },
    { "rope", "dim=64 scaling=yarn factor=4 trained=2048 attention_factor=0.7" },
    /* Sines far below float32's usual range, which 128 and 320 bits decide. */
    { "rope", "dim=64 base=1e10 scaling=linear factor=1e6" }, { "rope", "dim=16 base=1e36" },
    { "sinusoid", "dim=64" },
    { "sinusoid", "dim=96 spacing=shifted base=1e5" },
    { "sinusoid", "dim=2 spacing=shifted" },
    { "sinusoid", "dim=7 odd=drop" },
    { "sinusoid", "dim=7 odd=zero min_timescale=2.5 spacing=shifted" },
};
enum { LAWS = sizeof laws / sizeof *laws };

static inline struct mer_angles *angles(const char *row, const char *params, int64_t limit)
{
    struct mer_angles *a;
    char err[200] = "";
    cr_assert_eq(mer_angles_new(&a, row, params, limit, err, sizeof err), 0, "%s %s: %s", row, params, err);
    return a;
}
#endif
