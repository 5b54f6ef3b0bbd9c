/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"
#include "ngc/units.h"

/* The lines of map, geo and split_clients; and the networks of allow and deny. */

/* A line of that word only. */
static bool is_alone(const struct ngc_directive *line, const char *word)
{
	return line->n_words == 1 && ngc_directive_is(line, word);
}

static enum ngc_code add_key(struct check *c, const struct ngc_directive *line,
    struct ngc_bytes text, char kind, struct ngc_error *err)
{
	struct key k = { .text = text, .kind = kind, .d = line };
	const struct key *before;

	if (!keyset_add(&c->keys, &k, &before))
		return ngc_no_memory(err);
	if (before == NULL)
		return NGC_OK;
	return conf_refuse(line, err, "conflicting parameter \"%s\"",
	    ngc_directive_arg(line, 0));
}

/* More than one star, two dots in a row, or a star within: nginx's ngx_hash_add_key(). */
static bool is_bad_wildcard(struct ngc_bytes s, bool wild)
{
	unsigned stars = 0;

	for (size_t i = 0; i < s.n; i++) {
		stars += s.p[i] == '*';
		if (s.p[i] == '.' && i + 1 < s.n && s.p[i + 1] == '.')
			return true;
	}
	return stars > (wild ? 1 : 0);
}

/* ".x" stands for "x" and "*.x". */
static enum ngc_code add_host_key(struct check *c, const struct ngc_directive *line,
    struct ngc_bytes s, struct ngc_error *err)
{
	bool dot = s.n > 1 && s.p[0] == '.';
	bool head = s.n > 2 && s.p[0] == '*' && s.p[1] == '.';
	bool tail = s.n > 2 && s.p[s.n - 2] == '.' && s.p[s.n - 1] == '*';
	enum ngc_code code = NGC_OK;

	if (is_bad_wildcard(s, dot || head || tail))
		return conf_refuse(line, err, "invalid hostname or wildcard \"%s\"",
		    (const char *)s.p);
	if (dot)
		code = add_key(c, line, ngc_bytes_from(s, 1), '=', err);
	if (code != NGC_OK)
		return code;
	if (dot || head)
		return add_key(c, line, ngc_bytes_from(s, head ? 2 : 1), '<', err);
	return tail ? add_key(c, line, ngc_bytes(s.p, s.n - 2), '>', err)
		    : add_key(c, line, s, '=', err);
}

static enum ngc_code add_default(struct check *c, const struct ngc_directive *line,
    struct ngc_error *err)
{
	struct key k = { .text = line->words[0], .kind = 'd', .d = line };
	const struct key *before;

	if (!keyset_add(&c->keys, &k, &before))
		return ngc_no_memory(err);
	return before == NULL ? NGC_OK
			      : conf_refuse(line, err, "duplicate default map parameter");
}

static enum ngc_code check_map_line(struct check *c, const struct ngc_directive *line,
    bool *hostnames, struct ngc_error *err)
{
	struct ngc_bytes key = line->words[0];
	enum ngc_code code;

	if (is_alone(line, "hostnames"))
		*hostnames = true;
	else if (line->n_words != 2 && !is_alone(line, "volatile"))
		return conf_refuse(line, err, "invalid number of the map parameters");
	if (line->n_words != 2)
		return NGC_OK;
	code = check_text(line, line->words[1], err);
	if (code != NGC_OK)
		return code;
	if (ngc_directive_is(line, "default"))
		return add_default(c, line, err);
	if (key.n > 0 && key.p[0] == '~')
		return NGC_OK;
	if (key.n > 0 && key.p[0] == '\\')
		key = ngc_bytes_from(key, 1);
	return *hostnames ? add_host_key(c, line, key, err)
			  : add_key(c, line, key, '=', err);
}

enum ngc_code check_map(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_code code = check_new_variable(d, 2, err);
	bool hostnames = false;

	keyset_clear(&c->keys, true);
	for (d = d->first; d != NULL && code == NGC_OK; d = d->next)
		code = check_map_line(c, d, &hostnames, err);
	return code;
}

/* Only what an IPv6 address is made of. */
static bool looks_v6(struct ngc_bytes s)
{
	char text[64];

	if (s.n < 2 || s.n >= sizeof(text) || memchr(s.p, ':', s.n) == NULL)
		return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	return strspn(text, "0123456789abcdefABCDEF:.") == s.n;
}

static bool is_network(struct ngc_bytes s)
{
	const unsigned char *slash = memchr(s.p, '/', s.n);
	size_t n = slash != NULL ? (size_t)(slash - s.p) : s.n;
	uint32_t ignored;
	bool v4 = ngc_parse_ipv4(ngc_bytes(s.p, n), &ignored);
	int64_t bits = 0;

	if (!v4 && !looks_v6(ngc_bytes(s.p, n)))
		return false;
	if (slash != NULL && !ngc_parse_number(ngc_bytes_from(s, n + 1), &bits))
		return false;
	return bits <= (v4 ? 32 : 128);
}

static bool is_range(struct ngc_bytes s)
{
	const unsigned char *dash = memchr(s.p, '-', s.n);
	size_t n = dash != NULL ? (size_t)(dash - s.p) : 0;
	uint32_t from, to;

	return dash != NULL && ngc_parse_ipv4(ngc_bytes(s.p, n), &from) &&
	       ngc_parse_ipv4(ngc_bytes_from(s, n + 1), &to) && from <= to &&
	       to != UINT32_MAX; /* which nginx takes for an error */
}

enum ngc_code check_allow(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	struct ngc_bytes from = d->words[1];

	(void)c;
	return ngc_bytes_equal(from, ngc_bytes_of("all")) ||
		       ngc_bytes_equal(from, ngc_bytes_of("unix:")) || is_network(from)
		   ? NGC_OK
		   : conf_refuse(d, err, "invalid parameter \"%s\"",
			 ngc_directive_arg(d, 1));
}

/* What the lines of a geo block told so far. */
struct geo_lines {
	bool ranges;   /* it holds ranges of addresses, not networks */
	bool networks; /* there was one, or another line that such a block has */
};

/* A line of one word; "volatile" is there since nginx 1.29.3. */
static enum ngc_code check_geo_word(const struct ngc_directive *line,
    struct geo_lines *seen, struct ngc_error *err)
{
	if (ngc_directive_is(line, "proxy_recursive") ||
	    ngc_directive_is(line, "volatile"))
		return NGC_OK;
	if (!ngc_directive_is(line, "ranges"))
		return conf_refuse(line, err, "invalid number of the geo parameters");
	if (seen->networks)
		return conf_refuse(line, err,
		    "the \"ranges\" directive must be the first directive inside \"geo\" "
		    "block");
	seen->ranges = true;
	return NGC_OK;
}

static enum ngc_code check_geo_line(const struct ngc_directive *line,
    struct geo_lines *seen, struct ngc_error *err)
{
	bool proxy = ngc_directive_is(line, "proxy");
	struct ngc_bytes net = line->words[0];

	if (line->n_words == 1)
		return check_geo_word(line, seen, err);
	if (line->n_words != 2)
		return conf_refuse(line, err, "invalid number of the geo parameters");
	seen->networks = seen->networks || !(proxy || seen->ranges);
	if (ngc_directive_is(line, "default"))
		return NGC_OK;
	if (proxy || ngc_directive_is(line, "delete"))
		net = line->words[1];
	if (seen->ranges && !proxy)
		return is_range(net) ? NGC_OK
				     : conf_refuse(line, err, "invalid range \"%s\"",
					   (const char *)net.p);
	return is_network(net) ? NGC_OK
			       : conf_refuse(line, err, "invalid network \"%s\"",
				     (const char *)net.p);
}

enum ngc_code check_geo(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_code code = check_variable(d, 1, err);
	struct geo_lines seen = { 0 };

	(void)c;
	if (code == NGC_OK)
		code = check_new_variable(d, d->n_words - 1, err);
	for (d = d->first; d != NULL && code == NGC_OK; d = d->next)
		code = check_geo_line(d, &seen, err);
	return code;
}

/* "33.3%" as hundredths of a percent; false: nginx's ngx_atofp() refuses it. */
static bool read_percent(struct ngc_bytes s, uint64_t *out)
{
	unsigned decimals = 0;
	bool point = false;

	*out = 0;
	if (s.n == 0 || s.p[s.n - 1] != '%')
		return false;
	for (size_t i = 0; i + 1 < s.n; i++) {
		if (decimals == 2 || *out > UINT32_MAX)
			return false;
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		*out = *out * 10 + (s.p[i] - '0');
		decimals += point;
	}
	for (; decimals < 2; decimals++)
		*out *= 10;
	return *out > 0;
}

enum ngc_code check_split(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	enum ngc_code code = check_new_variable(d, 2, err);
	uint64_t sum = 0, percent;

	(void)c;
	for (d = d->first; d != NULL && code == NGC_OK; d = d->next) {
		bool rest = ngc_directive_is(d, "*");

		if (!rest && !read_percent(d->words[0], &percent))
			return conf_refuse(d, err, "invalid percent value \"%s\"",
			    ngc_directive_arg(d, 0));
		sum = rest ? 10000 : sum + percent;
		if (sum > 10000)
			return conf_refuse(d, err, "percent total is greater than 100%%");
	}
	return code;
}
