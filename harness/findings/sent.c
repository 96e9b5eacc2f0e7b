/* Texts to send, read from data/findings and written as folders; see sent.h. */
#include "findings/sent.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arith/need.h"
#include "core/data.h"
#include "core/files.h"

/* A copy of from[0 .. n), owned by the caller. */
static char *part(const char *from, size_t n)
{
    char *s = need(n + 1, 1);
    memcpy(s, from, n);
    return s[n] = 0, s;
}

/* What stands between the lines "```WORD" and "```", or NULL. */
static char *fence(const char *text, const char *word)
{
    char open[24];
    snprintf(open, sizeof open, "\n```%s\n", word);
    const char *s = strstr(text, open), *end = s ? strstr(s + strlen(open), "\n```\n") : NULL;
    return end ? part(s + strlen(open), (size_t)(end - s) + 1 - strlen(open)) : NULL;
}

int sent_read(struct sent *s, const char *id, char *err, size_t n)
{
    char what[120], path[600];
    *s = (struct sent){ 0 };
    snprintf(what, sizeof what, "findings/%.80s.md", id);
    s->text = file_read(data_path(what, path, sizeof path));
    if (!s->text)
        return snprintf(err, n, "%.300s: cannot be read", path), -1;
    const char *head = s->text, *versions = strstr(head, "\n\n");
    s->program = fence(head, "python");
    if (!s->program)
        s->program = fence(head, "rust"), s->rust = true;
    s->printed = fence(head, "text");
    if (strncmp(head, "# ", 2) || !versions || !s->program || !s->printed)
        return snprintf(err, n, "%.300s: no title, versions, program and what it prints; data/README.md says the form",
            path), -1;
    s->title = part(head + 2, strcspn(head + 2, "\n"));
    s->versions = part(versions + 2, strcspn(versions + 2, "\n"));
    return 0;
}

void sent_free(struct sent *s)
{
    free(s->text), free(s->title), free(s->versions), free(s->program), free(s->printed);
    *s = (struct sent){ 0 };
}

static bool version_at(const char *s) /* three numbers with dots between */
{
    int dots = 0;
    for (; isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1])); s++)
        dots += *s == '.';
    return dots == 2;
}

bool sent_package(const struct sent *s, int k, char name[64], char version[24])
{
    for (const char *at = s->versions, *blank; (blank = strchr(at, ' ')); at = blank + 1)
        if (blank > at && version_at(blank + 1) && k-- == 0) {
            snprintf(name, 64, "%.*s", (int)(blank - at), at);
            snprintf(version, 24, "%.*s", (int)strspn(blank + 1, "0123456789."), blank + 1);
            return true;
        }
    return false;
}

/* The versions in the words of cargo or of pip; owned by the caller. */
static char *manifest(const struct sent *s)
{
    char name[64], version[24], *text = NULL;
    size_t n = 0;
    FILE *f = need_stream(&text, &n);
    if (s->rust)
        fputs("[package]\nname = \"shows\"\nversion = \"0.1.0\"\nedition = \"2021\"\npublish = false\n\n"
              "[dependencies]\n", f);
    for (int k = 0; sent_package(s, k, name, version); k++)
        fprintf(f, s->rust ? "%s = { version = \"=%s\", default-features = false }\n" : "%s==%s\n", name, version);
    fclose(f);
    return text;
}

static const char by_python[] = "#!/bin/sh\n# Installs those versions beside this file, and runs the program.\nset -e\n"
    "cd \"$(dirname \"$0\")\"\n[ -d .venv ] || python3 -m venv .venv\n"
    ".venv/bin/python -m pip install -q -r requirements.txt\n.venv/bin/python program.py\n";
static const char by_cargo[] = "#!/bin/sh\n# Compiles the program with those versions, and runs it.\nset -e\n"
    "cd \"$(dirname \"$0\")\"\ncargo run -q --release\n";

int sent_write(const struct sent *s, const char *folder, char *err, size_t n)
{
    char *versions = manifest(s), path[4400];
    const struct { const char *name, *text; } file[] = { { "report.md", s->text }, { "printed.txt", s->printed },
        { "again.sh", s->rust ? by_cargo : by_python }, { s->rust ? "Cargo.toml" : "requirements.txt", versions },
        { s->rust ? "src/main.rs" : "program.py", s->program } };
    snprintf(path, sizeof path, "%.4200s%s", folder, s->rust ? "/src" : "");
    int rc = folder_make(path, err, n);
    for (size_t k = 0; k < sizeof file / sizeof *file && !rc; k++) {
        snprintf(path, sizeof path, "%.4200s/%s", folder, file[k].name);
        rc = file_replace(path, file[k].text, strlen(file[k].text), err, n);
    }
    free(versions);
    return rc;
}
