/* A library's model class, running: the program of harness/adapters that builds and asks it, as a subject. */
#ifndef AGAINST_LIVE_H
#define AGAINST_LIVE_H
#include <jansson.h>
#include "subject/subject.h"

/* One model.  notes: what the adapter wrote about it, an object, from the file notes_at; config: the file of its small
 * configuration, which lies in `folder`; command: what starts it, as a person would paste it. */
struct live { struct subject subject; json_t *notes; char folder[180], config[200], notes_at[300], command[1400];
    bool open; };
/* Starts the adapter of a library for a configuration file and reads its notes.  library: "transformers", or
 * "fd:5,6=NOTES": an adapter that runs already, answers on descriptor 5, is asked on 6, and has written its notes.  0;
 * -1 and one line in err: the library is not installed, or the adapter is not here; 1 and one line: the library refuses
 * the configuration; -MER_CRASHED and one line: the adapter broke.  live_close is due whatever it returns. */
int live_open(struct live *v, const char *library, const char *file, int seconds, char *err, size_t n);
/* Ends the process and removes its folder. */
void live_close(struct live *v);

/* One site of the model, asked in one way and mode: questions are told by the word `as`.  subject borrows from *v,
 * which must outlive it. */
struct view { struct subject subject; struct live *live; char as[200], told[1700]; };
/* Fills w for `as`, "layers.0.self_attn/sdpa/decode", with one kernel, whose texts are borrowed. */
void view_open(struct view *w, struct live *v, const char *as, const struct mer_kernel *kernel);
#endif
