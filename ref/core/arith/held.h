/* A whole number that is held between two others, without an operation that could be done differently. */
#ifndef HELD_H
#define HELD_H
/* x, or what is nearest to it of least .. most. */
long held(long x, long least, long most);
#endif
