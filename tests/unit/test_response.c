/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/response.h"

#include "unit.h"

#include "ngc/mem.h"

/* Parse copies that end where they end, so that a sanitizer sees an access beyond. */
static struct ngc_response parse(struct ngc_bytes head)
{
	static unsigned char *copy, *scratch;
	struct ngc_response r;

	free(copy);
	free(scratch);
	copy = malloc(head.n > 0 ? head.n : 1);
	scratch = malloc(head.n > 0 ? head.n : 1);
	ck_assert(copy != NULL && scratch != NULL);
	if (head.n > 0)
		memcpy(copy, head.p, head.n);
	ngc_response_parse(ngc_bytes(copy, head.n), scratch, &r);
	return r;
}

static void check_bytes(struct ngc_bytes got, const char *want)
{
	ck_assert_msg(ngc_bytes_equal(got, ngc_bytes_of(want)), "'%.*s' instead of '%s'",
	    (int)got.n, got.n > 0 ? (const char *)got.p : "", want);
}

/* All fields as "name=value;". */
static void check_fields(const struct ngc_response *r, const char *want)
{
	struct ngc_buf b = { 0 };
	struct ngc_bytes name, value;
	size_t pos = 0;

	while (ngc_response_next(r, &pos, &name, &value)) {
		ngc_buf_add_bytes(&b, name);
		ngc_buf_add_char(&b, '=');
		ngc_buf_add_bytes(&b, value);
		ngc_buf_add_char(&b, ';');
	}
	check_bytes(ngc_buf_bytes(&b), want);
	ngc_buf_free(&b);
}

static void add_record(struct ngc_buf *b, unsigned char type, const char *content,
    size_t claimed, unsigned char padding)
{
	const unsigned char head[8] = { 1, type, 0, 1, (unsigned char)(claimed >> 8),
		(unsigned char)claimed, padding, 0 };

	ngc_buf_add(b, head, sizeof(head));
	ngc_buf_add_str(b, content);
	for (unsigned i = 0; i < padding && strlen(content) == claimed; i++)
		ngc_buf_add_char(b, '\n');
}

START_TEST(blocks_are_read_as_nginx_reads_them)
{
	static const struct {
		const char *head, *stored;
		int status;
		bool well_formed;
		const char *fields;
	} cases[] = {
		{ "", "http", 200, true, "" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "http", 200, true, "A=b;" },
		{ "HTTP/1.0 404 Not Found\nA: b\nC:d\n\n", "http", 404, true,
		    "A=b;C=d;" },
		{ "HTTP/1.1 200\r\n\r\n", "http", 200, true, "" },
		{ "HTTP/1.1 403.1 Denied\r\n\r\n", "http", 403, true, "" },
		{ "HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n", "http", 103, true,
		    "Link=<x>;" },
		{ "HTTP/1.1 404 X\r\nStatus: 200\r\n\r\n", "http", 404, true,
		    "Status=200;" },
		{ "Status: 404 Not Found\r\nA: b\r\n\r\n", "cgi", 404, true,
		    "Status=404 Not Found;A=b;" },
		{ "status:301\n\n", "cgi", 301, true, "status=301;" },
		{ "Location: /x\r\n\r\n", "cgi", 302, true, "Location=/x;" },
		{ "Location:\r\n\r\n", "cgi", 302, true, "Location=;" },
		{ "Status: 201\r\nLocation: /x\r\n\r\n", "cgi", 201, true,
		    "Status=201;Location=/x;" },
		{ "Content-Type: text/html\r\n\r\n", "cgi", 200, true,
		    "Content-Type=text/html;" },
		{ "Status: 404\r\nStatus: 500\r\n\r\n", "cgi", 404, true,
		    "Status=404;Status=500;" },
		{ "\r\n", "cgi", 200, true, "" },
		{ "\n", "cgi", 200, true, "" },
		{ "A: b\r\nHTTP/1.1 404 Ignored: yes\r\nC: d\r\n\r\n", "cgi", 200, true,
		    "A=b;C=d;" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n", "http", 200, true, "A=b;" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_response r = parse(ngc_bytes_of(cases[i].head));

		ck_assert_str_eq(ngc_stored_name(r.stored), cases[i].stored);
		ck_assert_int_eq(r.status, cases[i].status);
		ck_assert_msg(r.well_formed == cases[i].well_formed, "%s", cases[i].head);
		ck_assert(r.framed && r.ended == (cases[i].head[0] != '\0'));
		check_fields(&r, cases[i].fields);
	}
}
END_TEST

START_TEST(garbled_status_lines_have_status_0)
{
	static const char *const lines[] = { "HTTP/", "HTTP/1", "HTTP/1.1", "HTTP/1.1 ",
		"HTTP/1.1 20", "HTTP/1.1 20x OK", "HTTP/1.1 2000 OK", "HTTP/1.1 200-OK",
		"HTTP/a.1 200 OK", "HTTP/0.9 200 OK", "HTTP/1.x 200 OK",
		"HTTP/100.1 200 OK", "HTTP/1.100 200 OK", "HTTP/1.1\t200 OK",
		"HTTP/1.1 200 O\rK", "HTTP/1.1 -20 OK", "HTTP/1.1 000 OK" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ngc_buf b = { 0 };
		struct ngc_response r;

		ngc_buf_printf(&b, "%s\r\nA: b\r\n\r\n", lines[i]);
		r = parse(ngc_buf_bytes(&b));
		ck_assert_int_eq(r.stored, NGC_STORED_HTTP);
		ck_assert_msg(r.status == 0, "%s: %d", lines[i], r.status);
		ck_assert(!r.well_formed);
		check_fields(&r, "A=b;");
		ngc_buf_free(&b);
	}
}
END_TEST

START_TEST(garbled_status_fields_have_status_0)
{
	static const char *const heads[] = { "Status: \r\n\r\n", "Status: OK\r\n\r\n",
		"Status: 20\r\n\r\n", "Status: -20\r\n\r\n", "Status\r\n\r\n",
		"Status: 20x\r\nLocation: /\r\n\r\n" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct ngc_response r = parse(ngc_bytes_of(heads[i]));

		ck_assert_msg(r.status == 0, "%s: %d", heads[i], r.status);
		ck_assert(!r.well_formed);
	}
}
END_TEST

START_TEST(what_cannot_be_read_is_left_out)
{
	static const struct {
		const char *head;
		size_t n; /* 0: strlen() */
		const char *fields;
	} cases[] = {
		{ "HTTP/1.1 200 OK\r\nA: b\r\nCut: of", 0, "A=b;" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\n", 0, "A=b;" },
		{ "HTTP/1.1 200 OK\r\n", 0, "" },
		{ "HTTP/1.1 200 OK", 0, "" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\n\r", 0, "A=b;" },
		{ "HTTP/1.1 200 OK\r\nA: b\r\n\r\nC: d\r\n", 0, "A=b;" },
		{ "HTTP/1.1 200 OK\r\nA: x\0y\r\nC: d\r\n\r\n", 33, "C=d;" },
		{ "HTTP/1.1 200 OK\r\nA\0: x\r\nC: d\r\n\r\n", 32, "C=d;" },
		{ "HTTP/1.1 200 OK\r\nA: x\ry\r\nC: d\r\n\r\n", 0, "C=d;" },
		{ "HTTP/1.1 200 OK\r\n\r\r\nC: d\r\n\r\n", 0, "C=d;" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t n = cases[i].n > 0 ? cases[i].n : strlen(cases[i].head);
		struct ngc_response r = parse(ngc_bytes(cases[i].head, n));

		ck_assert_int_eq(r.status, 200);
		ck_assert_msg(!r.well_formed, "case %zu", i);
		check_fields(&r, cases[i].fields);
	}
}
END_TEST

START_TEST(names_and_values_lose_their_blanks_and_nothing_else)
{
	struct ngc_response r = parse(ngc_bytes_of("HTTP/1.1 200 OK\r\n"
	                                           "A: \t b  c \t\r\n"
	                                           "B:c: d\r\n"
	                                           "Empty:\r\n"
	                                           "Blank:   \r\n"
	                                           "No-colon\r\n"
	                                           ": no name\r\n"
	                                           " folded: x\r\n"
	                                           "\xff\xfe: \x80\r\n"
	                                           "\r\n"));

	ck_assert(r.well_formed);
	check_fields(&r, "A=b  c;B=c: d;Empty=;Blank=;No-colon=;=no name; folded=x;"
	                 "\xff\xfe=\x80;");
}
END_TEST

START_TEST(a_field_is_found_whatever_its_case)
{
	struct ngc_response r = parse(ngc_bytes_of("HTTP/1.1 200 OK\r\nX-a: 1\r\n"
	                                           "x-A: 2\r\nX-ab: 3\r\nE:\r\n\r\n"));

	check_bytes(ngc_response_field(&r, "X-A"), "1");
	check_bytes(ngc_response_field(&r, "x-ab"), "3");
	ck_assert_ptr_nonnull(ngc_response_field(&r, "e").p);
	ck_assert_uint_eq(ngc_response_field(&r, "e").n, 0);
	ck_assert_ptr_null(ngc_response_field(&r, "X").p);
	ck_assert_ptr_null(ngc_response_field(&r, "").p);
}
END_TEST

START_TEST(the_media_type_stands_alone)
{
	static const struct {
		const char *line, *want; /* NULL: absent */
	} cases[] = {
		{ "Content-Type: text/html", "text/html" },
		{ "content-type:text/html;charset=utf-8", "text/html" },
		{ "Content-Type: text/html ; charset=utf-8", "text/html" },
		{ "Content-Type: Text/HTML", "Text/HTML" },
		{ "Content-Type:", NULL },
		{ "Content-Type: ;x", NULL },
		{ "X: y", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_buf b = { 0 };
		struct ngc_response r;

		ngc_buf_printf(&b, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", cases[i].line);
		r = parse(ngc_buf_bytes(&b));
		if (cases[i].want == NULL)
			ck_assert_ptr_null(ngc_response_media_type(&r).p);
		else
			check_bytes(ngc_response_media_type(&r), cases[i].want);
		ngc_buf_free(&b);
	}
}
END_TEST

/* A 404, split after at bytes; the last record runs on into the body. */
static void build_split(struct ngc_buf *b, size_t at, bool noise)
{
	static const char text[] = "Status: 404 Not Found\r\nA: b\r\n\r\n";
	char first[sizeof(text)];

	memcpy(first, text, at);
	first[at] = '\0';
	if (noise)
		add_record(b, 7, "PHP message: \r\n\r\n\x01\x06", 19, 5);
	add_record(b, 6, first, at, 3);
	if (noise)
		add_record(b, 7, "more\n", 5, 0);
	add_record(b, 6, text + at, strlen(text) - at + 1000, 7);
}

START_TEST(fastcgi_headers_may_be_split_anywhere)
{
	for (size_t at = 1; at < 31; at++) {
		for (int noise = 0; noise < 2; noise++) {
			struct ngc_buf b = { 0 };
			struct ngc_response r;

			build_split(&b, at, noise != 0);
			r = parse(ngc_buf_bytes(&b));
			ck_assert_int_eq(r.stored, NGC_STORED_FASTCGI);
			ck_assert_int_eq(r.status, 404);
			ck_assert_msg(r.well_formed, "split at %zu", at);
			check_fields(&r, "Status=404 Not Found;A=b;");
			ngc_buf_free(&b);
		}
	}
}
END_TEST

START_TEST(fastcgi_status_follows_the_cgi_rules)
{
	static const struct {
		const char *text;
		int status;
		bool well_formed;
	} cases[] = {
		{ "Status: 410\n\n", 410, true },
		{ "Location: /x\r\n\r\n", 302, true },
		{ "X: y\r\n\r\n", 200, true },
		{ "HTTP/1.1 404 Not Found\r\nX: y\r\n\r\n", 200, true },
		{ "HTTP/1.1 404 Not Found\r\nStatus: 403\r\n\r\n", 403, true },
		{ "Status: x\r\n\r\n", 0, false },
		{ "X: y\r\n", 200, false },
		{ "X: y\r\n\r\nbody", 200, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ngc_buf b = { 0 };
		struct ngc_response r;

		add_record(&b, 6, cases[i].text, strlen(cases[i].text), 0);
		r = parse(ngc_buf_bytes(&b));
		ck_assert_int_eq(r.stored, NGC_STORED_FASTCGI);
		ck_assert_int_eq(r.status, cases[i].status);
		ck_assert_int_eq(r.well_formed, cases[i].well_formed);
		ck_assert(r.framed);
		ck_assert_int_eq(r.ended, strcmp(cases[i].text, "X: y\r\n") != 0);
		ngc_buf_free(&b);
	}
}
END_TEST

START_TEST(fastcgi_framing_that_nginx_refuses_is_not_well_formed)
{
	static const unsigned char bad[][8] = {
		{ 2, 6, 0, 1, 0, 1, 0, 0 },  /* another protocol version */
		{ 1, 3, 0, 1, 0, 1, 0, 0 },  /* END_REQUEST */
		{ 1, 6, 1, 1, 0, 1, 0, 0 },  /* another request */
		{ 1, 6, 0, 2, 0, 1, 0, 0 },
		{ 1, 6, 0, 1, 0, 0, 0, 0 },  /* the end of STDOUT */
		{ 1, 7, 0, 1, 9, 9, 0, 0 },  /* STDERR beyond the end */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ngc_buf b = { 0 };
		struct ngc_response r;

		add_record(&b, 6, "A: b\r\n", 6, 0);
		ngc_buf_add(&b, bad[i], sizeof(bad[i]));
		ngc_buf_add_str(&b, "\n");
		r = parse(ngc_buf_bytes(&b));
		ck_assert_int_eq(r.stored, NGC_STORED_FASTCGI);
		ck_assert(!r.well_formed);
		ck_assert(!r.framed && !r.ended);
		check_fields(&r, "A=b;");
		ngc_buf_free(&b);
	}
}
END_TEST

START_TEST(cut_fastcgi_headers_are_never_well_formed)
{
	struct ngc_buf b = { 0 };

	build_split(&b, 10, true);
	for (size_t n = 2; n < b.n; n++) {
		struct ngc_response r = parse(ngc_bytes(b.p, n));

		ck_assert_int_eq(r.stored, NGC_STORED_FASTCGI);
		ck_assert_msg(!r.well_formed, "cut to %zu", n);
	}
	ngc_buf_free(&b);
}
END_TEST

START_TEST(a_record_header_needs_two_bytes_to_be_one)
{
	static const char *const heads[] = { "\x01", "\x01\x05", "\x02\x06", "\x06\x01" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct ngc_response r = parse(ngc_bytes_of(heads[i]));

		ck_assert_int_eq(r.stored, NGC_STORED_CGI);
		ck_assert(!r.well_formed);
	}
}
END_TEST

/* Any bytes at all: no field may reach beyond the fields, and the walk must end. */
START_TEST(hostile_bytes_end_and_stay_within_bounds)
{
	static const unsigned char alphabet[] = { 0, 1, 6, 7, '\n', '\r', ':', 'H', ' ' };
	uint32_t seed = 1;

	for (int round = 0; round < 20000; round++) {
		unsigned char head[40];
		struct ngc_bytes name, value;
		struct ngc_response r;
		size_t n, pos = 0, last = 0;

		for (size_t i = 0; i < sizeof(head); i++) {
			seed = seed * 1664525 + 1013904223;
			head[i] = alphabet[(seed >> 16) % sizeof(alphabet)];
		}
		n = (seed >> 8) % sizeof(head);
		if (round % 2 == 0)
			memcpy(head, "\x01\x06\x00\x01\x00\x05\x02\x00", 8);
		r = parse(ngc_bytes(head, n));
		ck_assert_uint_le(r.fields.n, n);
		while (ngc_response_next(&r, &pos, &name, &value)) {
			ck_assert(pos > last && pos <= r.fields.n);
			ck_assert(name.p >= r.fields.p + last);
			ck_assert(value.p >= name.p + name.n);
			ck_assert(value.p + value.n <= r.fields.p + pos);
			last = pos;
		}
	}
}
END_TEST

UNIT_MAIN("response", blocks_are_read_as_nginx_reads_them,
    garbled_status_lines_have_status_0, garbled_status_fields_have_status_0,
    what_cannot_be_read_is_left_out,
    names_and_values_lose_their_blanks_and_nothing_else,
    a_field_is_found_whatever_its_case, the_media_type_stands_alone,
    fastcgi_headers_may_be_split_anywhere,
    fastcgi_status_follows_the_cgi_rules,
    fastcgi_framing_that_nginx_refuses_is_not_well_formed,
    cut_fastcgi_headers_are_never_well_formed, a_record_header_needs_two_bytes_to_be_one,
    hostile_bytes_end_and_stay_within_bounds)
