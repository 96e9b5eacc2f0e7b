/* Reads the words of operations done differently; see read.h. */
#include "words/read.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "edit/maps.h"
#include "edit/shift.h"
#include "words/words.h"

const char edit_nowhere[] = "edit=nowhere:0:add:zero";

enum { NO_KIND = -1 };
static int named_kind(const char *s, size_t n)
{
    int k = 0;
    while (k < SITE_KINDS && (strlen(kind_words[k].name) != n || strncmp(kind_words[k].name, s, n)))
        k++;
    return k < SITE_KINDS ? k : NO_KIND;
}

static int operand_named(const char *kind, size_t n)
{
    for (int k = 1; k < 3; k++) {
        const size_t m = strlen(operand_words[k]);
        if (n > m && !strncmp(kind + n - m, operand_words[k], m))
            return k;
    }
    return 0;
}
/* The axis of that character: its number, p, t or a (tape.h); -1: none. */
static int axis_named(char c)
{
    return c == 'p' ? AXIS_PARTS : c == 't' ? AXIS_TURNS : c == 'a' ? AXIS_ALL :
        c >= '0' && c < '0' + MER_RANK ? c - '0' : -1;
}

static bool part_is(const char *s, size_t n, const char *word) { return n == strlen(word) && !strncmp(s, word, n); }
/* Reads the last part of a word, "2of4", "hidden", "guarded", "negative" or "positive". */
static bool occurrence_read(struct edit *e, const char *s, size_t n)
{
    e->guarded = part_is(s, n, word_guarded), e->hidden = e->guarded || part_is(s, n, word_hidden);
    e->sign = part_is(s, n, word_positive) - part_is(s, n, word_negative);
    return e->hidden || e->sign || turns_read(s, n, &e->which, &e->of) ||
        (sscanf(s, "%dof%d", &e->which, &e->of) == 2 && e->of >= 2 && e->of <= 9 && e->which >= 1 &&
            e->which <= e->of);
}

/* Reads the number behind "times-" or "plus-", n bytes: a sign, digits, and a point among these. */
static bool number_read(struct edit *e, const char *s, size_t n)
{
    enum { DIGITS = 18 }; /* Of so many both are numbers of 64 bits. */
    const bool negative = n && *s == '-';
    int digits = 0, points = 0;
    e->number_of = 0, e->number_over = 1;
    for (size_t k = negative; k < n; k++) {
        if (s[k] == '.') {
            points++;
            continue;
        }
        if (s[k] < '0' || s[k] > '9' || ++digits > DIGITS)
            return false;
        e->number_of = 10 * e->number_of + (s[k] - '0');
        e->number_over *= points ? 10 : 1;
    }
    e->number_of = negative ? -e->number_of : e->number_of;
    return digits && points < 2;
}
/* Reads the operation of a word without an axis. */
static int op_read(struct edit *e, const char *s, size_t n)
{
    for (int op = TIMES; op <= PLUS; op++) {
        const size_t head = strlen(op_words[op].name);
        if (n >= head && !strncmp(s, op_words[op].name, head))
            return number_read(e, s + head, n - head) ? op : -1;
    }
    return op_named(s, n);
}

/* Splits the word at its colons, of which there are three or four, and reads the parts; see site.h. */
bool site_read(struct edit *e, const char *value, size_t n)
{
    /* FILE, LINE, KIND, OPERATION and OCCURRENCE; those that are missing are empty. */
    const char *part[5] = { value, value, value, value, value };
    size_t len[5] = { 0 };
    int parts = 0;
    for (size_t k = 0; k < n; k++)
        if (value[k] == ':') {
            if (parts == 4)
                return false;
            part[++parts] = value + k + 1;
        } else
            len[parts]++;
    *e = (struct edit){ .step = SITE_EDIT };
    if (parts == 4 && !occurrence_read(e, part[4], len[4]))
        return false;
    const char *dot = memchr(part[2], '.', len[2]);
    const size_t whole = dot ? (size_t)(dot - part[2]) : len[2];
    e->operand = operand_named(part[2], whole);
    const size_t kind = whole - strlen(operand_words[e->operand]);
    e->kind = named_kind(part[2], kind);
    if (e->kind == NO_KIND || (dot && (len[2] != whole + 2 || axis_named(dot[1]) < 0)))
        return false;
    if (e->operand && !kind_words[e->kind].of_one)
        return false;
    e->axis = dot ? axis_named(dot[1]) : -1;
    size_t head = 0; /* of the word, that of its way */
    for (int k = MAPPED + 1; dot && k < WAYS; k++) {
        const size_t n_way = strlen(way_words[k].name);
        if (!strncmp(part[3], way_words[k].name, n_way) && (len[3] == n_way) == !way_has_map(k))
            e->way = k, head = n_way;
    }
    if (!e->way || way_has_map(e->way))
        e->op = dot ? index_map_named(part[3] + head, len[3] - head) : op_read(e, part[3], len[3]);
    if ((e->way && !way_of(e->kind, e->operand, e->way)) || (e->axis == AXIS_ALL && e->way < ACROSS))
        return false;
    e->file = value, e->file_len = len[0], e->line = atoi(part[1]);
    return e->op >= 0 && (e->op < GIVEN || (e->op >= SHIFT ? kind_shifts(e->kind, e->operand) : e->kind == SITE_OUT));
}
