/* The report's models: every encoding of data/models under every contract of its row, over the model's own context. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "data.h"
#include "report.h"
#include "scan.h"

enum { SILENT = 1 << 20 }; /* positions scanned where a file names no maximum */
struct question { const struct encoding *e; const struct preset *contract; int64_t limit; };

static void fill_scan(struct report *r, const void *with)
{
    static const char *const names[] = { "valid f32", "valid f16", "valid bf16" };
    const struct question *q = with;
    struct scan s;
    char err[300], witness[260];
    struct entry e = { .row = q->e->row, .quantity = "cos sin", .subject = q->contract->name, .params = q->e->params, .measure = "scan", .bound = (double)NAN, .value = (double)NAN, .n = q->limit, .method = "exhaustive" };
    if (scan_run(q->e->row, q->e->params, q->contract->text, q->limit, &s, err, sizeof err)) {
        e.method = "", e.measure = "not run", e.quantity = "scan", e.witness = err, e.verdict = "SKIP";
        report_put(r, &e);
        return;
    }
    snprintf(witness, sizeof witness, "position %ld, pair %ld, %s: got %a, exact %.24s%s", s.at_pos, s.at_pair, s.is_sin ? "sin" : "cos", s.got, s.want_digits, s.slack > 0 ? " (largest up to the slack)" : "");
    e.witness = witness, e.measure = "worst", e.value = s.worst;
    report_put(r, &e);
    for (int k = 0; k < 3; k++) {
        e.measure = names[k], e.value = (double)s.valid[k], e.bound = ldexp(1, -scan_bits[k]), e.witness = "";
        report_put(r, &e);
    }
    e.bound = (double)NAN;
    e.measure = "nonfinite from", e.value = s.nonfinite ? (double)s.nonfinite_at : (double)NAN;
    report_put(r, &e);
    for (int k = 0; k < s.n_curve; k++)
        store_point(r->store, "error", (double)s.curve[k].pos, s.curve[k].worst);
}

struct model { const char *name; const struct config *c; const struct encoding *e; };

static void fill_model(struct report *r, const void *with)
{
    const struct model *m = with;
    char where[260];
    snprintf(where, sizeof where, "%s%s%s", m->e->layers, *m->e->layers ? "; from " : "from ", m->e->evidence);
    report_put(r, &(struct entry){ .row = m->e->row, .quantity = m->c->kind, .subject = m->name, .params = m->e->params, .measure = "encoding", .value = (double)m->e->most, .bound = (double)NAN,
        .n = m->e->most ? m->e->most : SILENT, .witness = *m->e->reason ? m->e->reason : where, .verdict = *m->e->reason ? "SKIP" : "" });
}

static bool repeats(const struct row *row, const struct preset *p) /* contracts that differ only behind the table are one */
{
    static const char *const behind[] = { "store=", "product=", "sum=", "amplitude=" };
    for (const struct preset *q = row->contracts; q < p; q++) {
        const char *a = q->text, *b = p->text;
        for (;;) {
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 4; k++) {
                    const char **s = side ? &b : &a;
                    *s += strspn(*s, " ");
                    if (!strncmp(*s, behind[k], strlen(behind[k])))
                        *s += strcspn(*s, " "), k = -1;
                }
            size_t n = strcspn(a, " ");
            if (n != strcspn(b, " ") || strncmp(a, b, n))
                break;
            if (!n)
                return true;
            a += n, b += n;
        }
    }
    return false;
}

static int judge(struct report *r, const char *name, const struct config *c, const struct encoding *e)
{
    static char what[TEXT_MAX + 600];
    struct model m = { name, c, e };
    snprintf(what, sizeof what, "model %s: %s %s layers %s most %lld evidence %s reason %s kind %s", name, e->row, e->params, e->layers, (long long)e->most, e->evidence, e->reason, c->kind);
    int rc = report_item(r, what, fill_model, &m);
    const struct row *row = *e->reason ? NULL : row_named(e->row);
    for (const struct preset *p = row ? row->contracts : NULL; p && p->name && !rc; p++) {
        struct question q = { e, p, e->most ? e->most : SILENT };
        snprintf(what, sizeof what, "scan %s %lld: %s %s, contract %s", p->name, (long long)q.limit, e->row, e->params, p->text);
        if (!repeats(row, p))
            rc = report_item(r, what, fill_scan, &q);
    }
    return rc;
}

static int is_model(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 5 && !strcmp(d->d_name + n - 5, ".json");
}

int report_models(struct report *r)
{
    char dir[4000], path[4400], name[200], err[400];
    struct dirent **list;
    int rc = 0, n = scandir(data_path("models", dir, sizeof dir), &list, is_model, alphasort);
    if (n <= 0)
        return report_skip(r, "models", "data/models", "no such folder"), *r->err ? -1 : 0;
    for (int k = 0; k < n; k++) {
        static struct config c;
        bool published = !strncmp(list[k]->d_name, "published-", 10);
        snprintf(path, sizeof path, "%s/%s", dir, list[k]->d_name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(list[k]->d_name) - 5 - (published ? 10 : 0), list[k]->d_name + (published ? 10 : 0));
        if (rc || (r->quick && !published))
            ;
        else if (config_read(path, &c, err, sizeof err))
            report_skip(r, "model", name, strrchr(err, '/') ? strrchr(err, '/') + 1 : err); /* the folder is this machine's own */
        else
            for (int j = 0; j < c.n && !rc; j++)
                rc = judge(r, name, &c, &c.e[j]);
        free(list[k]);
    }
    free(list);
    return rc || *r->err ? -1 : 0;
}
