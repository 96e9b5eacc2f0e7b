/* The size of a mistake's effect: values that are known in closed form, and that there is one where, and only where, a
 * mistake is not declared equivalent. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "part.h"
#include "power/effect.h"

struct wanted { const char *row, *id, *quantity; double low, high; bool seen; };
/* An output of zeros has lost as much as its largest element; a table in bfloat16 is off by at most half of 2^-8 of a
 * cosine and of a sine, of which an element has one each, in float16 by half of 2^-11. */
static struct wanted all[] = {
    { "attention", "zeros", "o", 1, 1 },
    { "attention", "empty-nan", "o", (double)INFINITY, (double)INFINITY },
    { "attention", "lse-base", "lse", 0.25, 1 },
    { "rope", "bf16-table", "y", 0x1p-12, 0x1p-7 },
    { "rope", "f16-table", "y", 0x1p-15, 0x1p-10 },
    { "rope", "direction", "y", 0.5, 2 },
};
enum { ALL = sizeof all / sizeof *all };

static int one(const struct mistake *m, void *with)
{
    const struct row *r = with;
    struct effect e;
    for (int k = 0; k < ALL; k++)
        if (!strcmp(all[k].row, r->name) && !strcmp(all[k].id, m->id)) {
            cr_assert(effect_of(r, m, &e), "%s", m->id);
            cr_expect(!strcmp(e.quantity, all[k].quantity) && e.size >= all[k].low && e.size <= all[k].high,
                "%s %s: %s %g", r->name, m->id, e.quantity, e.size);
            all[k].seen = true;
        }
    if (is_due_named(m->id, 8)) {
        const bool changes = effect_of(r, m, &e);
        cr_expect(changes == !mistake_equivalent(m), "%s %s: %s", r->name, m->id, changes ? e.quantity : "nothing");
    }
    return 0;
}

Test(effect, is_there_where_a_mistake_is_not_equivalent_and_has_its_size, .timeout = 120)
{
    for (const struct row *const *r = all_rows; *r; r++)
        mistakes_each((*r)->name, one, (void *)(uintptr_t)*r);
    for (int k = 0; k < ALL; k++)
        cr_expect(all[k].seen, "%s %s", all[k].row, all[k].id);
}

Test(effect, is_said_in_a_word_and_a_number)
{
    char text[60];
    cr_expect_str_eq(effect_text(&(struct effect){ "o", 0.8312 }, text, sizeof text), "o 0.83");
    cr_expect_str_eq(effect_text(&(struct effect){ "lse", (double)INFINITY }, text, sizeof text), "lse not finite");
}
