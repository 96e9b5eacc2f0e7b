/* Cards that a test makes of the text of a configuration, and what it looks up in them. */
#ifndef CARDS_H
#define CARDS_H
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/data.h"
#include "base/nonfinite.h"
#include "model/card.h"

/* The folder of the repository, which data/ lies in. */
static inline const char *home(char *path, size_t n)
{
    data_path("models/README.md", path, n);
    *strstr(path, "data/models/README.md") = 0;
    if (!*path)
        snprintf(path, n, "./");
    return path;
}

/* The object of a configuration in JSON, or as Python writes it; the caller owns it. */
static inline json_t *root_of_text(const char *text)
{
    size_t n = strlen(text);
    char *spelt = nonfinite_spelt(text, n, &n);
    json_t *root = json_loadb(spelt ? spelt : text, n, 0, NULL);
    free(spelt);
    return root;
}

/* The card of a configuration in JSON, or as Python writes it; the caller owns it. */
static inline json_t *card_of_text(const char *text)
{
    json_t *root = root_of_text(text), *card;
    cr_assert(root != NULL, "%s", text);
    card = card_of(root);
    json_decref(root);
    return card;
}

/* The part of a card at a place of the model, borrowed; NULL: it has none there. */
static inline json_t *part_at(json_t *card, const char *place)
{
    size_t k;
    json_t *part;
    json_array_foreach(json_object_get(card, "parts"), k, part)
        if (!strcmp(json_string_value(json_object_get(part, "place")), place))
            return part;
    return NULL;
}
#endif
