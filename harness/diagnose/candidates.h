/* The hypotheses that a diagnosis tries on one failure: each is made, compared with the outputs, and kept with what it
 * explains. */
#ifndef CANDIDATES_H
#define CANDIDATES_H
#include "diagnose/diagnosis.h"
#include "diagnose/hypotheses/spots.h"
/* One hypothesis that was tried.  stepped: it computes a step in another format, whose balls are wide; rounds: that, or
 * it keeps an input in a coarser format, or its numbers are those of the declared row, or none where the subject gives
 * one, so that it explains by its balls alone (the least score in place of the largest; a scale of 1 / 0); solved: it
 * has a number that was solved for, so that of two which explain the same, the other is the cause; born: how many were
 * tried before.  says and radius, one number per element, are owned, and NULL unless it explains all. */
struct diagnose_candidate {
    struct answer a;
    uint64_t key;
    int born;
    bool stepped, rounds, solved;
    double *says, *radius;
};
struct search {
    const struct trial *t;
    struct spots on;
    int n, room;
    bool partly;              /* explanations of the wrong elements alone are being tried */
    bool solving;             /* those with a number that was solved for are */
    bool whole;               /* other failures contradict what explains this one, so that nothing ends the search */
    bool full;                /* something explains all */
    struct diagnose_candidate *c;      /* n of room, owned */
    uint64_t asked[1024];     /* a bit for each value that the last 16 bits of a candidate's key may have */
    double most;              /* work that it may take */
    double start, begun;      /* ns of this thread's processor time; hypotheses_work */
    double *says, *radius;    /* of the declared row, as a candidate has them; owned, and NULL until they are asked */
    struct diagnosis *d;
};

/* The processor time in seconds and the work that the failure has taken, and whether no more may be: then it is said in
 * s->d. */
double search_seconds(const struct search *s);
double search_work(const struct search *s);
bool search_late(const struct search *s);
/* One more candidate, with zeros but for its number. */
struct diagnose_candidate *candidate_add(struct search *s);
/* Opens the hypothesis of a mistake, where it is possible here.  A listed one may break what trial_check asks of shapes
 * and values; others must keep it.  The caller closes it in any case. */
bool candidate_opened(
    const struct search *s, struct hypothesis *h, const struct mistake *m, const char *second, bool listed);
/* Fills c, whose change is made in h, with what it explains.  powerful: it must not explain by balls that a trivial
 * output fits as well. */
void candidate_fit(struct search *s, struct diagnose_candidate *c, struct hypothesis *h, bool powerful);
/* Tries one hypothesis and keeps it with what it explains; powerful as candidate_fit has it.  second: a coarser step
 * beside it, or NULL.  NULL: the work is done, the change is impossible here, or (unless it is listed) an equal
 * question was tried before. */
struct diagnose_candidate *candidate_try(
    struct search *s, const struct mistake *m, const char *second, bool listed, bool powerful);
/* Makes a mistake of a change that is not of the row's list; false: it is too long for one. */
bool candidate_mistake(struct mistake *m, const char *change, const char *effect, const char *cite);
/* Tries such a change. */
void candidate_change(struct search *s, const char *change, const char *effect, const char *cite, bool powerful);
/* Tries an edit, or keeps it beside the one that asks the same: a site_word, with s. */
void candidate_edit(const char *change, const char *effect, const char *equal, void *with);
/* Sorts the candidates, best first; equals stay in the order in which they were tried. */
void candidates_sort(struct search *s);
/* Sorts, and tells whether the best candidate explains every element. */
bool candidates_explain(struct search *s);
#endif
