/* False alarms: a subject that is right must be accepted.  The row itself, every step rounded as a contract of it says
 * (or the sharp profile, where it has none), stored in a format, on a preset, is judged under that contract read as a
 * profile: each output inside every ball. */
#ifndef ALARMS_H
#define ALARMS_H
#include "judge/verdict.h"
struct alarm {
    const char *contract, *preset, *out;
    int type;
    enum word word;
    double ratio;
    long n, over;
    char why[200];
};
enum { ALARM_TYPES = 4 };
extern const int alarm_type[ALARM_TYPES];
/* Every contract x preset x format x quantity of the row, on inputs by turns uniform, small, heavy and probing; every
 * stride-th.  How many. */
long alarms_each(const struct row *r, long stride, void (*f)(const struct alarm *a, void *with), void *with);
#endif
