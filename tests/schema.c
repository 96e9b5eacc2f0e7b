/* The words of packs as data/README.md and data/pack.schema.json have them: neither can go stale. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "command.h"
#include "core/arrayfile.h"
#include "pack/example.h"
#include "pack/understood.h"

/* Does v hold under the schema s?  The words of JSON Schema that pack.schema.json uses; any other fails. */
static bool holds(const json_t *s, const json_t *v, char *why, size_t n);

static bool is_type(const char *type, const json_t *v)
{
    return !strcmp(type, "object") ? json_is_object(v) : !strcmp(type, "array") ? json_is_array(v) :
        !strcmp(type, "string")    ? json_is_string(v) : !strcmp(type, "integer") ? json_is_integer(v) :
        !strcmp(type, "null")      ? json_is_null(v) : false;
}

static bool type_holds(const json_t *types, const json_t *v)
{
    bool any = json_is_string(types) && is_type(json_string_value(types), v);
    size_t k;
    json_t *t;
    json_array_foreach(types, k, t) any |= is_type(json_string_value(t), v);
    return any;
}

static bool members_hold(const json_t *s, const json_t *v, char *why, size_t n)
{
    const json_t *known = json_object_get(s, "properties"), *more = json_object_get(s, "additionalProperties");
    const char *key;
    json_t *w;
    json_object_foreach ((json_t *)(uintptr_t)v, key, w) {
        const json_t *of = json_object_get(known, key) ? json_object_get(known, key) : more;
        if (json_is_false(of))
            return snprintf(why, n, "no property '%s'", key), false;
        if (json_is_object(of) && !holds(of, w, why, n))
            return false;
    }
    return true;
}

static bool holds(const json_t *s, const json_t *v, char *why, size_t n)
{
    const char *word;
    json_t *w, *x;
    size_t k;
    bool ok = true;
    json_object_foreach ((json_t *)(uintptr_t)s, word, w) {
        const size_t size = json_is_array(v) ? json_array_size(v) : json_is_string(v) ? json_string_length(v) : 0;
        if (!strcmp(word, "type"))
            ok = type_holds(w, v);
        else if (!strcmp(word, "required"))
            json_array_foreach(w, k, x) ok = ok && json_object_get(v, json_string_value(x));
        else if (!strcmp(word, "enum"))
            ok = json_equal(json_array_get(w, 0), v); /* Every enum of this schema has one value. */
        else if (!strcmp(word, "minItems") || !strcmp(word, "minLength"))
            ok = size >= (size_t)json_integer_value(w);
        else if (!strcmp(word, "maxItems") || !strcmp(word, "maxLength"))
            ok = size <= (size_t)json_integer_value(w);
        else if (!strcmp(word, "items"))
            json_array_foreach(v, k, x) ok = ok && holds(w, x, why, n);
        else if (!strcmp(word, "properties") || !strcmp(word, "additionalProperties"))
            ok = !json_is_object(v) || members_hold(s, v, why, n);
        else
            ok = strstr("$schema title description", word) != NULL;
        if (!ok)
            return *why ? false : (snprintf(why, n, "%s", word), false);
    }
    return true;
}

static json_t *schema(void)
{
    json_t *s = json_load_file("data/pack.schema.json", JSON_REJECT_DUPLICATES, NULL);
    cr_assert(s);
    return s;
}

Test(schema, every_pack_of_the_tree_holds_under_it)
{
    json_t *s = schema();
    FILE *list = popen("ls data/peers/*/pack.json", "r");
    char path[200], why[200] = "";
    int n = 0;
    while (fgets(path, sizeof path, list)) {
        path[strcspn(path, "\n")] = 0;
        json_t *root = json_load_file(path, 0, NULL);
        cr_expect(root && holds(s, root, why, sizeof why), "%s: %s", path, why);
        json_decref(root), n++;
    }
    pclose(list), json_decref(s);
    cr_expect_geq(n, 20);
}

/* What it refuses the reader refuses too, or does not understand. */
Test(schema, what_it_refuses_is_refused)
{
    static const char *const bad[] = {
        "{}", "{\"cases\": {}}",
        "{\"cases\": [{\"id\": \"\", \"row\": \"rope\", \"in\": {}, \"out\": {\"y\": \"y.npy\"}}]}",
        "{\"cases\": [{\"id\": \"c\", \"in\": {}, \"out\": {\"y\": \"y.npy\"}}]}",
        "{\"cases\": [{\"id\": \"c\", \"row\": \"rope\", \"out\": {\"y\": \"y.npy\"}}]}",
        "{\"cases\": [{\"id\": \"c\", \"row\": \"rope\", \"in\": {}, \"out\": {\"y\": 3}}]}",
        "{\"cases\": [{\"id\": \"c\", \"row\": \"rope\", \"in\": {}, \"out\": {\"y\": \"y.npy\"}, \"params\": []}]}",
        "{\"cases\": [{\"id\": \"c\", \"row\": \"rope\", \"in\": {}, \"out\": {\"y\": \"y.npy\"}, \"profile\": 32}]}",
        "{\"cases\": [{\"id\": \"c\", \"row\": \"rope\", \"in\": {}, \"out\": {\"y\": \"y.npy\"}, \"parms\": {}}]}",
    };
    json_t *s = schema();
    mkdir("build/schema-bad", 0777);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char why[200] = "";
        json_t *root = json_loads(bad[k], 0, NULL);
        cr_assert(root, "%s", bad[k]);
        cr_expect(!holds(s, root, why, sizeof why), "%s", bad[k]);
        json_dump_file(root, "build/schema-bad/pack.json", 0);
        json_decref(root);
        cr_expect_neq(meridian("", "pack check build/schema-bad"), 0, "%s: %s", bad[k], out);
    }
    json_decref(s);
}

/* The examples that data/README.md has are among those that the program writes. */
Test(schema, the_examples_of_the_page_are_those_of_the_rows)
{
    static char page[1 << 18];
    int n = 0;
    slurp("data/README.md", page, sizeof page);
    cr_assert_eq(meridian("", "pack words"), 0, "%s", err);
    for (char *line = strtok(page, "\n"); line; line = strtok(NULL, "\n"))
        if (strstr(line, "| `{\"id\": ")) {
            cr_expect(strstr(out, line), "data/README.md: no line of `meridian pack words`: %s", line);
            n++;
        }
    cr_expect_geq(n, 4, "%d examples", n);
}

/* The example of every row is read as it stands. */
Test(schema, the_examples_of_the_rows_are_read)
{
    const char dir[] = "build/schema-examples";
    json_t *s = schema();
    mkdir(dir, 0777);
    for (const struct row *const *r = all_rows; *r; r++) {
        struct example e;
        struct subject who;
        struct understood u;
        char path[160], why[900] = "", *text;
        cr_assert_eq(example_make(&e, *r, why, sizeof why), 0, "%s", why);
        text = json_dumps(e.c, JSON_PRESERVE_ORDER);
        for (int k = 0; k < e.t.call.n_in + e.t.call.n_out; k++) {
            struct mer_array *a = k < e.t.call.n_in ? &e.t.in[k] : &e.t.out[k - e.t.call.n_in];
            snprintf(path, sizeof path, "%s/%s.npy", dir, a->name);
            cr_assert_eq(array_write(path, a), 0);
        }
        json_t *root = json_pack("{s:[O]}", "cases", e.c);
        cr_expect(holds(s, root, why, sizeof why), "%s: %s", text, why);
        snprintf(path, sizeof path, "%s/pack.json", dir);
        cr_assert_eq(json_dump_file(root, path, 0), 0);
        cr_assert_eq(subject_pack(&who, dir, why, sizeof why), 0, "%s: %s", text, why);
        understood_begin(&u, &who);
        cr_expect(understood_next(&u) && u.got == 1 && !json_array_size(u.unread), "%s: %s", text, u.why);
        cr_expect(!understood_next(&u));
        understood_end(&u), who.close(&who), json_decref(root), free(text), example_close(&e);
    }
    json_decref(s);
}
