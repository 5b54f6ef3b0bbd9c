/* SPDX-License-Identifier: BSD-2-Clause */
#include "reading.h"

#include "grammar.h"
#include "readings.h"
#include "rewritten.h"

/*
 * A backtracking matcher that goes through every way of taking the key apart, since a key
 * counts as a host's only when no other way gives another host.  The steps are bounded:
 * with a key that has too many readings, none is certain.
 */

#define STEPS_MAX 20000

static const char *const schemes[] = { "https", "http", NULL };
static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS",
	"PATCH", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
	"TRACE", NULL };
static const char *const question[] = { "?", "", NULL };
static const char *const on[] = { "on", "", NULL };

const char *const *pattern_words(enum grammar g)
{
	return g == GRAMMAR_SCHEME ? schemes : g == GRAMMAR_METHOD ? methods : NULL;
}

struct match {
	const struct pattern *p;
	struct ngc_bytes key;
	size_t start[PIECES_MAX + 1]; /* where each piece begins in the reading tried */
	/* From where what may be anything was gone through, plus one; 0: nowhere. Without
	 * out alone. */
	size_t tried[PIECES_MAX];
	unsigned steps;
	bool matched;
	struct readings *out; /* NULL: whether it matches is all that is asked */
};

static inline bool may_hold(enum grammar g, unsigned char c)
{
	switch (g) {
	case GRAMMAR_HOST:
		return c > 0x20 && c != 0x7f && c != '/' && !(c >= 'A' && c <= 'Z');
	case GRAMMAR_PLAIN_HOST:
		return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
		       c == '-' || c == '_' || c == ':' || c == '[' || c == ']' ||
		       c >= 0x80;
	case GRAMMAR_HTTP_HOST:
		return c > 0x20 && c != 0x7f && c != '/';
	case GRAMMAR_TARGET:
		return c != '\0' && c != '\n' && c != '\r';
	case GRAMMAR_ARGUMENT:
		return c != '&';
	case GRAMMAR_PORT:
		return c >= '0' && c <= '9';
	case GRAMMAR_SEGMENT:
		return c != '/';
	case GRAMMAR_WORD:
		return (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
	default:
		return true;
	}
}

/* Inline: with the grammar known the loop is a few times faster. */
static inline size_t run_of(enum grammar g, struct ngc_bytes s)
{
	size_t n = 0;

	while (n < s.n && may_hold(g, s.p[n]))
		n++;
	return n;
}

/* A request of HTTP/1.0 needs no host. */
static bool may_be_empty(enum grammar g)
{
	return g == GRAMMAR_QUERY || g == GRAMMAR_ARGUMENT || g == GRAMMAR_HTTP_HOST;
}

/* "GET http://a.test?q HTTP/1.1" has a target without a path, and "/" for one. */
static bool may_start_run(enum grammar g, struct ngc_bytes s)
{
	if (g != GRAMMAR_TARGET && g != GRAMMAR_PATH)
		return true;
	return s.n > 0 && (s.p[0] == '/' || (g == GRAMMAR_TARGET && s.p[0] == '?'));
}

/* How many bytes at the start of s the grammar can take, and the fewest it must. */
static size_t run_length(enum grammar g, struct ngc_bytes s, size_t *min)
{
	*min = g >= GRAMMAR_PORT || may_be_empty(g) ? 0 : 1;
	if (!may_start_run(g, s))
		return 0;
	switch (g) {
	case GRAMMAR_HOST:
		return run_of(GRAMMAR_HOST, s);
	case GRAMMAR_PLAIN_HOST:
		return run_of(GRAMMAR_PLAIN_HOST, s);
	case GRAMMAR_TARGET:
		return run_of(GRAMMAR_TARGET, s);
	default:
		return run_of(g, s);
	}
}

static struct ngc_bytes piece_text(const struct match *m, unsigned i)
{
	return ngc_bytes(m->key.p + m->start[i], m->start[i + 1] - m->start[i]);
}

/* $host tells more than $http_host, and either more than the name of the server. */
enum host_source { HOST_NONE, HOST_SERVER_NAME, HOST_HEADER, HOST_REQUEST };

static enum host_source host_source(const struct piece *p)
{
	return p->grammar == GRAMMAR_TEXT	 ? HOST_SERVER_NAME
	       : p->grammar == GRAMMAR_HTTP_HOST ? HOST_HEADER
						 : HOST_REQUEST;
}

/*
 * A key may hold the host twice.  What a client said of it twice must agree: in a request
 * with an absolute URI the Host header can be another, and chooses no server.
 */
static void take_host(struct ngc_reading *r, struct ngc_bytes host,
    enum host_source source, enum host_source *best)
{
	struct ngc_bytes name = ngc_host_without_port(host);

	if (source >= HOST_HEADER && *best >= HOST_HEADER &&
	    !ngc_bytes_same(name, ngc_host_without_port(r->host)))
		r->host_certain = false;
	if (source == HOST_HEADER && name.n < host.n)
		r->port = ngc_bytes_from(host, name.n + 1);
	if (source > *best) {
		r->host = host;
		*best = source;
	}
}

/* Of $uri and what follows it: the first '?' ends the path if one may stand there. */
static size_t path_length(struct ngc_bytes uri, bool marked)
{
	const unsigned char *end = marked ? memchr(uri.p, '?', uri.n) : NULL;

	return end != NULL ? (size_t)(end - uri.p) : uri.n;
}

/* The reading that m->start describes. */
static void describe(const struct match *m, struct ngc_reading *r)
{
	enum host_source best = HOST_NONE;
	const struct ngc_level *rewritten = NULL;
	bool path = false, marked = false, shared = false;

	*r = (struct ngc_reading){ .host_certain = true };
	for (unsigned i = 0; i < m->p->n; i++) {
		struct ngc_bytes s = piece_text(m, i);

		switch (m->p->pieces[i].tells) {
		case TELLS_SCHEME:
			r->scheme = s;
			break;
		case TELLS_METHOD:
			r->method = s;
			break;
		case TELLS_HOST:
			take_host(r, s, host_source(&m->p->pieces[i]), &best);
			shared |= m->p->pieces[i].shared;
			break;
		case TELLS_PORT:
			r->port = r->port.p != NULL ? r->port : s;
			break;
		case TELLS_URI:
			r->uri = s;
			path = m->p->pieces[i].grammar == GRAMMAR_PATH;
			rewritten = m->p->pieces[i].rewritten;
			r->uri_elsewhere = !rewritten_may_be(s, m->p->pieces[i].base);
			break;
		case TELLS_URI_TOO:
			r->uri.n += s.n;
			marked |= m->p->pieces[i].grammar != GRAMMAR_QUERY;
			break;
		case TELLS_ARGS:
			r->args = s;
			break;
		case TELLS_ARGUMENT:
			r->argument = r->argument || s.n > 0;
			break;
		case TELLS_BASE:
			r->base = m->p->pieces[i].base;
			break;
		case TELLS_REST:
			r->rest = s;
			break;
		case TELLS_NOTHING:
			break;
		}
	}
	r->host_proven = best > HOST_SERVER_NAME || !shared;
	if (path)
		r->decoded = path_length(r->uri, marked);
	r->argument = r->argument && path && !marked && r->args.p == NULL;
	if (rewritten != NULL && !rewritten_keeps(rewritten, r->uri)) {
		r->uri = r->args = ngc_bytes(NULL, 0);
		r->decoded = 0;
	}
}

static void add_reading(struct match *m)
{
	struct ngc_reading r;

	m->matched = true;
	if (m->out == NULL)
		return;
	describe(m, &r);
	readings_add(m->out, &r);
}

/* Nothing more is to be found out, or it would take too long. */
static bool is_done(const struct match *m)
{
	return m->steps >= STEPS_MAX || (m->matched && m->out == NULL);
}

static void match_from(struct match *m, unsigned i, size_t pos);

/* Can the i-th piece begin there?  Cheaper than to try it. */
static bool may_begin(const struct match *m, unsigned i, size_t pos)
{
	const struct piece *p = &m->p->pieces[i];

	if (i >= m->p->n)
		return true;
	if (p->grammar == GRAMMAR_TARGET || p->grammar == GRAMMAR_PATH)
		return may_start_run(p->grammar, ngc_bytes_from(m->key, pos));
	if (p->grammar == GRAMMAR_SCHEME)
		return pos < m->key.n && m->key.p[pos] == 'h';
	if (p->grammar == GRAMMAR_METHOD)
		return pos < m->key.n && m->key.p[pos] >= 'A' && m->key.p[pos] <= 'Z';
	if (p->grammar == GRAMMAR_TEXT && !m->p->nocase && p->text.n > 0)
		return pos < m->key.n && m->key.p[pos] == p->text.p[0];
	return true;
}

/* Most words are told apart by their first letter. */
static bool may_start(struct ngc_bytes s, const char *word)
{
	return word[0] == '\0' || (s.n > 0 && s.p[0] == (unsigned char)word[0]);
}

static void match_words(struct match *m, unsigned i, size_t pos, const char *const *words)
{
	struct ngc_bytes left = ngc_bytes_from(m->key, pos);

	for (; *words != NULL; words++) {
		struct ngc_bytes word;

		if (!may_start(left, *words))
			continue;
		word = ngc_bytes_of(*words);
		if (ngc_bytes_starts(left, word) && may_begin(m, i + 1, pos + word.n))
			match_from(m, i + 1, pos + word.n);
	}
}

/*
 * Was what may be anything tried from here, or from before?  It could then reach all that
 * it can reach now: unless every reading is wanted, once is enough.
 */
static bool is_tried(struct match *m, unsigned i, size_t pos)
{
	if (m->out != NULL || m->p->pieces[i].grammar != GRAMMAR_ANY)
		return false;
	if (m->tried[i] != 0 && m->tried[i] <= pos + 1)
		return true;
	m->tried[i] = pos + 1;
	return false;
}

/*
 * Every length a run can have: the shortest first for what may be anything, else the
 * longest.
 */
static void match_run(struct match *m, unsigned i, size_t pos)
{
	enum grammar g = m->p->pieces[i].grammar;
	struct ngc_bytes left = ngc_bytes_from(m->key, pos);
	size_t min, max = run_length(g, left, &min);

	if (max < min)
		return; /* a run that begins with what it must not */
	if (is_tried(m, i, pos))
		return;
	if (i + 1 ==
	    m->p->n) /* the last piece takes all that is left, or does not match */
		min = left.n;
	for (size_t k = 0; min <= max && k <= max - min && !is_done(m); k++) {
		size_t n = g == GRAMMAR_ANY ? min + k : max - k;

		if (!may_begin(m, i + 1, pos + n))
			continue;
		if (!grammar_is_typed(g) || grammar_accepts(g, ngc_bytes(left.p, n)))
			match_from(m, i + 1, pos + n);
	}
}

static bool starts_with(const struct pattern *p, struct ngc_bytes s,
    struct ngc_bytes text)
{
	if (!p->nocase)
		return ngc_bytes_starts(s, text);
	return s.n >= text.n && ngc_bytes_same(ngc_bytes(s.p, text.n), text);
}

static void match_results(struct match *m, unsigned i, size_t pos)
{
	struct ngc_bytes left = ngc_bytes_from(m->key, pos);

	const struct ngc_directive *block = m->p->pieces[i].block;

	if (grammar_result_may_be_empty(block))
		match_from(m, i + 1, pos);
	for (const struct ngc_directive *d = block->first; d != NULL && !is_done(m);
	     d = d->next)
		if (d->n_words == 2 && d->words[1].n > 0 &&
		    ngc_bytes_starts(left, d->words[1]))
			match_from(m, i + 1, pos + d->words[1].n);
}

static void match_piece(struct match *m, unsigned i, size_t pos)
{
	const struct piece *p = &m->p->pieces[i];
	struct ngc_bytes left = ngc_bytes_from(m->key, pos);

	switch (p->grammar) {
	case GRAMMAR_TEXT:
		if (starts_with(m->p, left, p->text))
			match_from(m, i + 1, pos + p->text.n);
		break;
	case GRAMMAR_RESULTS:
		match_results(m, i, pos);
		break;
	case GRAMMAR_SCHEME:
		match_words(m, i, pos, schemes);
		break;
	case GRAMMAR_METHOD:
		match_words(m, i, pos, methods);
		break;
	case GRAMMAR_IS_ARGS:
		match_words(m, i, pos, question);
		break;
	case GRAMMAR_HTTPS:
		match_words(m, i, pos, on);
		break;
	default:
		match_run(m, i, pos);
	}
}

static void match_from(struct match *m, unsigned i, size_t pos)
{
	m->start[i] = pos;
	if (is_done(m))
		return;
	m->steps++;
	if (i < m->p->n)
		match_piece(m, i, pos);
	else if (pos == m->key.n)
		add_reading(m);
}

/* What need not be zero is not zeroed: it would be half of the work. */
static void match_start(struct match *m, const struct pattern *p, struct ngc_bytes key,
    struct readings *out)
{
	m->p = p;
	m->key = key;
	m->steps = 0;
	m->matched = false;
	m->out = out;
	if (out == NULL)
		memset(m->tried, 0, p->n * sizeof(m->tried[0]));
}

void pattern_read(const struct pattern *p, struct ngc_bytes key, struct readings *out)
{
	struct match m;

	match_start(&m, p, key, out);
	if (may_begin(&m, 0, 0))
		match_from(&m, 0, 0);
	out->incomplete = out->incomplete || m.steps >= STEPS_MAX;
	out->guessed = out->guessed || (m.matched && p->guessed);
}

bool pattern_match(const struct pattern *p, struct ngc_bytes key)
{
	struct match m;

	match_start(&m, p, key, NULL);
	if (may_begin(&m, 0, 0))
		match_from(&m, 0, 0);
	return m.matched;
}
