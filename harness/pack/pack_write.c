/* Writes trials as a pack. */
#include <stdio.h>
#include <sys/stat.h>
#include "core/arrayfile.h"
#include "base/words.h"
#include "pack/pack.h"

static json_t *object_of(const char *text)
{
    json_t *o = json_object();
    for (const char *s = text + strspn(text, " "); *s; s = word_next(s)) {
        const size_t len = strcspn(s, " "), key = strcspn(s, "= ");
        char *word = need(len + 1, 1); /* whole: a value may be long, or empty ("words=" is a sentence without words) */
        memcpy(word, s, len);
        if (key < len)
            word[key] = 0, json_object_set_new(o, word, json_string(word + key + 1));
        free(word);
    }
    return o;
}

int pack_write(const char *dir, const struct trial *t, int count, const char *name, bool outputs)
{
    mkdir(dir, 0777);
    json_t *cases = json_array();
    for (int i = 0; i < count; i++) {
        json_t *in = json_object(), *out = json_object();
        for (int k = 0; k < t[i].call.n_in + t[i].call.n_out; k++) {
            bool input = k < t[i].call.n_in;
            const struct mer_array *a = input ? &t[i].in[k] : &t[i].out[k - t[i].call.n_in];
            char file[200], path[500];
            snprintf(file, sizeof file, "%s.%s.%s.%s", t[i].id, input ? "in" : "out", a->name,
                a->type == MER_BF16 ? "safetensors" : "npy");
            snprintf(path, sizeof path, "%s/%s", dir, file);
            if ((input || outputs) && array_write(path, a))
                return json_decref(in), json_decref(out), json_decref(cases), -1;
            json_object_set_new(input ? in : out, a->name, json_string(file));
        }
        json_array_append_new(cases,
            json_pack("{s:s,s:s,s:o,s:o,s:o,s:o}", "id", t[i].id, "row", t[i].row->name, "params", object_of(t[i].text),
                "profile", object_of(t[i].profile), "in", in, "out", out));
    }
    char path[300];
    snprintf(path, sizeof path, "%s/pack.json", dir);
    json_t *root = json_pack("{s:i,s:s,s:o}", "meridian_pack", 1, "name", name, "cases", cases);
    int rc = json_dump_file(root, path, JSON_INDENT(1));
    json_decref(root);
    return rc;
}
