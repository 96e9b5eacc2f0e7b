/* The 64-bit FNV-1a hash, by which contents are named.  It is not cryptographic: it tells apart what differs by
 * accident, and collisions can be constructed. */
#ifndef DIGEST_H
#define DIGEST_H
#include <stddef.h>
#include <stdint.h>
static const uint64_t digest_start = 14695981039346656037u;
/* the hash of the bytes that h stands for, continued by these n bytes; begin with h = digest_start */
uint64_t digest(uint64_t h, const void *data, size_t n);
/* The same eight bytes at a time, for contents of megabytes: another function with other values, in the order of bytes
 * of this machine, so that it is never written to a file. */
uint64_t digest_long(uint64_t h, const void *data, size_t n);
uint64_t digest_text(const char *s);                     /* the hash of a text, without its closing 0 */
#endif
