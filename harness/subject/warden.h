/* The warden is a process between this one and foreign code.  Whatever the foreign code starts, however it forks,
 * changes group or session, or leaves its parent, becomes a child of the warden once it is an orphan
 * (PR_SET_CHILD_SUBREAPER), and the warden kills its children until it has none.  It runs no foreign code itself.  When
 * this process ends, in whatever way, the warden ends with everything below it. */
#ifndef WARDEN_H
#define WARDEN_H
#include <stdbool.h>
#include <sys/types.h>

/* pid 0: there is none; control: this process' end of a socket to it; over: its first child ended or was stopped, with
 * that wait status; gone: the warden itself has ended; measured: when its memory was, by now(). */
struct warden { pid_t pid; int control; bool over, gone; int status; double measured; };

/* Forks the warden, which forks a first child that calls body(with), which must not return, and then closes its own
 * copies of all descriptors.  0, or -1 and errno. */
int warden_start(struct warden *w, void (*body)(const void *with), const void *with);
/* Waits at most so many seconds until the first child has ended or was stopped; returns w->over. */
bool warden_wait(struct warden *w, double seconds);
/* Reads the messages of the warden, once poll reports data on w->control. */
void warden_news(struct warden *w);
/* Has every orphan killed that the first child and its descendants have left.  false: the warden does not answer. */
bool warden_sweep(struct warden *w);
/* Has everything below the warden killed and ends it; afterwards none of these processes exists.  The wait status of
 * the first child, or -1 where it had not ended by itself. */
int warden_end(struct warden *w);
/* The resident memory of all processes below the warden, in megabytes. */
long warden_memory(const struct warden *w);
/* The same, or 0 where it was measured less than a fifth of a second ago: to be asked again and again, however short
 * the foreign code's turns are, as what keeps a little of each is seen only between them. */
long warden_watched(struct warden *w);
#endif
