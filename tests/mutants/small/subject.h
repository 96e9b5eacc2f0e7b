/* Small functions for the tool's own test. */
double area(double a, double b);
double larger(double a, double b);
long steps(long n);
double forgotten(double x);
