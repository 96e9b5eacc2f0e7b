/* Gradients of rows whose places are tables by distance, by lines (line_grad.h): shaw, nezha, txl and deberta. */
#ifndef LINE_TABLES_H
#define LINE_TABLES_H
#include "lines/line_grad.h"

/* Answer the calls for gradients of these rows; MER_SKIP where a call asks for what the plain loops alone do. */
int line_grad_shaw(const struct mer_call *c, line_head *head);
int line_grad_nezha(const struct mer_call *c, line_head *head);
/* Keeps its table as c->state, which distance_release frees. */
int line_grad_prepare_nezha(struct mer_call *c);
int line_grad_txl(const struct mer_call *c, line_head *head);
int line_grad_deberta(const struct mer_call *c, line_head *head);
#endif
