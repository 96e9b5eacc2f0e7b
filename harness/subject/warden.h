/* A process between this one and foreign code: everything that the foreign code starts, however it forks, changes group
 * or session, or leaves its parent,
 * becomes the warden's child once it is an orphan (PR_SET_CHILD_SUBREAPER), and the warden kills its children until it
 * has none.  It runs no foreign code itself, and it ends, with all of them, when this process ends in whatever way. */
#ifndef WARDEN_H
#define WARDEN_H
#include <stdbool.h>
#include <sys/types.h>

/* pid 0: none; over: its first child ended or stopped, with that wait status; gone: the warden itself has ended. */
struct warden { pid_t pid; int control; bool over, gone; int status; };

/* Forks the warden, which forks a child that calls body(with), and closes every descriptor of its own.  body never
 * returns.  0, or -1 and errno. */
int warden_start(struct warden *w, void (*body)(const void *with), const void *with);
/* Waits until the first child has ended or stopped, at most so many seconds: w->over. */
bool warden_wait(struct warden *w, double seconds);
/* Reads what the warden has to tell, once poll says that there is something on w->control. */
void warden_news(struct warden *w);
/* Kills every orphan that the first child, its children and theirs have left.  false: the warden does not answer. */
bool warden_sweep(struct warden *w);
/* Kills all that is left, and reaps: afterwards none of them exists.  The first child's wait status, or -1 where it had
 * not ended by itself. */
int warden_end(struct warden *w);
/* Memory that all below the warden hold, in megabytes. */
long warden_memory(const struct warden *w);
#endif
