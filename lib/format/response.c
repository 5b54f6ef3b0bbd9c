/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/response.h"

#include "fcgi.h"

const char *ngc_stored_name(enum ngc_stored s)
{
	static const char *const names[] = {
		[NGC_STORED_HTTP] = "http",
		[NGC_STORED_FASTCGI] = "fastcgi",
		[NGC_STORED_CGI] = "cgi",
	};

	return names[s];
}

/* The next line without its LF; false when no LF is left. */
static bool take_line(struct ngc_bytes *left, struct ngc_bytes *line)
{
	const unsigned char *lf = memchr(left->p, '\n', left->n);

	if (lf == NULL)
		return false;
	*line = ngc_bytes(left->p, (size_t)(lf - left->p));
	*left = ngc_bytes_from(*left, line->n + 1);
	return true;
}

static bool is_http(struct ngc_bytes line)
{
	return ngc_bytes_starts(line, ngc_bytes("HTTP/", 5));
}

static bool is_blank(struct ngc_bytes line)
{
	return line.n == 0 || (line.n == 1 && line.p[0] == '\r');
}

/* Take the CRs that end a header line: nginx accepts several. */
static void strip_cr(struct ngc_bytes *line)
{
	while (line->n > 0 && line->p[line->n - 1] == '\r')
		line->n--;
}

/*
 * Not what every ngx_http_parse_header_line() refuses, in a line without its line end.
 * Blanks in names are refused since 1.21.1 only and pass here.
 */
static bool is_readable(struct ngc_bytes line)
{
	return memchr(line.p, '\0', line.n) == NULL &&
	       memchr(line.p, '\r', line.n) == NULL;
}

static bool take_char(struct ngc_bytes *s, unsigned char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = ngc_bytes_from(*s, 1);
	return true;
}

static bool take_digit(struct ngc_bytes *s, int *value)
{
	if (s->n == 0 || s->p[0] < '0' || s->p[0] > '9')
		return false;
	*value = *value * 10 + (s->p[0] - '0');
	*s = ngc_bytes_from(*s, 1);
	return true;
}

/* One or two digits, the first of them not 0 for a major version. */
static bool take_version_part(struct ngc_bytes *s, bool major)
{
	int value = 0;

	if (!take_digit(s, &value) || (major && value == 0))
		return false;
	while (take_digit(s, &value))
		if (value > 99)
			return false;
	return true;
}

/* The status of a status line as ngx_http_parse_status_line() reads it; 0: garbled. */
static int status_of_line(struct ngc_bytes line)
{
	int status = 0;

	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	if (!is_http(line) || memchr(line.p, '\r', line.n) != NULL)
		return 0;
	line = ngc_bytes_from(line, 5);
	if (!take_version_part(&line, true) || !take_char(&line, '.') ||
	    !take_version_part(&line, false) || !take_char(&line, ' '))
		return 0;
	for (int i = 0; i < 3; i++) {
		while (take_char(&line, ' '))
			;
		if (!take_digit(&line, &status))
			return 0;
	}
	/* IIS says "403.1". */
	return line.n == 0 || line.p[0] == ' ' || line.p[0] == '.' ? status : 0;
}

/* The status an application's header block means; 0: its Status field is garbled. */
static int status_of_fields(const struct ngc_response *r)
{
	struct ngc_bytes value = ngc_response_field(r, "Status");
	int status = 0;

	if (value.p == NULL)
		return ngc_response_field(r, "Location").p != NULL ? 302 : 200;
	for (int i = 0; i < 3; i++)
		if (!take_digit(&value, &status))
			return 0;
	return status;
}

/*
 * Find the blank line that ends the header: it must be there, after nothing but readable
 * lines, and nothing may follow it.
 */
static void delimit_fields(struct ngc_bytes left, struct ngc_response *out)
{
	struct ngc_bytes line;

	out->fields = ngc_bytes(left.p, 0);
	while (take_line(&left, &line)) {
		if (is_blank(line)) {
			out->ended = true;
			out->well_formed = out->well_formed && left.n == 0;
			return;
		}
		out->fields.n = (size_t)(left.p - out->fields.p);
		strip_cr(&line);
		if (line.n == 0 || (!is_http(line) && !is_readable(line)))
			out->well_formed = false;
	}
	out->well_formed = false;
}

static void parse_http(struct ngc_bytes head, struct ngc_response *out)
{
	struct ngc_bytes line;

	out->stored = NGC_STORED_HTTP;
	if (!take_line(&head, &line)) {
		line = head;
		head = ngc_bytes_from(head, head.n);
	}
	out->status = status_of_line(line);
	delimit_fields(head, out);
}

void ngc_response_parse(struct ngc_bytes head, unsigned char *scratch,
    struct ngc_response *out)
{
	*out = (struct ngc_response){ .stored = NGC_STORED_HTTP,
		.status = 200,
		.well_formed = true,
		.framed = true,
		.fields = ngc_bytes(head.p, 0) };
	if (head.n == 0)
		return;
	if (is_http(head)) {
		parse_http(head, out);
	} else if (fcgi_begins(head)) {
		size_t n;

		out->stored = NGC_STORED_FASTCGI;
		out->framed = out->well_formed = fcgi_unwrap(head, scratch, &n);
		delimit_fields(ngc_bytes(scratch, n), out);
		out->status = status_of_fields(out);
	} else {
		out->stored = NGC_STORED_CGI;
		delimit_fields(head, out);
		out->status = status_of_fields(out);
	}
	if (out->status == 0)
		out->well_formed = false;
}

static struct ngc_bytes trim(struct ngc_bytes s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = ngc_bytes_from(s, 1);
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* What stands before the first c, and what after it; the end of s when there is none. */
static struct ngc_bytes split(struct ngc_bytes s, unsigned char c,
    struct ngc_bytes *after)
{
	const unsigned char *p = memchr(s.p, c, s.n);
	size_t n = p != NULL ? (size_t)(p - s.p) : s.n;

	*after = ngc_bytes_from(s, p != NULL ? n + 1 : n);
	return ngc_bytes(s.p, n);
}

bool ngc_response_next(const struct ngc_response *r, size_t *pos, struct ngc_bytes *name,
    struct ngc_bytes *value)
{
	struct ngc_bytes left, line;

	if (*pos >= r->fields.n)
		return false;
	left = ngc_bytes_from(r->fields, *pos);
	while (take_line(&left, &line)) {
		*pos = (size_t)(left.p - r->fields.p);
		strip_cr(&line);
		/* nginx skips a status line among the fields. */
		if (line.n == 0 || is_http(line) ||
		    (!r->well_formed && !is_readable(line)))
			continue;
		*name = split(line, ':', value);
		*value = trim(*value);
		return true;
	}
	return false;
}

struct ngc_bytes ngc_response_field(const struct ngc_response *r, const char *name)
{
	struct ngc_bytes wanted = ngc_bytes_of(name), found, value;
	size_t pos = 0;

	while (ngc_response_next(r, &pos, &found, &value))
		if (ngc_bytes_same(found, wanted))
			return value;
	return ngc_bytes(NULL, 0);
}

struct ngc_bytes ngc_response_media_type(const struct ngc_response *r)
{
	struct ngc_bytes parameters;
	struct ngc_bytes type = ngc_response_field(r, "Content-Type");

	if (type.p == NULL)
		return type;
	type = trim(split(type, ';', &parameters));
	return type.n > 0 ? type : ngc_bytes(NULL, 0);
}
