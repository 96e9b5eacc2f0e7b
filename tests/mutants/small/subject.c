/* The subject of the tool's own test: each function has faults of which it is known whether a test can notice them. */
#include "subject.h"

double area(double a, double b) { return a * b; }

double larger(double a, double b) { return a < b ? b : a; /* NOTE */ }

long steps(long n)
{
    long s = 1;
    for (long k = 0; k < n; k++)
        s += k; /* from k = 0, which adds nothing */
    return s;
}

double forgotten(double x) { return x + 1; }
