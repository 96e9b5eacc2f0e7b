/* How a tensor of a file holds what a model has by roles: axis lists of a class's table (class.h), read for a model's
 * extents, and where in the file's array each element of a role lies. */
#ifndef PACKING_H
#define PACKING_H
#include "lab/weights/class.h"

enum { ATOMS = 16 };
/* Each role's name and its axes as they are kept. */
extern const struct role_axes { const char *name, *axes; } role_axes[ROLES];
/* One part of an axis list, with what lies outside of all parts: its letters, the slowest first, h as g r, and where in
 * the array each counts; the array's extents. */
struct packing {
    char letter[ATOMS];
    int64_t extent[ATOMS], step[ATOMS], dim[MER_RANK], start;
    int n, axes, parts;
};
/* Which layer and which head a name means. */
struct where { long layer, head; };
/* The role of that name, text[len]; -1: there is none. */
int role_named(const char *text, size_t len);
/* Reads one part of an axis list, from 0; false: it is none, or an array may not have so many elements. */
bool packing_read(struct packing *p, const struct foreign *m, const char *text, int part);
/* Where in the file's array each letter of the role begins to count: step[k] elements for letter k of `own`; false: the
 * axes are none of this role.  A letter of one has no place to find. */
bool packing_steps(const struct packing *file, const struct packing *own, int64_t *step);
/* Copies one role's numbers, which are in the role's order, from file[], which begins where the part does; or (back)
 * the other way round. */
void packing_copy(float *role, float *file, const struct packing *own, const int64_t *step, bool back);
/* name with the numbers of the layer and the head in place of * and #; false: it is too long. */
bool name_numbered(const char *name, size_t len, struct where at, char *to, size_t n);
/* How many heads a # counts: those of the role that is filled. */
long names_heads(const struct foreign *m, const char *names, const char *roles_of);
#endif
