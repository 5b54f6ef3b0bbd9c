/* SPDX-License-Identifier: BSD-2-Clause */
#include "check.h"
#include "ngc/units.h"

/* The arguments of X_pass: nginx's ngx_parse_url(). */

static enum ngc_code refuse(const struct ngc_directive *d, const char *what,
    struct ngc_bytes url, struct ngc_error *err)
{
	return conf_refuse(d, err, "%s in upstream \"%s\"", what, (const char *)url.p);
}

static const unsigned char *find(struct ngc_bytes s, unsigned char c)
{
	return s.n > 0 ? memchr(s.p, c, s.n) : NULL;
}

static bool is_port(struct ngc_bytes s)
{
	int64_t port;

	return ngc_parse_number(s, &port) && port >= 1 && port <= 65535;
}

/* "host", "host:port" or "[address]:port", without what may follow. */
static enum ngc_code check_host(const struct ngc_directive *d, struct ngc_bytes host,
    struct ngc_bytes url, struct ngc_error *err)
{
	const unsigned char *close = NULL, *colon;

	if (host.n > 0 && host.p[0] == '[') {
		close = find(host, ']');
		if (close == NULL)
			return refuse(d, "invalid host", url, err);
	}
	colon = find(ngc_bytes_from(host, close != NULL ? (size_t)(close - host.p) : 0),
	    ':');
	if (host.n == 0 || colon == host.p)
		return refuse(d, "no host", url, err);
	if (colon != NULL && !is_port(ngc_bytes_from(host, (size_t)(colon + 1 - host.p))))
		return refuse(d, "invalid port", url, err);
	return NGC_OK;
}

/* *uri: behind the host, from its '/' or '?' on; a socket's from behind its ':'. */
static enum ngc_code check_url(const struct ngc_directive *d, struct ngc_bytes url,
    struct ngc_bytes *uri, struct ngc_error *err)
{
	size_t n = 0;

	if (ngc_bytes_starts(url, ngc_bytes_of("unix:"))) {
		struct ngc_bytes path = ngc_bytes_from(url, 5);
		const unsigned char *colon = find(path, ':');

		if (path.n == 0 || colon == path.p)
			return refuse(d, "no path in the unix domain socket", url, err);
		*uri = ngc_bytes_from(path,
		    colon != NULL ? (size_t)(colon + 1 - path.p) : path.n);
		return NGC_OK;
	}
	while (n < url.n && url.p[n] != '/' && url.p[n] != '?')
		n++;
	*uri = ngc_bytes_from(url, n);
	return check_host(d, ngc_bytes(url.p, n), url, err);
}

enum ngc_code check_pass(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	struct ngc_bytes url = d->words[1], uri;
	enum ngc_code code;

	(void)c;
	if (find(url, '$') != NULL)
		return NGC_OK;
	if (rule_of(d)->protocol == NGC_UWSGI) {
		if (ngc_bytes_starts(url, ngc_bytes_of("suwsgi://")))
			url = ngc_bytes_from(url, 9);
		else if (ngc_bytes_starts(url, ngc_bytes_of("uwsgi://")))
			url = ngc_bytes_from(url, 8);
	}
	code = check_url(d, url, &uri, err);
	if (code == NGC_OK && uri.n > 0 && !ngc_bytes_starts(url, ngc_bytes_of("unix:")))
		return refuse(d, "invalid host", url, err);
	return code;
}

/* There is no part of the request's URI then that the URI of proxy_pass could replace. */
static bool has_no_prefix(const struct ngc_level *l)
{
	return l->kind >= NGC_LEVEL_REGEX;
}

enum ngc_code check_proxy_pass(struct check *c, const struct ngc_directive *d,
    struct ngc_error *err)
{
	struct ngc_bytes url = d->words[1], uri;
	size_t n = url.n >= 8 && (url.p[4] | 0x20) == 's' ? 8 : 7;
	enum ngc_code code;

	if (find(url, '$') != NULL)
		return NGC_OK;
	if (url.n < n || !ngc_bytes_same(ngc_bytes(url.p, n),
			     ngc_bytes_of(n == 8 ? "https://" : "http://")))
		return conf_refuse(d, err, "invalid URL prefix");
	code = check_url(d, ngc_bytes_from(url, n), &uri, err);
	if (code == NGC_OK && uri.n > 0 && has_no_prefix(c->level))
		return conf_refuse(d, err,
		    "\"proxy_pass\" cannot have URI part in location given by regular "
		    "expression, or inside named location, or inside \"if\" "
		    "statement, or inside \"limit_except\" block");
	return code;
}
