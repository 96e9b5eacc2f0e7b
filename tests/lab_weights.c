/* Checkpoint folders of other programs: what they hold is said, and what is wrong in them is refused in one line. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include "command.h"
#include "core/files.h"

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
