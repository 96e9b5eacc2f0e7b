/* False alarms: a subject that is right must be accepted.  The subject is the row itself under a preset, with every
 * step rounded as a contract says (or the sharp profile, where the row has none) and outputs stored in a format.  It is
 * judged under that contract read as a profile, and every element must lie in its ball. */
#ifndef ALARMS_H
#define ALARMS_H
#include "judge/finding.h"
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
/* Calls f for every stride-th combination of contract, preset, format and quantity of the row, on inputs that are in
 * turn uniform, small, heavy and probe.  Returns how many. */
long alarms_each(const struct row *r, long stride, void (*f)(const struct alarm *a, void *with), void *with);
#endif
