/* Findings in released libraries: read from data/findings.tsv, and their recordings judged again. */
#include "compare/compare.h"
#include "base/tsv.h"
#include "findings/discovery.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "core/data.h"
#include "base/words.h"
#include "examine/examine.h"
#include "pack/pack.h"
#include "subject/subject.h"
#include "trial/mistake.h"

enum { LINES = 64 }; /* lines of each output that are compared, as many as `meridian judge` compares by default */
const char *const discovery_word[DISCOVERY_KINDS] = { "bug", "accuracy", "policy", "option" };

bool discovery_recording(const struct discovery *d, int k, char pack[64], char id[96])
{
    const char *s = d->recorded;
    for (; k > 0 && *s; k--)
        s = word_next(s);
    return sscanf(s, "%63[^/ ]/%95[^ ]", pack, id) == 2;
}

static bool read_line(const struct tsv *t, struct discovery *d)
{
    char kind[16], pack[64], id[96];
    const struct tsv_place to[] = { { d->id, sizeof d->id }, { d->library, sizeof d->library },
        { d->version, sizeof d->version }, { kind, sizeof kind }, { d->row, sizeof d->row },
        { d->effect, sizeof d->effect }, { d->claim, sizeof d->claim }, { d->recorded, sizeof d->recorded },
        { d->live, sizeof d->live }, { d->witness, sizeof d->witness }, { 0 } };
    if (tsv_take(t, to) != 10)
        return false;
    for (d->kind = 0; d->kind < DISCOVERY_KINDS && strcmp(kind, discovery_word[d->kind]);)
        d->kind++;
    return d->kind < DISCOVERY_KINDS && discovery_recording(d, 0, pack, id);
}

int discoveries_each(int (*f)(const struct discovery *d, void *with), void *with)
{
    char path[600];
    struct discovery d;
    struct tsv t;
    int rc = 0;
    if (!tsv_open(&t, data_path("findings.tsv", path, sizeof path)))
        return -1;
    while (!rc && tsv_next(&t))
        rc = read_line(&t, &d) ? f(&d, with) : -1;
    return tsv_close(&t), rc;
}

/* Judges one case of a pack again: whether it is KNOWN, of that row, and with that witness (NULL: any). seen: as of
 * discovery_seen. */
static bool case_seen(const char *pack, const char *id, const char *row, const char *witness, struct tally *y,
    char *seen, size_t n)
{
    char what[80], path[600], err[600] = "", got[200];
    struct subject s;
    struct trial t;
    struct finding f;
    struct mistake match;
    bool found = false;
    int rc;
    snprintf(what, sizeof what, "peers/%s", pack);
    snprintf(seen, n, "no such case");
    if (subject_pack(&s, data_path(what, path, sizeof path), err, sizeof err))
        return snprintf(seen, n, "%s", err), false;
    snprintf(s.name, sizeof s.name, "%s", pack);
    pack_only(&s, id);
    while (!found && (rc = s.next(&s, &t, err, sizeof err)) > 0) {
        size_t same = strcspn(t.id, "/");
        if (strlen(id) == same && !strncmp(t.id, id, same)) {
            examine_case(&(struct pack_case){ &s, rc, err, LINES, .planted = false }, &t, y, &f, &match);
            bool known = f.word == KNOWN_DEVIATION;
            snprintf(got, sizeof got, "%s[%ld,%ld|%ld] got %a exactly %s", y->out ? y->out : "?", y->at[0], y->at[1],
                y->k, y->got, y->digits);
            snprintf(seen, n, "%s%s%s", known ? "" : word_name[f.word], known ? "" : ": ", f.word == SKIPPED
                ? err : got);
            found = known && (!witness || !strcmp(got, witness)) && !strcmp(t.row->name, row);
        }
        trial_close(&t);
    }
    s.close(&s);
    return found;
}

bool discovery_seen(const struct discovery *d, struct tally *y, char *seen, size_t n)
{
    char pack[64], id[96], other[400];
    struct tally rest = { 0 };
    bool found = discovery_recording(d, 0, pack, id) && case_seen(pack, id, d->row, d->witness, y, seen, n);
    for (int k = 1; found && discovery_recording(d, k, pack, id); k++) {
        found = case_seen(pack, id, d->row, NULL, &rest, other, sizeof other);
        if (!found)
            snprintf(seen, n, "%.90s: %.200s", id, other);
    }
    return found;
}

static void as_json(const struct discovery *d)
{
    json_t *o = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s}", "id", d->id, "library", d->library, "version",
        d->version, "kind", discovery_word[d->kind], "row", d->row, "effect", d->effect, "claim", d->claim, "recorded",
        d->recorded, "live", d->live, "witness", d->witness);
    json_dumpf(o, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(o);
}
void discovery_print(const struct discovery *d, bool json)
{
    if (json)
        as_json(d);
    else
        printf("%-8s %s, %s %s, %s\n         %s\n         claim     %s\n         recorded  %s\n         live      %s\n",
            discovery_word[d->kind], d->id, d->library, d->version, d->row, d->effect, d->claim, d->recorded,
            *d->live == '-' ? "asked by nothing" : d->live);
}
