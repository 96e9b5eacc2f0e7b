/* Solves for one number: how many times what it should be something of the page is, or how much more, or the value of
 * a parameter.  What is written into a program by hand may be any number, so that no list of edits has it; but the
 * outputs say which it is. */
#ifndef SOLVED_H
#define SOLVED_H
#include "diagnose/hypotheses/spots.h"
#include "words/each.h"
/* Calls f(change, effect, NULL, with) for each number of the page (WORDS_NUMBERS) and each rational parameter for which
 * one value gives the outputs, and which can be read: as a decimal number of so few digits that hardly one number of
 * fifty would have it, or as an expression of sizes, parameters and constants (number.h).  A number that any outputs
 * would have is no finding.  Of parameters that are whole numbers, powers of two and the question's sizes with their
 * neighbours are tried.  The line that is least wrong is asked first, as an answer far away may be reached by many
 * turns of an angle.  most: hypotheses_work() at which it stops. */
void solved_each(const struct spots *on, double most, site_word *f, void *with);
/* The same for the numbers that the outputs give and that cannot be read: of the values that give them, the one of
 * fewest digits. */
void solved_unread(const struct spots *on, double most, site_word *f, void *with);
#endif
