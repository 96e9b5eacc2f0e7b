/* Checkpoint folders of other programs: what they hold is said, and what is wrong in them is refused in one line. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include "command.h"
#include "base/tsv.h"
#include "core/data.h"
#include "core/files.h"
#include "lab/weights/class.h"
#include "model/card.h"

static const char *dir; /* each test has one of its own, for they run side by side */
static void put(const char *name, const void *data, size_t n)
{
    char path[200], why[300];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert(!folder_make(dir, why, sizeof why) && !file_replace(path, data, n, why, sizeof why), "%s", why);
}
/* Writes a file of this header and these bytes. */
static void safe(const char *name, const char *head, const void *data, size_t bytes)
{
    static char file[5000];
    const uint64_t len = strlen(head);
    memcpy(file, &len, 8), memcpy(file + 8, head, len), memcpy(file + 8 + len, data, bytes);
    put(name, file, 8 + len + bytes);
}
static void drop(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    cr_assert_eq(system(command), 0);
}
static int ask(void)
{
    char args[100];
    snprintf(args, sizeof args, "lab weights %s", dir);
    return meridian("", args);
}
static void refused(const char *says)
{
    const int rc = ask();
    cr_expect(rc == 2 && lines(err) == 1 && strstr(err, says), "exit %d, '%s' lacks '%s'", rc, err, says);
}

Test(lab_weights, what_a_checkpoint_holds_is_said_in_every_type_and_by_shards, .timeout = 60)
{
    static const char index[] = "{\"weight_map\":{\"a\":\"one.safetensors\",\"b\":\"two.safetensors\"}}";
    const float single[] = { -1.5f, 3, 2, 1 };
    const uint16_t half[] = { 0x3f80, 0xc020 }; /* 1 and -2.5 in bfloat16; 1.875 and -2.0625 in float16 */
    dir = "build/lab-weights-good";
    drop();
    safe("model.safetensors", "{\"a\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}", single, 16);
    cr_expect(ask() == 0 && strstr(out, "f32  [2,2] -1.5 to 3\n") &&
            strstr(out, "1 tensors, 4 numbers, 1 files"), "%s%s", out, err);
    safe("one.safetensors", "{\"a\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[0,4]}}", half, 4);
    safe("two.safetensors", "{\"b\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]}}", half, 4);
    put("model.safetensors.index.json", index, strlen(index));
    cr_expect(ask() == 0 && strstr(out, "bf16 [2] -2.5 to 1\n") &&
            strstr(out, "f16  [2] -2.0625 to 1.875\n") && strstr(out, "2 files"), "%s%s", out, err);
    drop();
}

Test(lab_weights, what_is_wrong_in_a_checkpoint_is_named_and_refused, .timeout = 60)
{
    static const float bad[] = { 1, NAN, INFINITY, 2 };
    static const struct { const char *head; size_t bytes; const char *says; } list[] = {
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 16, "'a' holds NaN, its element 1" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 12, "'a': data_offsets outside" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1000000,1000000],\"data_offsets\":[0,16]}}", 16,
            "'a': its shape is more" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
            "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,16]}}", 16, "overlap" },
        { "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 16, "oversized" },
        { "{\"a\":{\"dtype\":\"I64\",\"shape\":[2],\"data_offsets\":[0,16]}}", 16, "of no type of weights" },
        { "[]", 0, "no object" },
    };
    dir = "build/lab-weights-bad";
    drop();
    refused("model.safetensors: No such file");
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        safe("model.safetensors", list[k].head, bad, list[k].bytes);
        refused(list[k].says);
    }
    put("model.safetensors", "\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10);
    refused("bad header length");
    static const struct { const char *map, *says; } maps[] = {
        { "{}", "no object 'weight_map'" },
        { "{\"weight_map\":{\"a\":\"../model.safetensors\"}}", "'a' has no plain file name" },
        { "{\"weight_map\":{\"z\":\"one.safetensors\"}}", "no tensor 'z'" },
        { "{\"weight_map\":{\"a\":\"gone.safetensors\"}}", "No such file" },
        { "{\"weight_map\":{\"b\":\"one.safetensors\"}}", "tensor 'a' is not the index's" },
    };
    safe("one.safetensors", "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
        "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", bad, 8);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        put("model.safetensors.index.json", maps[k].map, strlen(maps[k].map));
        refused(maps[k].says);
    }
    cr_expect(meridian("", "lab weights") == 2 && strstr(err, "give the folder") && lines(err) == 1, "%s", err);
    cr_expect(meridian("", "lab list extra") == 2 && strstr(err, "too many: 'extra'"), "%s", err);
    drop();
}

/* Counts the keys of every kind of layers of a card and of the cards inside it, and demands of each that somebody has
 * decided whether a run of a checkpoint follows it. */
static long keys_of(const json_t *card, const char *of)
{
    const char *key;
    json_t *part, *kind, *v;
    size_t i, j;
    long n = 0;
    json_array_foreach(json_object_get(card, "parts"), i, part)
        json_array_foreach(json_object_get(part, "kinds"), j, kind) {
            json_object_foreach(kind, key, v) {
                cr_expect(class_key(CARD_KIND, key) != KEY_UNKNOWN, "%s: sight.c neither follows nor refuses '%s'", of,
                    key);
                n++;
            }
            json_object_foreach(json_object_get(kind, "rules"), key, v) {
                cr_expect(class_key(CARD_RULES, key) != KEY_UNKNOWN,
                    "%s: sight.c neither follows nor refuses the rule '%s'", of, key);
                n++;
            }
        }
    json_object_foreach(json_object_get(card, "inner"), key, v)
        n += keys_of(v, of);
    return n;
}
static long keys_in(json_t *root, const char *of)
{
    json_t *card = card_of(root);
    const long n = keys_of(card, of);
    json_decref(card), json_decref(root);
    return n;
}

/* A key that a card newly has would have every checkpoint refused, or, among the rules, be left out without a word. */
Test(lab_weights, every_key_of_every_card_is_followed_or_refused, .timeout = 120)
{
    char path[700], last[100] = "", type[100];
    struct tsv t;
    long types = 0, files = 0, keys = 0;
    for (tsv_open(&t, data_path("models/types.tsv", path, sizeof path)); tsv_next(&t);) {
        if (!t.n || !strcmp(t.col[0], last) || !strcmp(t.col[0], "*"))
            continue;
        snprintf(last, sizeof last, "%s", t.col[0]), snprintf(type, sizeof type, "%s", t.col[0]);
        json_t *root = json_pack("{ss}", "model_type", type);
        keys += keys_in(root, type), types++;
    }
    tsv_close(&t);
    *strrchr(path, '/') = 0;
    DIR *d = opendir(path);
    cr_assert(d != NULL);
    for (struct dirent *f; (f = readdir(d));) {
        char file[1000];
        json_t *root;
        snprintf(file, sizeof file, "%s/%s", path, f->d_name);
        if (strstr(f->d_name, ".json") && (root = json_load_file(file, 0, NULL)))
            keys += keys_in(root, f->d_name), files++;
    }
    closedir(d);
    cr_expect(types > 100 && files > 100 && keys > 1000, "%ld types, %ld files, %ld keys", types, files, keys);
    cr_expect(class_key(CARD_KIND, "nosuch") == KEY_UNKNOWN && class_key(CARD_RULES, "cache") == KEY_UNKNOWN &&
        class_key(CARD_KIND, "cache") == KEY_FOLLOWED && class_key(CARD_RULES, "chunk") == KEY_REFUSED);
}
