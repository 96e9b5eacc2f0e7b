/* The installed library from C: a table of cosines, correctly rounded.  Exit 0 where cos(1) is the nearest float. */
#include <libmeridian.h>
#include <stdio.h>

int main(void)
{
    struct mer_angles *a;
    float co[2], si[2];
    char err[200];
    if (mer_angles_new(&a, "rope", "dim=2", 16, err, sizeof err))
        return fprintf(stderr, "%s\n", err), 2;
    const int rc = mer_table_f32(co, si, a, 0, 2);
    mer_angles_free(a);
    printf("cos 0 = %a, cos 1 = %a, sin 1 = %a\n", (double)co[0], (double)co[1], (double)si[1]);
    return rc || co[0] != 1 || co[1] != 0x1.14a28p-1f || si[1] != 0x1.aed548p-1f;
}
