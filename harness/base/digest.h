/* FNV-1a, 64 bits: names of contents.  It tells apart what differs by chance, not what somebody made to collide. */
#ifndef DIGEST_H
#define DIGEST_H
#include <stddef.h>
#include <stdint.h>
static const uint64_t digest_start = 14695981039346656037u;
uint64_t digest(uint64_t h, const void *data, size_t n); /* of what h is of, and then of these bytes */
uint64_t digest_text(const char *s);                     /* without its closing 0 */
#endif
