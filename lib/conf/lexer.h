/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CONF_LEXER_H
#define CONF_LEXER_H

#include "ngc/bytes.h"
#include "ngc/error.h"
#include "ngc/mem.h"

/* nginx's NGX_CONF_BUFFER: a word and what ends it (a quote and one more) must fit. */
#define LEXER_WORD_MAX 4096

enum token {
	TOKEN_END, /* of the file */
	TOKEN_WORD,
	TOKEN_STOP,  /* ; */
	TOKEN_OPEN,  /* { */
	TOKEN_CLOSE, /* } */
};

/*
 * A position in one file.  Words are decoded one behind the other: there is a byte behind
 * each for its NUL, so that all have room in as many bytes as the text.
 */
struct lexer {
	const char *file; /* for messages */
	struct ngc_bytes text;
	size_t pos;
	unsigned line;      /* of pos, from 1 */
	unsigned word_line; /* where the last word began */
	unsigned char held; /* the ';' or '{' that ended the last word; 0: none */
	unsigned char *to;  /* where the next word goes; NULL: there was none */
};

void lexer_init(struct lexer *l, const char *file, struct ngc_bytes text);

/*
 * The next token.  first: no word of the directive was read yet, so ';' and '{' are
 * errors; otherwise '}' and the end of the file are.
 * word: on TOKEN_WORD the decoded word, with a NUL behind it.
 * NGC_INVALID: "file:line: reason".
 */
enum ngc_code lexer_next(struct lexer *l, struct ngc_arena *a, bool first,
    enum token *out, struct ngc_bytes *word, struct ngc_error *err);

/*
 * Read the raw body of a *_by_lua_block, after its '{', by the lexical rules of Lua, up
 * to and with the matching '}'.
 */
enum ngc_code lexer_lua(struct lexer *l, struct ngc_bytes *body, struct ngc_error *err);

#endif
