/* The words of the process transport: one JSON line and raw little-endian bytes each way.  harness/adapters/README.md
 * is its text.
 *   ask     {"meridian":1,"row":R,"params":P,"in":[{"name","type","shape","strides"}],"out":[...]}  then every input's
 *           bytes
 *   answer  {"status":0}  then every output's bytes;  {"status":1} not offered;  {"status":2,"why":"..."} failed: no
 *           bytes
 *   hello   {"meridian":1,"hello":true}  ->
 *           {"meridian":1,"status":0,"name":N,"kernels":[{"row","out","type","profile","gauge","correct"}]}
 * The host of a plug-in (host.h) sends the same hello, and whether a kernel takes strides: "strided". */
#ifndef PROTOCOL_H
#define PROTOCOL_H
#include <stddef.h>
#include "meridian.h"
enum { LINE_MAX_BYTES = 1 << 16 }; /* of an answer's line */
char *protocol_ask(const struct mer_call *c); /* malloc'd, with its newline */
extern const char protocol_hello[];
/* The status of an answer (MER_OK, MER_SKIP, MER_BAD: why holds the subject's own words or ""), or MER_CRASHED and what
 * is wrong with the line. "out", where present, must say the names, types and shapes that were asked for. */
int protocol_answer(const char *line, size_t len, const struct mer_call *c, char *why, size_t n);
/* Declared kernels, malloc'd with their strings in one list that ends with row NULL (free: kernels_free); NULL and
 * why. */
struct mer_kernel *protocol_kernels(const char *line, size_t len, char *why, size_t n);
/* The hello of a plug-in, malloc'd; NULL and why: a text that is not UTF-8, a claim that is no number. */
char *protocol_offer(const struct mer_plugin *p, char *why, size_t n);
void kernels_free(struct mer_kernel *k);
/* bytes of a kernel's outputs with blanks between, at most: all the gradients of a whole model have long names */
enum { KERNEL_OUTS = 400 };
/* NULL, or what is wrong with a kernel somebody declared ("no usable profile: it is too long", "element type 'f8'"). */
const char *kernel_fault(const struct mer_kernel *k);
void one_line(char *text); /* control bytes and bytes above ASCII become '?' */
#endif
