/* The whole program as a function, for main and for tools that run it in a child process of their own. */
#ifndef PROGRAM_H
#define PROGRAM_H
/* Takes what main takes and returns the exit status: 0 pass, 1 does not conform, 2 usage or bad input, 3 a subject
 * crashed, 77 nothing was judged. */
int program(int argc, char **argv);
#endif
