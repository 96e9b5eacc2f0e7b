/* Binds the letters of a signature to the extents of arrays, and refuses in one line what does not agree. */
#include "trial/extents.h"
#include <stdio.h>
#include "core/arrayfile.h"

/* Writes extents as "[2,5,8]" or, with dim NULL, letters as "[h,n,d]". */
static const char *shape_text(char *text, size_t n, const int64_t *dim, const char *axis, int rank)
{
    size_t at = (size_t)snprintf(text, n, "[");
    for (int k = 0; k < rank && at + 24 < n; k++)
        at += (size_t)(dim ? snprintf(text + at, n - at, "%s%ld", k ? "," : "", (long)dim[k]) :
                             snprintf(text + at, n - at, "%s%c", k ? "," : "", axis[k]));
    snprintf(text + at, n - at, "]");
    return text;
}

/* Whether a stride is negative or the last element lies beyond what an array may have. */
static bool too_far(const struct mer_array *a)
{
    int64_t room = (int64_t)(ARRAY_BYTES_MAX / type_size(a->type)), reach;
    bool far = false;
    for (int k = 0; k < a->rank && !far; k++) {
        far = a->stride[k] < 0 || __builtin_mul_overflow(a->dim[k] > 1 ? a->dim[k] - 1 : 0, a->stride[k], &reach) ||
            reach >= room;
        room -= far ? 0 : reach;
    }
    return far;
}
/* Whether two elements may share a place.  They cannot where each axis steps further than all axes of smaller strides
 * reach together; dense arrays pass. */
static bool on_itself(const struct mer_array *a)
{
    bool done[MER_RANK] = { false };
    int64_t reach = 0; /* of the axes taken so far */
    for (int turn = 0; turn < a->rank && !mer_dense(a); turn++) {
        int least = -1;
        for (int k = 0; k < a->rank; k++)
            least = !done[k] && (least < 0 || a->stride[k] < a->stride[least]) ? k : least;
        if (a->dim[least] > 1 && a->stride[least] <= reach)
            return true;
        done[least] = true, reach += (a->dim[least] - 1) * a->stride[least];
    }
    return false;
}

/* Whether the array is larger than one may be; an axis of 0 counts as 1, so that it does not hide a large one. */
static bool too_large(const struct mer_array *a)
{
    uint64_t room = ARRAY_BYTES_MAX / type_size(a->type);
    for (int k = 0; k < a->rank; k++) {
        uint64_t d = a->dim[k] > 1 ? (uint64_t)a->dim[k] : 1;
        if (d > room)
            return true;
        room /= d;
    }
    return false;
}

static bool has_axis(const char *sign, char c)
{
    for (const char *s = strchr(sign, c); s; s = strchr(s + 1, c))
        if (s > sign && strchr("[,|", s[-1]) && s[1] && strchr(",|]", s[1]))
            return true;
    return false;
}

/* The number of key heads g if it does not divide the heads h; 0: it does, or the signature has no g. */
static long divisor(const struct trial *t, const char *sign)
{
    return has_axis(sign, 'g') && t->bound['g'] && t->bound['h'] && t->size['h'] % (t->size['g'] ? t->size['g'] : 1) ?
        t->size['g'] :
        0;
}

int extents_check(
    struct trial *t, const struct mer_array *a, const struct axes *x, const char *sign, char *err, size_t n)
{
    char own[160], letters[40], wanted[160];
    const char *id = *t->id ? t->id : t->row->name;
    int64_t right[MER_RANK] = { 0 };
    const int rank = a->rank < 0 || a->rank > MER_RANK ? 0 : a->rank;
    shape_text(own, sizeof own, a->dim, NULL, rank), shape_text(letters, sizeof letters, NULL, x->axis, x->rank);
    if (a->rank != x->rank)
        return snprintf(err, n, "%s: array '%s' has rank %d, expected %d: %s where the signature has %s (%s)", id,
                   x->name, a->rank, x->rank, own, letters, sign),
               -1;
    for (int k = 0; k < rank; k++) {
        const int c = x->axis[k];
        long fixed = t->row->extent ? t->row->extent(t->params, (char)c) : 0;
        if (!t->bound[c])
            t->size[c] = fixed ? fixed : a->dim[k], t->bound[c] = true;
        right[k] = t->size[c];
    }
    shape_text(wanted, sizeof wanted, right, NULL, rank);
    for (int k = 0; k < rank; k++) {
        const char c = x->axis[k];
        if (a->dim[k] != right[k])
            return snprintf(err, n, "%s: array '%s' axis %c is %ld, expected %ld: %s where %s is %s (%s)", id, x->name,
                       c, (long)a->dim[k], (long)right[k], own, letters, wanted, sign),
                   -1;
        if (a->dim[k] < 0 || (a->dim[k] == 0 && !(t->row->empty && strchr(t->row->empty, c))))
            return snprintf(err, n, "%s: array '%s' axis %c is %ld, at least 1: %s where the signature has %s (%s)", id,
                       x->name, c, (long)a->dim[k], own, letters, sign),
                   -1;
    }
    if (too_large(a))
        return snprintf(err, n, "%s: array '%s' %s for %s is more than an array may have, 2^30 bytes (%s)", id, x->name,
                   own, letters, sign),
               -1;
    if (too_far(a) || (on_itself(a) && mer_out(&t->call, x->name)))
        return snprintf(err, n, "%s: array '%s' %s has strides %s: %s (%s)", id, x->name, own,
                   shape_text(wanted, sizeof wanted, a->stride, NULL, rank),
                   too_far(a) ? "not negative, and at most 2^30 bytes from first to last" :
                                "an output has each element in a place of its own",
                   sign),
               -1;
    if (divisor(t, sign)) /* g groups h */
        return snprintf(err, n, "%s: array '%s' %s for %s: %ld heads are no multiple of %ld key heads (%s)", id,
                   x->name, own, letters, t->size['h'], t->size['g'], sign),
               -1;
    return 0;
}
