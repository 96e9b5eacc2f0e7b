/* SHA-256 (FIPS 180-4), for texts and weights that must be the same byte for byte. */
#ifndef SHA256_H
#define SHA256_H
#include <stddef.h>
#include <stdint.h>
struct sha256 { uint32_t h[8]; unsigned char block[64]; uint64_t bytes; };
/* A digest in pieces: open, add as often as there is data, close writes 64 hexadecimal digits and a 0. */
void sha256_open(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *data, size_t n);
void sha256_close(struct sha256 *s, char hex[65]);
/* The same of one piece. */
void sha256_of(const void *data, size_t n, char hex[65]);
#endif
