/* SPDX-License-Identifier: BSD-2-Clause */
#include "ngc/explain.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"

/*
 * The requests of tests/data/routing, whose keys a real nginx has stored: each is
 * explained, and each must be among the keys that its URL covers.
 */

#define PORT "8080"

static char dir[] = "/tmp/ngc_routing.XXXXXX";

/* Replace @DIR@ and @PORT@. */
static void fill_in(struct ngc_buf *out, const char *text)
{
	out->n = 0;
	while (*text != '\0') {
		if (strncmp(text, "@DIR@", 5) == 0) {
			ngc_buf_add_str(out, dir);
			text += 5;
		} else if (strncmp(text, "@PORT@", 6) == 0) {
			ngc_buf_add_str(out, PORT);
			text += 6;
		} else {
			ngc_buf_add_char(out, *text++);
		}
	}
}

static void make_file(const char *name, const char *text)
{
	struct ngc_buf path = { 0 };
	FILE *f;

	ngc_buf_printf(&path, "%s/%s", dir, name);
	for (char *p = (char *)path.p + strlen(dir) + 1; (p = strchr(p, '/')) != NULL;
	     p++) {
		*p = '\0';
		mkdir((const char *)path.p, 0755);
		*p = '/';
	}
	f = fopen(ngc_buf_str(&path), "w");
	ck_assert_msg(f != NULL, "%s", ngc_buf_str(&path));
	fputs(text, f);
	fclose(f);
	ngc_buf_free(&path);
}

static void lay_out(void)
{
	static const char *const files[] = { "www/index.php", "www/there.html",
		"www/there.php", "www/sub/index.html", "www/sub/in.html",
		"www/named/there.html", "www/static/there.html", "www/sub/page/index.php",
		"www/code/x.html", "realdir/x" };
	struct ngc_buf text = { 0 }, conf = { 0 }, to = { 0 }, from = { 0 };
	FILE *f = fopen("tests/data/routing/nginx.conf", "r");
	int c;

	ck_assert_ptr_nonnull(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		make_file(files[i], "x");
	ck_assert_ptr_nonnull(f);
	while ((c = getc(f)) != EOF)
		ngc_buf_add_char(&text, (char)c);
	fclose(f);
	fill_in(&conf, ngc_buf_str(&text));
	make_file("nginx.conf", ngc_buf_str(&conf));
	ngc_buf_printf(&to, "%s/realdir", dir);
	ngc_buf_printf(&from, "%s/link", dir);
	ck_assert_int_eq(symlink(ngc_buf_str(&to), ngc_buf_str(&from)), 0);
	ngc_buf_free(&text);
	ngc_buf_free(&conf);
	ngc_buf_free(&to);
	ngc_buf_free(&from);
}

struct site {
	struct ngc_conf *conf;
	const struct ngc_zone *zones[8];
	size_t n_zones;
	struct ngc_router *router;
};

static void open_site(struct site *s)
{
	struct ngc_buf path = { 0 };
	struct ngc_conf_request req = { .prefix = dir };
	struct ngc_error err;

	ngc_buf_printf(&path, "%s/nginx.conf", dir);
	req.file = ngc_buf_str(&path);
	*s = (struct site){ 0 };
	ck_assert_msg(ngc_conf_read(&req, &s->conf, &err) == NGC_OK, "%s", err.text);
	while ((s->zones[s->n_zones] = ngc_conf_zone(s->conf, s->n_zones)) != NULL)
		s->n_zones++;
	ck_assert_msg(ngc_router_new(s->conf, s->zones, s->n_zones, &s->router, &err) ==
			  NGC_OK,
	    "%s", err.text);
	ngc_buf_free(&path);
}

/* A word of a request, ended by a blank that no backslash precedes. */
static char *take_word(char **line)
{
	char *start = *line, *to = start;

	if (*start == '\0')
		return NULL;
	for (; **line != '\0' && **line != ' '; ++*line) {
		if (**line == '\\')
			++*line;
		*to++ = **line;
	}
	if (**line == ' ')
		++*line;
	*to = '\0';
	return start;
}

struct request {
	struct ngc_explain_request req;
	struct ngc_request_header headers[8];
	struct ngc_url *url;
};

static void read_request(char *line, struct request *q)
{
	char *host = take_word(&line), *target = take_word(&line), *word;
	struct ngc_buf url = { 0 };
	struct ngc_error err;

	*q = (struct request){ .req = { .method = ngc_bytes_of("GET") } };
	ngc_buf_printf(&url, "http://%s:" PORT "%s", host, target);
	ck_assert_msg(ngc_url_parse(ngc_buf_bytes(&url), &q->url, &err) == NGC_OK, "%s",
	    err.text);
	ngc_buf_free(&url);
	q->req.url = q->url;
	q->req.headers = q->headers;
	while ((word = take_word(&line)) != NULL) {
		char *colon = strchr(word, ':');

		if (strcmp(word, "HEAD") == 0 || strcmp(word, "POST") == 0)
			q->req.method = ngc_bytes_of(word);
		else if (strncmp(word, "body=", 5) == 0)
			q->req.body = ngc_bytes_of(word + 5);
		else
			q->headers[q->req.n_headers++] = (struct ngc_request_header){
				ngc_bytes(word, (size_t)(colon - word)),
				ngc_bytes_of(colon + 1)
			};
	}
}

/* The key written down for a case; absent: none. */
static struct ngc_bytes wanted_key(const char *json, struct ngc_buf *out)
{
	json_t *j = json_loads(json, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
	struct ngc_bytes s = ngc_bytes(json_string_value(j), json_string_length(j));

	ck_assert_ptr_nonnull(j);
	out->n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (s.n - i >= 5 && memcmp(s.p + i, "@DIR@", 5) == 0) {
			ngc_buf_add_str(out, dir);
			i += 4;
		} else {
			ngc_buf_add_char(out, (char)s.p[i]);
		}
	}
	ngc_buf_str(out);
	json_decref(j);
	return s.p != NULL ? ngc_buf_bytes(out) : s;
}

static void check_covered(const struct site *s, const struct request *q, const char *text,
    const struct ngc_zone *zone, struct ngc_bytes key)
{
	struct ngc_cover *c;
	struct ngc_error err;
	bool ambiguous;

	ck_assert_int_eq(ngc_route_cover(s->router, q->url, NULL, &c, &err), NGC_OK);
	ck_assert_msg(ngc_cover_match(c, zone, key, &ambiguous),
	    "%s: its key is not covered", text);
	ngc_cover_free(c);
}

static void check_case(const struct site *s, char *line)
{
	char *tab = strchr(line, '\t'), *text = strndup(line, (size_t)(tab - line));
	struct ngc_explanation *e;
	struct ngc_buf key = { 0 };
	struct ngc_reading reading;
	struct ngc_error err;
	struct ngc_bytes want;
	struct request q;

	*tab = '\0';
	want = wanted_key(tab + 1, &key);
	read_request(line, &q);
	ck_assert_int_eq(ngc_route_explain(s->router, &q.req, &e, &err), NGC_OK);
	ck_assert_msg((e->key.p == NULL) == (want.p == NULL) &&
			  ngc_bytes_equal(e->key, want),
	    "%s: '%.*s' instead of '%.*s'", text, (int)e->key.n, (const char *)e->key.p,
	    (int)want.n, (const char *)want.p);
	ck_assert_ptr_null(e->unknown[0]);
	if (want.p != NULL) {
		check_covered(s, &q, text, e->zone, want);
		ck_assert_msg(ngc_route_read(s->router, e->zone, want, &reading),
		    "%s: its key is not read", text);
	}
	ngc_explanation_free(e);
	ngc_url_free(q.url);
	ngc_buf_free(&key);
	free(text);
}

START_TEST(requests_get_the_keys_that_nginx_gave_them)
{
	FILE *f = fopen("tests/data/routing/cases.txt", "r");
	char *line = NULL;
	size_t cap = 0, n = 0;
	struct site s;

	ck_assert_ptr_nonnull(f);
	lay_out();
	open_site(&s);
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			continue;
		check_case(&s, line);
		n++;
	}
	ck_assert_uint_gt(n, 100);
	free(line);
	fclose(f);
	ngc_router_free(s.router);
	ngc_conf_free(s.conf);
	remove_tree(dir);
}
END_TEST

UNIT_MAIN("routing", requests_get_the_keys_that_nginx_gave_them)
