/* Writes trials as a pack; see pack_write.h. */
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/arrayfile.h"
#include "core/files.h"
#include "base/leftover.h"
#include "base/words.h"
#include "pack/pack_write.h"

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

/* The arrays of a case, each into a file of its own that is named in `in` and `out`; 0, or -1: a file cannot be
 * written. */
static int write_arrays(const char *dir, const struct trial *t, bool outputs, json_t *in, json_t *out)
{
    for (int k = 0; k < t->call.n_in + t->call.n_out; k++) {
        const bool input = k < t->call.n_in;
        const struct mer_array *a = input ? &t->in[k] : &t->out[k - t->call.n_in];
        char file[200], path[500];
        snprintf(file, sizeof file, "%s.%s.%s.%s", t->id, input ? "in" : "out", a->name,
            a->type == MER_BF16 ? "safetensors" : "npy");
        snprintf(path, sizeof path, "%s/%s", dir, file);
        json_object_set_new(input ? in : out, a->name, json_string(file));
        if (!input && !outputs)
            continue;
        if (access(path, F_OK))
            leftover_add(path);
        if (array_write(path, a))
            return -1;
    }
    return 0;
}

int pack_write(const char *dir, const struct trial *t, int count, const char *name, bool outputs)
{
    char path[300], err[400];
    int rc = 0;
    if (!mkdir(dir, 0777))
        leftover_add(dir);
    json_t *cases = json_array();
    for (int i = 0; i < count && !rc; i++) {
        json_t *in = json_object(), *out = json_object();
        rc = write_arrays(dir, &t[i], outputs, in, out);
        json_array_append_new(cases,
            json_pack("{s:s,s:s,s:o,s:o,s:o,s:o}", "id", t[i].id, "row", t[i].row->name, "params", object_of(t[i].text),
                "profile", object_of(t[i].profile), "in", in, "out", out));
    }
    snprintf(path, sizeof path, "%s/pack.json", dir);
    json_t *root = json_pack("{s:i,s:s,s:o}", "meridian_pack", 1, "name", name, "cases", cases);
    char *text = json_dumps(root, JSON_INDENT(1));
    rc = rc || !text || file_replace(path, text, strlen(text), err, sizeof err) ? -1 : 0;
    free(text), json_decref(root);
    leftover_settle(dir, !rc);
    return rc;
}
