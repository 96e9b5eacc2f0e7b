/* Axis lists of class tables; see packing.h. */
#include "lab/weights/packing.h"
#include <stdio.h>
#include <string.h>
#include "base/words.h"

const struct role_axes role_axes[ROLES] = { { "embed", "v,c" }, { "place", "p,c" },
    { "head", "v,c" }, { "head.bias", "v" }, { "norm", "c" }, { "norm.bias", "c" }, { "norm1", "c" },
    { "norm1.bias", "c" }, { "norm2", "c" }, { "norm2.bias", "c" }, { "post1", "c" }, { "post2", "c" },
    { "q", "hd,c" }, { "q.bias", "hd" }, { "k", "gd,c" }, { "k.bias", "gd" }, { "v", "gd,c" }, { "v.bias", "gd" },
    { "o", "c,hd" }, { "o.bias", "c" }, { "q_norm", "d" }, { "q_norm.bias", "d" }, { "q_heads", "h,d" },
    { "q_whole", "hd" }, { "k_norm", "d" }, { "k_norm.bias", "d" }, { "k_heads", "g,d" }, { "k_whole", "gd" },
    { "gate", "f,c" }, { "gate.bias", "f" }, { "up", "f,c" }, { "up.bias", "f" }, { "down", "c,f" },
    { "down.bias", "c" } };
/* An axis list in single letters, the slowest first, h as g r; part: which of (A+B+C) each stands in, -1 outside of
 * them; axis: which axis of the array. */
struct atoms { char letter[ATOMS]; int64_t extent[ATOMS]; int axis[ATOMS], part[ATOMS], n, axes, parts; };

static bool atom(struct atoms *a, char c, int64_t extent, int part)
{
    if (a->n == ATOMS || extent < 1)
        return false;
    a->letter[a->n] = c, a->extent[a->n] = extent, a->axis[a->n] = a->axes - 1, a->part[a->n++] = part;
    return true;
}
static bool atoms_read(struct atoms *a, const struct foreign *m, const char *text)
{
    int part = -1;
    *a = (struct atoms){ .axes = 1, .parts = 1 };
    for (; *text; text++) {
        const int c = *text & 127;
        if (c == ',' && part < 0 && a->axes < MER_RANK)
            a->axes++;
        else if (c == '(' && part < 0 && a->parts == 1)
            part = 0;
        else if (c == '+' && part >= 0)
            a->parts = ++part + 1;
        else if (c == ')' && part >= 0)
            part = -1;
        else if (c == 'h' ? !atom(a, 'g', m->size['g'], part) || !atom(a, 'r', m->size['r'], part) :
                            !atom(a, *text, c >= '1' && c <= '9' ? c - '0' : m->size[c], part))
            return false;
    }
    return a->n > 0 && part < 0;
}

bool packing_read(struct packing *p, const struct foreign *m, const char *text, int part)
{
    struct atoms a;
    int64_t stride = 1, before[ATOMS] = { 0 }, size[ATOMS] = { 0 };
    if (!atoms_read(&a, m, text) || part >= a.parts)
        return false;
    *p = (struct packing){ .axes = a.axes, .parts = a.parts };
    for (int k = 0; k < a.axes; k++)
        p->dim[k] = 1;
    for (int k = a.n; k-- > 0;) { /* the fastest first; a part counts from the stride of what stands behind all parts */
        const int in = a.part[k];
        int64_t *s = in < 0 ? &stride : &size[in], *d = &p->dim[a.axis[k]];
        if (in >= 0 && !*s)
            *s = stride;
        before[k] = *s;
        if (__builtin_mul_overflow(*s, a.extent[k], s) || *s > 1L << 40)
            return false;
        *d *= in < 0 ? a.extent[k] : 1;
        if (in != 0 || (k && a.part[k - 1] == 0))
            continue;
        int64_t sum = 0; /* the first part's first letter: all parts are known */
        for (int j = 0; j < a.parts; j++)
            p->start += j < part ? size[j] : 0, sum += size[j];
        *d *= sum / stride, stride = sum;
    }
    for (int k = 0; k < a.n; k++)
        if (a.part[k] < 0 || a.part[k] == part) {
            p->letter[p->n] = a.letter[k], p->extent[p->n] = a.extent[k];
            p->step[p->n++] = before[k];
        }
    return true;
}

bool packing_steps(const struct packing *file, const struct packing *own, int64_t *step)
{
    bool used[ATOMS] = { false };
    for (int k = 0; k < own->n; k++) {
        int j = 0;
        while (j < file->n && (used[j] || file->letter[j] != own->letter[k]))
            j++;
        if (j == file->n && own->extent[k] > 1)
            return false;
        step[k] = j < file->n ? file->step[j] : 0;
        used[j < file->n ? j : 0] |= j < file->n;
    }
    for (int j = 0; j < file->n; j++)
        if (!used[j] && file->extent[j] > 1)
            return false;
    return true;
}

void packing_copy(float *role, float *file, const struct packing *own, const int64_t *step, bool back)
{
    int64_t at[ATOMS] = { 0 }, all = 1;
    for (int k = 0; k < own->n; k++)
        all *= own->extent[k];
    for (int64_t i = 0; i < all; i++) {
        int64_t place = 0;
        for (int k = 0; k < own->n; k++)
            place += at[k] * step[k];
        *(back ? &file[place] : &role[i]) = back ? role[i] : file[place];
        for (int k = own->n; k-- > 0;) {
            if (++at[k] < own->extent[k])
                break;
            at[k] = 0;
        }
    }
}

bool name_numbered(const char *name, size_t len, struct where at, char *to, size_t n)
{
    size_t used = 0;
    for (size_t k = 0; k < len && used < n; k++)
        used += name[k] == '*' || name[k] == '#' ?
            (size_t)snprintf(to + used, n - used, "%ld", name[k] == '*' ? at.layer : at.head) :
            (size_t)snprintf(to + used, n - used, "%c", name[k]);
    return used < n;
}
int role_named(const char *text, size_t len)
{
    for (int k = 0; k < ROLES; k++)
        if (strlen(role_axes[k].name) == len && !strncmp(role_axes[k].name, text, len))
            return k;
    return -1;
}

long names_heads(const struct foreign *m, const char *names, const char *roles_of)
{
    const int role = role_named(roles_of, strcspn(roles_of, " "));
    return !strchr(names, '#') || role < 0 ? 0 : m->size[*role_axes[role].axes & 127];
}

