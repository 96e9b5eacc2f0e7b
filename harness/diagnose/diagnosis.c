/* Prints a diagnosis: what explains the failure and how well, whether it is a fault or a convention, what to do about
 * it, and where the same mistake was made before. */
#include <math.h>
#include "base/names.h"
#include "diagnose/diagnosis.h"
#include "base/words.h"

bool change_is_convention(const struct row *r, const char *change)
{
    char key[32], value[48], word[96];
    int used;
    for (const struct preset *k = r->presets; k->name; k++)
        if (*change && !strcmp(k->text, change))
            return true;
    for (const char *s = change; *s; s += used, s += strspn(s, " ")) {
        const struct param *p = row_params(r);
        bool documented = false;
        if (sscanf(s, "%31[A-Za-z_0-9]=%47[^ ]%n", key, value, &used) != 2)
            return false;
        while (p->name && strcmp(p->name, key))
            p++;
        if (!p->name || p->kind != ENUM)
            return false;
        snprintf(word, sizeof word, "%s=%s", key, value);
        for (const struct preset *k = r->presets; k->name; k++)
            documented |= strstr(k->text, word) != NULL;
        /* such a value leaves something out, which is a fault unless a preset has it */
        if (!documented && (!strcmp(value, "none") || !strcmp(value, "off") || !strcmp(value, "default")))
            return false;
    }
    return *change != 0;
}

/* The declared value of a parameter, "" where there is none of that name. */
static void declared_value(const struct trial *t, const char *key, char *text, size_t n)
{
    char word[40];
    const char *s = t->text;
    size_t len = (size_t)snprintf(word, sizeof word, "%s=", key);
    while (*s && strncmp(s, word, len))
        s = word_next(s);
    snprintf(text, n, "%.*s", *s ? (int)strcspn(s + len, " ") : 0, *s ? s + len : "");
}

/* The declared format of a step, "" where none is; of several words for a step the last one counts. */
static void declared_step(const struct trial *t, const char *key, char *text, size_t n)
{
    char word[40];
    size_t len = (size_t)snprintf(word, sizeof word, "%s=", key);
    *text = 0;
    for (const char *s = t->profile; *s; s = word_next(s))
        if (!strncmp(s, word, len))
            snprintf(text, n, "%.*s", (int)strcspn(s + len, " "), s + len);
}

/* What the help of a parameter says that this value stands for: "1/sqrt(d)" of the value 0 where the help has
 * "0 = 1/sqrt(d)".  NULL: nothing. */
static const char *value_means(const struct row *r, const char *key, const char *value)
{
    char word[90];
    const struct param *p = row_params(r);
    while (p->name && strcmp(p->name, key))
        p++;
    size_t len = (size_t)snprintf(word, sizeof word, "%s = ", value);
    for (const char *s = p->name ? p->help : NULL; s; s = strstr(s, "; "), s = s ? s + 2 : NULL)
        if (!strncmp(s, word, len))
            return s + len;
    return NULL;
}

/* The length of FILE:LINE at the beginning of FILE:LINE:KIND:OPERATION. */
static int repair_place(const char *word)
{
    const char *line = strchr(word, ':');
    return (int)(line - word) + 1 + (int)strcspn(line + 1, ":");
}
static size_t repair_one(const struct trial *t, const char *one, int len, char *text, size_t n)
{
    char key[32], other[48], value[80], was[80], op;
    double by;
    bool input;
    snprintf(value, sizeof value, "%.*s", len, one);
    if (sscanf(value, "%31[A-Za-z_0-9-]<>%31[A-Za-z_0-9-]", key, other) == 2)
        return (size_t)snprintf(text, n, "exchange %s and %s", key, other);
    if (sscanf(value, "%31[A-Za-z_0-9]%c=%lf", key, &op, &by) == 3 && strchr("+*^", op)) {
        input = mer_find((struct mer_array *)t->in, t->call.n_in, key) != NULL;
        declared_value(t, key, was, sizeof was);
        if (op == '^')
            return (size_t)snprintf(text, n, "apply %s once", key);
        if (op == '*' && by == 0)
            return (size_t)snprintf(text, n, "read %s", key);
        if (op == '*')
            return (size_t)snprintf(text, n, by == -1 ? "negate %s" : "multiply %s by %.10g", key, 1 / by);
        if (input)
            return (size_t)snprintf(
                text, n, "%s %g %s %s", by > 0 ? "subtract" : "add", fabs(by), by > 0 ? "from" : "to", key);
        return (size_t)snprintf(text, n, "pass %s=%.0f", key, atof(was) - by);
    }
    if (strchr(value, '@'))
        return *value == '@' ?
            (size_t)snprintf(text, n, "read all inputs that have the axis %c as the signature says", value[1]) :
            (size_t)snprintf(text, n, "read %.*s as its signature says", (int)strcspn(value, "@"), value);
    if (sscanf(value, "%31[A-Za-z_0-9.]=%47s", key, other) != 2)
        return (size_t)snprintf(text, n, "undo %s", value);
    if (!strcmp(key, "edit") && strstr(other, ".c:"))
        return (size_t)snprintf(text, n, "look at what ref/ does at %.*s", repair_place(other), other);
    if (!strcmp(key, "edit"))
        return (size_t)snprintf(text, n, "look at the step %.*s", (int)strcspn(other, ":"), other);
    declared_value(t, key, was, sizeof was);
    if (*was) {
        const char *means = value_means(t->row, key, was);
        return strcmp(was, other) ? (size_t)snprintf(text, n, "pass %s=%s%s%s%s", key, was, means ? " (" : "",
                                        means ? means : "", means ? ")" : "") :
                                    0;
    }
    declared_step(t, key, was, sizeof was);
    return !strcmp(key, "fault") ?
        (size_t)snprintf(text, n, "put back what fault=%s leaves out", other) :
        (size_t)snprintf(text, n, "round %s to %s, or declare %s", key, *was ? was : "no less than the output", value);
}

void repair_write(const struct trial *t, const struct answer *a, char *text, size_t n)
{
    size_t at = 0;
    if (*a->m.repair && !*a->second) {
        snprintf(text, n, "%s", a->m.repair);
        return;
    }
    const char *part[] = { a->m.change, a->second };
    for (int k = 0; k < 2; k++)
        for (const char *s = part[k]; *s; s = word_next(s)) {
            char one[160] = "";
            if (repair_one(t, s, (int)strcspn(s, " "), one, sizeof one) && at + strlen(one) + 3 < n)
                at += (size_t)snprintf(text + at, n - at, "%s%s", at ? "; " : "", one);
        }
    if (a->convention && at + strlen(a->m.change) + 14 < n)
        snprintf(text + at, n - at, ", or declare %s", a->m.change);
}

/* The other names that the failures could have: those that these inputs cannot tell apart, and the same one in other
 * words. */
static void say_class(FILE *f, const struct diagnosis *d)
{
    bool any = false;
    for (const char *s = d->same; *s; s = names_after(s)) {
        const size_t n = strcspn(s, ",");
        if (!names_hold(d->spelt, s, n)) {
            fprintf(f, "%s%.*s", any ? ", " : "  one class on these inputs with: ", (int)n, s);
            any = true;
        }
    }
    if (any)
        fputc('\n', f);
    if (*d->spelt)
        fprintf(f, "  the same in every question asked: %s\n", d->spelt);
}

/* Of a failure that is none of numbers. */
static void say_no_number(FILE *f, const char *row, const struct diagnosis *d)
{
    const struct answer *a = d->answer;
    fprintf(f, "  matches %s.%s: %s\n  so %s %ld of %ld elements; as declared %ld\n", row, a->m.id, a->m.effect,
        d->chance ? "do" : "are", a->n, d->n, d->declared);
    fprintf(f, "  repair: %s\n", a->repair);
}
/* What explains some outputs, where each has a cause of its own. */
static void say_apart(FILE *f, const char *row, const struct diagnosis *d)
{
    for (int k = 0; k < d->answers; k++) {
        const struct answer *a = &d->answer[k];
        fprintf(f, "  %s %s.%s, in %s alone: %s%s%s%s\n",
            k            ? "and" :
                d->alone ? "consistent with" :
                           "matches",
            row, a->m.id, a->of, a->m.effect, *a->m.cite ? " [" : "", a->m.cite, *a->m.cite ? "]" : "");
        fprintf(f, "  explains %ld of its %ld elements, worst %.3g of the bound\n", a->explained, a->n, a->worst);
        if (*a->repair)
            fprintf(f, "  repair: %s\n", a->repair);
    }
    fprintf(f, d->answers > 1 ? "  so each output has a cause of its own; the others are as declared\n" :
                                "  and the other outputs are as declared\n");
}
/* What explains the failure, how well, and what to do about it. */
static void say_answer(FILE *f, const char *row, const struct diagnosis *d)
{
    const struct answer *a = d->answer;
    char change[200], under[UNDER + 20];
    snprintf(change, sizeof change, "%s%s%s", a->m.change, *a->second ? " with " : "", a->second);
    fprintf(f, "  %s %s.%s (%s)%s%s: %s%s%s%s\n",
        d->alone || d->single || d->silent || *d->rival ? "consistent with" : "matches", row, a->m.id, change,
        under_says(a->under, under, sizeof under),
        a->partly         ? ", in the elements that are wrong" :
            a->convention ? ", another convention, consistent" :
                            "",
        a->m.effect, *a->m.cite ? " [" : "", a->m.cite, *a->m.cite ? "]" : "");
    if (a->partly)
        fprintf(f, "  explains each of the %ld wrong elements, worst %.3g of the bound; the others are as declared\n",
            a->explained, a->worst);
    else
        fprintf(f, "  explains %ld of %ld elements, worst %.3g of the bound; as declared %ld of %ld\n", a->explained,
            a->n, a->worst, d->declared, d->n);
    if (a->open)
        fprintf(f, "  of %ld of them it says nothing: there such a kernel may give any number\n", a->open);
    if (a->left)
        fprintf(f, "  beside these, %ld elements were never written\n", a->left);
    if (d->alone)
        fprintf(f, "  which does not explain the other answers of this kernel\n");
    else if (*d->rival)
        fprintf(f, "  and is no name: %s\n", d->rival);
    else if (*a->repair && !d->single)
        fprintf(f, "  repair: %s\n", a->repair);
    say_class(f, d);
}

void diagnosis_say(FILE *f, const char *row, const struct diagnosis *d)
{
    if (d->explained)
        (d->apart ? say_apart : d->unwritten || d->chance ? say_no_number : say_answer)(f, row, d);
    else
        fprintf(f, d->spent ? "  not looked into: the work for causes was done on the failures above\n" :
                              "  resembles no known mistake\n");
    for (int k = 0; k < d->anatomy.n; k++)
        fprintf(f, "  anatomy: %s\n", d->anatomy.fact[k]);
    for (int k = d->explained; !d->apart && k < d->answers && k < 3; k++)
        if (d->explained)
            fprintf(f, "  also explained by %s%s%s, less closely\n", d->answer[k].m.id,
                *d->answer[k].second ? " with " : "", d->answer[k].second);
        else if (!d->explained && d->answer[k].explained > d->declared)
            fprintf(f, "  nearest: %s%s%s explains %ld of %ld elements; as declared %ld\n", d->answer[k].m.id,
                *d->answer[k].second ? " with " : "", d->answer[k].second, d->answer[k].explained, d->answer[k].n,
                d->declared);
    if (d->untried)
        fprintf(f, "  %d hypotheses not tried: the %s for one failure was up\n", d->untried, d->slow ? "time" : "work");
}

json_t *diagnosis_json(const struct diagnosis *d)
{
    json_t *list = json_array();
    for (int k = 0; k < d->answers; k++) {
        const struct answer *a = &d->answer[k];
        const bool all = answer_full(a);
        json_array_append_new(list,
            json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:s}", "id", a->m.id, "change", a->m.change, "second",
                a->second, "kind",
                !all              ? "partial" :
                    d->alone || d->single || *d->rival ? "partial" :
                    a->convention ? "convention" :
                                    "fault",
                "effect", a->m.effect, "cite", a->m.cite, "explains", (json_int_t)a->explained, "open",
                (json_int_t)a->open, "of", (json_int_t)a->n, "declared", (json_int_t)d->declared, "repair", a->repair));
        if (d->apart)
            json_object_set_new(json_array_get(list, (size_t)k), "outputs", json_string(a->of));
        if (!k && d->explained)
            json_object_set_new(json_array_get(list, 0), "class", json_string(d->same));
        if (!k && d->explained && *d->spelt)
            json_object_set_new(json_array_get(list, 0), "spellings", json_string(d->spelt));
        if (*a->under)
            json_object_set_new(json_array_get(list, (size_t)k), "under", json_string(a->under));
        if (!k && d->of_all)
            json_object_set_new(json_array_get(list, 0), "of_all_failures", json_true());
        if (!k && d->silent)
            json_object_set_new(json_array_get(list, 0), "says_nothing", json_true());
        if (!k && *d->rival)
            json_object_set_new(json_array_get(list, 0), "rival", json_string(d->rival));
        if (!k && *d->cause.id)
            json_object_set_new(json_array_get(list, 0), "cause", json_string(d->cause.id));
        if (!k && a->partly)
            json_object_set_new(json_array_get(list, 0), "of_the_wrong_elements", json_true());
    }
    return list;
}

bool diagnosis_holds(const struct diagnosis *d, const char *id)
{
    if (!d->explained)
        return false;
    if (!strcmp(d->answer[0].m.id, id))
        return true;
    return names_hold(d->same, id, strlen(id));
}
