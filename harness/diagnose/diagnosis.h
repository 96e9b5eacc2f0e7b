/* What is known of a failure: its causes, how well each explains it, and what to do about it. */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H
#include <jansson.h>
#include "diagnose/anatomy.h"
#include "diagnose/hypotheses/condition.h"
#include "diagnose/hypotheses/hypothesis.h"
#include "trial/mistake.h"
/* ANSWERS, EXPLANATIONS and RIVALS: kept at most.  RIVAL: bytes of what is said of a rival.  DIAGNOSIS_SECONDS:
 * processor time for one failure, times `slower`, after which a search stops whatever it has done; it is there for
 * pages whose balls are dear, and a machine with other work does not meet it. */
enum { ANSWERS = 4, EXPLANATIONS = 64, RIVALS = 4, RIVAL = 260, DIAGNOSIS_SECONDS = 20 };
struct answer {
    struct mistake m;            /* of the row's list; else made here, and its id is the change */
    char second[64], repair[260]; /* a coarser step beside it, or ""; what to do about it */
    /* listed: m is of the row's list.  convention: a preset, or other documented values of enumerated parameters, which
     * is consistent and no fault. */
    bool listed, convention;
    char under[UNDER];           /* the condition under which it acts (condition.h), or "" */
    char of[120];                /* the outputs that it is of, where each has its own (joint/apart.h); "": all */
    /* It explains the wrong elements, which alone are counted in n; the others are as declared. */
    bool partly;
    /* Elements compared; those in their ball; those of which it says nothing, as their balls hold anything. */
    long n, explained, open;
    long left;                   /* elements beside these that were never written */
    double worst;                /* largest share of a ball that is used */
    double close;                /* mean log2 of the distance to its numbers, at least half an ulp of the output */
};
/* Whether a hypothesis says something of what is wrong: of some wrong elements, or of all there are.  f: its fit to the
 * wrong elements alone. */
static inline bool fit_tells_wrongs(const struct fit *f) { return !f->open || f->n - f->open >= WRONGS; }
/* Whether it explains every element of which it says something. */
static inline bool answer_full(const struct answer *a) { return a->n && a->explained + a->open == a->n; }
/* An explanation of every element; fields as in struct answer. */
struct reason {
    struct mistake m;
    char second[64], under[UNDER];
    bool listed, stepped; /* stepped: it is a coarser step, whose balls are wide */
    bool partly;          /* of every wrong element */
    char rival[RIVAL];    /* as struct diagnosis has it */
    enum { READ, UNREAD, TOLD } number; /* UNREAD: it is such a rival, and no name; TOLD: one of another failure, too */
    bool spelling;        /* the first cause that stands in other words: its numbers in every question (part_spell) */
};
struct diagnosis {
    bool explained;              /* answer[0] explains every element, or every wrong one where it says so */
    int answers;
    struct answer answer[ANSWERS]; /* best first */
    long n, declared;            /* elements compared; those that the declared row explains */
    char same[400];              /* ids of other hypotheses that are one class with answer[0] on these inputs */
    char spelt[400];             /* those of `same` that are answer[0] in other words: in every question, its numbers */
    int tried, untried;          /* hypotheses tried; left out because the work was done */
    double work, seconds;        /* what it took (hypothesis_work); processor time of this thread */
    bool slow;                   /* it stopped by its time, not by its work */
    bool spent;                  /* nothing was tried: the work for failures of this kernel or run was done */
    bool unwritten;              /* answer[0] says that every wrong element was never written */
    bool chance;                 /* answer[0] says that every wrong element is another one when it is asked again */
    bool of_all;                 /* answer[0], or `cause`, explains every failure of the kernel so far (joint.h) */
    /* Each answer explains some outputs, and all together every wrong one (joint/apart.h); `each` says which output of
     * the kernel has which cause then, "dc: edit=value:zero; dk, dv: ..", where there is room. */
    bool apart;
    char each[96];
    bool alone;                  /* answer[0] explains this failure but not the others of the same kernel (joint.h) */
    /* answer[0] explains only the wrong elements of only one failure, which is not enough for a name. */
    bool single;
    /* answer[0] explains other failures of the kernel; of this one, or of what is wrong with it, it says nothing. */
    bool silent;
    /* Where answer[0] is a coarser step and no name, why: a number of the page that is larger or smaller than it should
     * be explains every element as well, or the work was done before all structure was tried; else "". */
    char rival[RIVAL];
    /* The one cause of all failures of the kernel, where answer[0] has the name that it has under this question's
     * parameters ("layout+=1" is "concat" here); else its id is "". */
    struct mistake cause;
    struct reason all[EXPLANATIONS]; /* every explanation, best first; all_n of them */
    int all_n;
    struct anatomy anatomy;      /* facts about a failure that has no name, filled by anatomy_read; else n is 0 */
};
/* Whether answer[0], if it explains all, is this mistake or one class with it. */
bool diagnosis_holds(const struct diagnosis *d, const char *id);
/* Prints the diagnosis as indented lines below a verdict. */
void diagnosis_say(FILE *f, const char *row, const struct diagnosis *d);
/* The answers as a JSON array, which the caller owns. */
json_t *diagnosis_json(const struct diagnosis *d);

/* Writes what to do about an answer: the repair of the row's list where it gives one, else derived from the change and
 * the declared values ("pass window=3", "negate pos"). */
void repair_write(const struct trial *t, const struct answer *a, char *text, size_t n);
/* Whether the change is a preset of the row, or sets only enumerated parameters to values that are documented: those of
 * presets, and all but none, off and default. */
bool change_is_convention(const struct row *r, const char *change);
#endif
