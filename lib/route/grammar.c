/* SPDX-License-Identifier: BSD-2-Clause */
#include "grammar.h"

#include <arpa/inet.h>

/* The top-level media types that are registered. */
static const char *const media_types[] = { "application", "audio", "font", "haptics",
	"image", "message", "model", "multipart", "text", "video", "*", NULL };

/* The registered content codings. */
static const char *const codings[] = { "gzip", "br", "deflate", "zstd", "identity",
	"x-gzip", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip",
	"aes128gcm", "*", NULL };

static bool is_token_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static struct ngc_bytes take_token(struct ngc_bytes *s)
{
	size_t n = 0;

	while (n < s->n && is_token_char(s->p[n]))
		n++;
	struct ngc_bytes token = ngc_bytes(s->p, n);
	*s = ngc_bytes_from(*s, n);
	return token;
}

static bool take(struct ngc_bytes *s, unsigned char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = ngc_bytes_from(*s, 1);
	return true;
}

static void skip_blanks(struct ngc_bytes *s)
{
	while (take(s, ' ') || take(s, '\t'))
		;
}

static bool is_one_of(struct ngc_bytes token, const char *const *names)
{
	for (; *names != NULL; names++)
		if (ngc_bytes_same(token, ngc_bytes_of(*names)))
			return true;
	return false;
}

/* "text/html" */
static bool take_media_range(struct ngc_bytes *s)
{
	return is_one_of(take_token(s), media_types) && take(s, '/') &&
	       take_token(s).n > 0;
}

/* "en", "pt-BR", "*" */
static bool take_language(struct ngc_bytes *s)
{
	struct ngc_bytes tag = take_token(s);
	size_t run = 0;

	if (ngc_bytes_equal(tag, ngc_bytes_of("*")))
		return true;
	for (size_t i = 0; i < tag.n; i++) {
		unsigned char c = tag.p[i] | 0x20;

		if (tag.p[i] == '-' && run > 0) {
			run = 0;
			continue;
		}
		if (!(c >= 'a' && c <= 'z') && !(tag.p[i] >= '0' && tag.p[i] <= '9'))
			return false;
		if (++run > 8)
			return false;
	}
	return run > 0;
}

/* ";q=0.9" and the like, any number of them. */
static bool take_parameters(struct ngc_bytes *s)
{
	for (;;) {
		skip_blanks(s);
		if (!take(s, ';'))
			return true;
		skip_blanks(s);
		if (take_token(s).n == 0)
			return false;
		if (take(s, '=') && take_token(s).n == 0)
			return false;
	}
}

static bool is_list(struct ngc_bytes s, enum grammar g)
{
	if (s.n == 0)
		return true;
	do {
		bool ok;

		skip_blanks(&s);
		ok = g == GRAMMAR_ACCEPT      ? take_media_range(&s)
		     : g == GRAMMAR_LANGUAGES ? take_language(&s)
					      : is_one_of(take_token(&s), codings);
		if (!ok || !take_parameters(&s))
			return false;
	} while (take(&s, ','));
	return s.n == 0;
}

static bool is_origin(struct ngc_bytes s)
{
	size_t n = 0;

	if (s.n == 0 || ngc_bytes_equal(s, ngc_bytes_of("null")))
		return true;
	while (n < s.n && ((s.p[n] >= 'a' && s.p[n] <= 'z') || s.p[n] == '-'))
		n++;
	s = ngc_bytes_from(s, n);
	if (n == 0 || !ngc_bytes_starts(s, ngc_bytes_of("://")) || s.n == 3)
		return false;
	for (size_t i = 3; i < s.n; i++)
		if (s.p[i] <= 0x20 || strchr("/?#@\\\"<>", s.p[i]) != NULL)
			return false;
	return true;
}

static bool is_address(struct ngc_bytes s)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char out[16];

	if (ngc_bytes_equal(s, ngc_bytes_of("unix:")))
		return true;
	if (s.n == 0 || s.n >= sizeof(text))
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return inet_pton(AF_INET, text, out) == 1 || inet_pton(AF_INET6, text, out) == 1;
}

static bool take_number(struct ngc_bytes *s)
{
	size_t n = 0;

	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	*s = ngc_bytes_from(*s, n);
	return n > 0;
}

static bool is_range(struct ngc_bytes s)
{
	if (!ngc_bytes_starts(s, ngc_bytes_of("bytes=")))
		return false;
	s = ngc_bytes_from(s, 6);
	return take_number(&s) && take(&s, '-') && take_number(&s) && s.n == 0;
}

bool grammar_has_default(const struct ngc_directive *block)
{
	bool split = ngc_directive_is(block, "split_clients");

	return ngc_directive_find(block, split ? "*" : "default") != NULL;
}

bool grammar_result_may_be_empty(const struct ngc_directive *block)
{
	if (!grammar_has_default(block))
		return true;
	for (const struct ngc_directive *d = block->first; d != NULL; d = d->next)
		if (d->n_words == 2 && d->words[1].n == 0)
			return true;
	return false;
}

bool grammar_is_typed(enum grammar g)
{
	return g >= GRAMMAR_RANGE && g < GRAMMAR_ANY;
}

bool grammar_accepts(enum grammar g, struct ngc_bytes s)
{
	switch (g) {
	case GRAMMAR_RANGE:
		return is_range(s);
	case GRAMMAR_ORIGIN:
		return is_origin(s);
	case GRAMMAR_ADDRESS:
		return is_address(s);
	default:
		return is_list(s, g);
	}
}

#define TOKEN      "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
#define PARAMS     "(?:[ \\t]*;[ \\t]*" TOKEN "(?:=" TOKEN ")?)*[ \\t]*"
#define LIST(ITEM) "(?:[ \\t]*(?:" ITEM ")" PARAMS "(?:,[ \\t]*(?:" ITEM ")" PARAMS ")*)?"

const char *grammar_regex(enum grammar g)
{
	switch (g) {
	case GRAMMAR_RANGE:
		return "bytes=[0-9]+-[0-9]+";
	case GRAMMAR_ACCEPT:
		return LIST("(?i:application|audio|font|haptics|image|message|model|"
			    "multipart|text"
			    "|video|\\*)/" TOKEN);
	case GRAMMAR_CODINGS:
		return LIST(
		    "(?i:gzip|br|deflate|zstd|identity|x-gzip|compress|x-compress|dcb|dcz"
		    "|exi|pack200-gzip|aes128gcm)|\\*");
	case GRAMMAR_LANGUAGES:
		return LIST("[0-9A-Za-z]{1,8}(?:-[0-9A-Za-z]{1,8})*|\\*");
	case GRAMMAR_ORIGIN:
		return "(?:null|[a-z-]+://[^\\x00-\\x20/?#@\\\\\"<>]+)?";
	case GRAMMAR_ADDRESS:
		return "(?:unix:|[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|[0-9a-f]*:[0-9a-f:]*"
		       "(?:[0-9]{1,3}(?:\\.[0-9]{1,3}){3})?)";
	case GRAMMAR_ARGUMENT:
		return "[^&]*";
	case GRAMMAR_HOST:
	case GRAMMAR_HTTP_HOST:
		return "[^\\x00-\\x20/]+";
	case GRAMMAR_SEGMENT:
		return "[^/]*";
	default:
		return "(?s:.*)";
	}
}
