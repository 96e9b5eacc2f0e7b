/* Files and folders that are not finished: they are removed when a signal ends the process (SIGINT, SIGTERM, SIGHUP,
 * SIGPIPE and others that end a program from outside), which then dies of that signal as it would have; and when it
 * calls exit.  A signal that was ignored or handled before stays so.  What SIGKILL, _exit or a crash leave stays.  A
 * process forked from the one that added a path removes nothing of it. */
#ifndef LEFTOVER_H
#define LEFTOVER_H
#include <stdbool.h>
/* From now on this file or folder is a leftover; the text is copied, and its file need not exist yet.  A folder is
 * removed where it is empty, once the files that were added are gone. */
void leftover_add(const char *path);
/* The path that was added, and all that were added below it, are leftovers no longer: they are kept, or removed now. */
void leftover_settle(const char *path, bool keep);
#endif
