/* The class of a sanitizer's report: its kind and the first function of ours on the stack. */
#ifndef STORM_REPORT_H
#define STORM_REPORT_H
#include "bytes.h"
/* False where the report is of code that is not ours, or no report but a notice of the leak checker about a process
 * that was killed.  `c` gets e.g. "SEGV:find_row.cli", the function and its file. */
bool report_class(const char *report, struct bytes *c);
#endif
