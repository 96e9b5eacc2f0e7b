/* A text in pieces, as it is normalized and split: every byte knows the offset in the original text of the character
 * that it was made of, and a piece that is a token already has its number. */
#ifndef TOKEN_PIECES_H
#define TOKEN_PIECES_H
#include <stddef.h>
#include <stdint.h>

/* at, n: bytes of the text; origin: the offset in the original text at which it begins; id: NO_ID, or a token. */
enum { NO_ID = -1 };
struct piece { size_t at, n; int32_t origin; int64_t id; };
/* text[bytes], origin[bytes], of[n]: owned.  {0} is empty. */
struct pieces { char *text; int32_t *origin; size_t bytes, room; struct piece *of; size_t n, room_of; };
/* One piece, borrowed. */
struct piece_view { const char *text; const int32_t *origin; size_t n; int32_t from; };

/* Appends bytes that were all made of what stands at `origin`; a character in UTF-8; and a part of a view. */
void pieces_text(struct pieces *p, const char *s, size_t n, int32_t origin);
void pieces_char(struct pieces *p, int32_t c, int32_t origin);
void pieces_part(struct pieces *p, const struct piece_view *v, size_t from, size_t to);
/* Makes a piece of what was appended behind the last one, where that is not empty. */
void pieces_end(struct pieces *p, int64_t id);
struct piece_view pieces_view(const struct pieces *p, size_t k);
void pieces_free(struct pieces *p);

/* Token numbers; owned. */
struct ids { int64_t *of; size_t n, room; };
void ids_add(struct ids *x, int64_t id);
#endif
