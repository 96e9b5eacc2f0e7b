/* The messages of the process transport: one JSON line and raw little-endian bytes each way, as specified in
 * harness/adapters/README.md.
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
enum { LINE_MAX_BYTES = 1 << 16 }; /* of the line of an answer */
/* The line that asks a call, with its newline; the caller frees. */
char *protocol_ask(const struct mer_call *c);
extern const char protocol_hello[]; /* the line that asks for a hello, with its newline */
/* Reads the line of an answer to call c.  Returns its status: MER_OK, MER_SKIP or MER_BAD, with the subject's own
 * words, or "", in why; or MER_CRASHED, with what is wrong with the line.  "out", where present, must have the names,
 * types and shapes that were asked for. */
int protocol_answer(const char *line, size_t len, const struct mer_call *c, char *why, size_t n);
/* Reads a hello: a list of kernels that ends with row NULL, to be freed by kernels_free; NULL and one line in why. */
struct mer_kernel *protocol_kernels(const char *line, size_t len, char *why, size_t n);
/* Writes the hello of a plug-in, which the caller frees; NULL and one line in why: a text is not UTF-8, or a claim is
 * no number. */
char *protocol_offer(const struct mer_plugin *p, char *why, size_t n);
void kernels_free(struct mer_kernel *k);
/* Where the code of a kernel is, as its hello says: "kernels/rope.c:42"; NULL: it says nothing.  The text lives as long
 * as the kernel. */
const char *kernel_source(const struct mer_kernel *k);
/* Bytes that the outputs of a kernel may have, with blanks between: the gradients of a whole model have long names. */
enum { KERNEL_OUTS = 400 };
/* What is wrong with a declared kernel ("no usable profile: it is too long", "element type 'f8'"), valid until the next
 * call; NULL: nothing. */
const char *kernel_fault(const struct mer_kernel *k);
#endif
