/* SPDX-License-Identifier: BSD-2-Clause */
#include <arpa/inet.h>
#include <stdio.h>

#include "maps.h"

#include "ngc/units.h"

/*
 * geo: the line of the longest network, or of the smallest range, that holds an address.
 */

struct address {
	unsigned char b[16];
	unsigned bits; /* 32 or 128 */
};

static void set_v4(struct address *a, uint32_t v4)
{
	v4 = htonl(v4);
	memcpy(a->b, &v4, sizeof(v4));
	a->bits = 32;
}

/* An IPv6 address; what it ends in may be written like an IPv4 one. */
static bool read_v6(struct ngc_bytes s, struct address *out)
{
	const unsigned char *colon = memrchr(s.p, ':', s.n);
	size_t n = colon != NULL ? (size_t)(colon - s.p) + 1 : 0;
	char text[INET6_ADDRSTRLEN + 8];
	uint32_t v4;

	if (n == 0 || s.n >= INET6_ADDRSTRLEN)
		return false;
	if (ngc_parse_ipv4(ngc_bytes_from(s, n), &v4))
		snprintf(text, sizeof(text), "%.*s%x:%x", (int)n, (const char *)s.p,
		    v4 >> 16, v4 & 0xffff);
	else
		snprintf(text, sizeof(text), "%.*s", (int)s.n, (const char *)s.p);
	out->bits = 128;
	return inet_pton(AF_INET6, text, out->b) == 1;
}

static bool read_address(struct ngc_bytes s, struct address *out)
{
	uint32_t v4;

	if (!ngc_parse_ipv4(s, &v4))
		return read_v6(s, out);
	set_v4(out, v4);
	return true;
}

/* The address to look up: what is none counts as 255.255.255.255, as in nginx. */
static struct address address_of(struct ngc_bytes s)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct address a;

	if (!read_address(s, &a))
		set_v4(&a, UINT32_MAX);
	if (a.bits == 128 && memcmp(a.b, mapped, sizeof(mapped)) == 0) {
		memmove(a.b, a.b + sizeof(mapped), 4);
		a.bits = 32;
	}
	return a;
}

/* "10.0.0.0/8" or a single address. */
static bool read_network(struct ngc_bytes s, struct address *net, unsigned *prefix)
{
	const unsigned char *slash = memchr(s.p, '/', s.n);
	int64_t n;

	if (!read_address(ngc_bytes(s.p, slash ? (size_t)(slash - s.p) : s.n), net))
		return false;
	*prefix = net->bits;
	if (slash == NULL)
		return true;
	if (!ngc_parse_number(ngc_bytes_from(s, (size_t)(slash - s.p) + 1), &n) ||
	    n > net->bits)
		return false;
	*prefix = (unsigned)n;
	return true;
}

static bool in_network(const struct address *a, const struct address *net,
    unsigned prefix)
{
	unsigned whole = prefix / 8, rest = prefix % 8;

	if (a->bits != net->bits || memcmp(a->b, net->b, whole) != 0)
		return false;
	return rest == 0 || (a->b[whole] ^ net->b[whole]) >> (8 - rest) == 0;
}

/* "10.0.0.1-10.0.0.9"; the last line that holds the address wins. */
static bool in_range(const struct address *a, struct ngc_bytes s)
{
	const unsigned char *dash = memchr(s.p, '-', s.n);
	struct address from, to;

	return dash != NULL &&
	       read_address(ngc_bytes(s.p, (size_t)(dash - s.p)), &from) &&
	       read_address(ngc_bytes_from(s, (size_t)(dash - s.p) + 1), &to) &&
	       from.bits == a->bits && to.bits == a->bits &&
	       memcmp(a->b, from.b, a->bits / 8) >= 0 &&
	       memcmp(a->b, to.b, a->bits / 8) <= 0;
}

static bool is_line(const struct ngc_directive *d)
{
	static const char *const special[] = { "default", "delete", "proxy", "include" };

	for (size_t i = 0; i < sizeof(special) / sizeof(special[0]); i++)
		if (ngc_directive_is(d, special[i]))
			return false;
	return d->n_words == 2;
}

static bool may_be(const struct ngc_directive *line, struct value source)
{
	(void)source;
	return is_line(line) || ngc_directive_is(line, "default");
}

/* Does a later "delete" take the line's network out again? */
static bool is_deleted(const struct ngc_directive *line, struct address net,
    unsigned prefix)
{
	struct address gone;
	unsigned n;

	for (const struct ngc_directive *d = line->next; d != NULL; d = d->next)
		if (ngc_directive_is(d, "delete") && d->n_words == 2 &&
		    read_network(d->words[1], &gone, &n) && n == prefix &&
		    in_network(&gone, &net, prefix))
			return true;
	return false;
}

static const struct ngc_directive *find_line(const struct definition *def,
    const struct address *a)
{
	const struct ngc_directive *best = NULL;
	unsigned longest = 0, prefix;
	struct address net;

	for (const struct ngc_directive *d = def->d->first; d != NULL; d = d->next) {
		if (!is_line(d))
			continue;
		if (in_range(a, d->words[0])) {
			best = d;
		} else if (read_network(d->words[0], &net, &prefix) &&
			   in_network(a, &net, prefix) &&
			   (best == NULL || prefix >= longest) &&
			   !is_deleted(d, net, prefix)) {
			best = d;
			longest = prefix;
		}
	}
	return best;
}

void geo_eval(struct run *r, const struct definition *def, struct value *out)
{
	struct value source = run_eval(r, maps_source(def, "$remote_addr"));
	const struct unknown *u = value_unknown(source);
	const struct ngc_directive *line;
	struct address a;

	if (u != NULL) {
		maps_any_result(r, def, u, may_be, source, out);
		return;
	}
	a = address_of(value_bytes(r->arena, source));
	line = find_line(def, &a);
	if (line == NULL)
		line = ngc_directive_find(def->d, "default");
	*out = line != NULL && line->n_words > 1
		   ? value_text(r->arena, line->words[1], false)
		   : (struct value){ 0 };
}
