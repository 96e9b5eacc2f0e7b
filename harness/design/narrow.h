/* A design for a kernel that takes some sizes alone. */
#ifndef NARROW_H
#define NARROW_H
#include "design/cover.h"

/* Leaves out what a kernel does not take, which declines the usual sizes and takes those of base[n] (least is the
 * extent).  takes(of, sizes) asks it.  Extents of letters are kept that it takes beside the others of `base`; letters
 * that it takes at no other extent alone become one choice where it takes them together. */
void narrow(struct cover *c, const struct range *base, int n, bool (*takes)(void *of, const char *sizes), void *of);
#endif
