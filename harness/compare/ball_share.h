/* Whether a ball holds a number, and by what share of its radius: what every comparison with a bound comes down to. */
#ifndef BALL_SHARE_H
#define BALL_SHARE_H
#include "ball/ball.h"

/* |got - mid| / radius of ball b: at most 1 where b holds got. 0 where both are NaN because a policy asks for it, or
 * the same infinity; NaN otherwise fails every comparison `<=`. */
double ball_share(const struct ball *b, double got);
#endif
