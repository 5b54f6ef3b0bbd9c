/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkcache: write cache files as nginx would, for tests.  The text below is its manual.
 *
 * The binary header is laid out by C's own rules of size and alignment, field after
 * field, and not by the table of lib/format, which these files are there to test.
 */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ngc/digest.h"
#include "ngc/mem.h"
#include "ngc/zone.h"

static const char usage[] =
    "usage: mkcache -o DIR [OPTION...] KEY...\n"
    "       mkcache -o DIR [OPTION...] --count N --template 'GETexample.com/%d'\n"
    "\n"
    "Write one cache file for every KEY below DIR, which is created.\n"
    "\n"
    "  -o, --output DIR       the root of the cache\n"
    "  -v, --verbose          print the path of each file\n"
    "  --levels L             1:2 (default), 2:2, ...; none: no levels\n"
    "  --name HEX32           the file's name, and so its directory, not the right one\n"
    "  --suffix S             put behind the name: .0123456789 makes a temporary file\n"
    "  --mtime T              of the file\n"
    "  --key-base64 B64       one more key, of any bytes; repeatable\n"
    "  --count N              N more keys: --template with %d replaced by 1 .. N\n"
    "  --template T\n"
    "\n"
    "The binary header (times are Unix seconds; what a layout lacks is left out):\n"
    "  --layout V             v5 (default), v3, v2, v0\n"
    "  --abi A                lp64le (default), lp64be, ilp32le, ilp32be, i386t64\n"
    "  --valid T              default 1796060000\n"
    "  --date T               default 1796050000\n"
    "  --updating N, --error N, --last-modified T    default 0, 0, -1\n"
    "  --etag E               also the header line\n"
    "  --vary V               also the header line; the file is named by the key, as\n"
    "                         the first one of a key is\n"
    "  --variant-headers 'NAME: VALUE'   with --vary, repeatable: what the request had;\n"
    "                         the file is named by the variant that makes\n"
    "  --variant-hex HEX32    with --vary: the variant, instead of the computed one\n"
    "  --main                 named by the key all the same\n"
    "  --invalidated          the version field is 0\n"
    "\n"
    "The stored response:\n"
    "  --status N             default 200\n"
    "  --type T               default text/html; empty: none\n"
    "  --header 'NAME: VALUE' one more line; repeatable\n"
    "  --no-length            no Content-Length\n"
    "  --body TEXT            default hello\n"
    "  --body-size N          N bytes of x\n"
    "  --fastcgi              in a FastCGI record\n"
    "  --split N              in records of N bytes, with padding and one of STDERR\n"
    "  --cgi                  a CGI header block\n"
    "  --http09               no header at all\n"
    "  --head-base64 B64      these bytes for a header\n"
    "\n"
    "Damage, done last:\n"
    "  --poke OFFSET=HEX      overwrite bytes; repeatable; below 0: from the end\n"
    "  --truncate N           cut the file to N bytes\n";

enum { STATUS_WRONG = 2, STATUS_FAILED = 3 };

struct abi {
	const char *name;
	bool big_endian;
	size_t word, time, time_align;
};

static const struct abi abis[] = {
	{ "lp64le", false, 8, 8, 8 },
	{ "lp64be", true, 8, 8, 8 },
	{ "ilp32le", false, 4, 4, 4 },
	{ "ilp32be", true, 4, 4, 4 },
	{ "i386t64", false, 4, 8, 4 },
	{ NULL, false, 0, 0, 0 },
};

#define LIST_MAX 64

struct list {
	const char *item[LIST_MAX];
	size_t n;
};

/* What to write: the options as given, and then what some of them mean. */
struct spec {
	const char *output, *levels_text, *name, *suffix, *template;
	struct list keys_base64;
	int64_t mtime, count;
	const char *layout, *abi_name, *etag, *vary, *variant_hex;
	struct list variant_headers;
	int64_t valid, date, updating, error, last_modified;
	const char *type, *body_text, *head_base64;
	struct list headers;
	int64_t status, body_size, split;
	struct list pokes;
	int64_t cut;
	bool verbose, help, main, invalidated, no_length, fastcgi, cgi, http09;

	struct ngc_levels levels;
	const struct abi *abi;
	int version;
	struct ngc_buf head, body;
};

enum kind { FLAG, TEXT, NUMBER, LIST };

#define OPT(name, kind, member) { name, kind, offsetof(struct spec, member) }

static const struct opt {
	const char *name;
	enum kind kind;
	size_t at;
} opts[] = {
	OPT("output", TEXT, output),
	OPT("verbose", FLAG, verbose),
	OPT("help", FLAG, help),
	OPT("levels", TEXT, levels_text),
	OPT("name", TEXT, name),
	OPT("suffix", TEXT, suffix),
	OPT("mtime", NUMBER, mtime),
	OPT("key-base64", LIST, keys_base64),
	OPT("count", NUMBER, count),
	OPT("template", TEXT, template),
	OPT("layout", TEXT, layout),
	OPT("abi", TEXT, abi_name),
	OPT("valid", NUMBER, valid),
	OPT("date", NUMBER, date),
	OPT("updating", NUMBER, updating),
	OPT("error", NUMBER, error),
	OPT("last-modified", NUMBER, last_modified),
	OPT("etag", TEXT, etag),
	OPT("vary", TEXT, vary),
	OPT("variant-headers", LIST, variant_headers),
	OPT("variant-hex", TEXT, variant_hex),
	OPT("main", FLAG, main),
	OPT("invalidated", FLAG, invalidated),
	OPT("status", NUMBER, status),
	OPT("type", TEXT, type),
	OPT("header", LIST, headers),
	OPT("no-length", FLAG, no_length),
	OPT("body", TEXT, body_text),
	OPT("body-size", NUMBER, body_size),
	OPT("fastcgi", FLAG, fastcgi),
	OPT("split", NUMBER, split),
	OPT("cgi", FLAG, cgi),
	OPT("http09", FLAG, http09),
	OPT("head-base64", TEXT, head_base64),
	OPT("poke", LIST, pokes),
	OPT("truncate", NUMBER, cut),
};

#define N_OPTS (sizeof(opts) / sizeof(opts[0]))

static int64_t number(const char *s)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno != 0 || end == s || *end != '\0')
		errx(STATUS_WRONG, "'%s' is not a number", s);
	return v;
}

static void add(struct list *l, const char *item)
{
	if (l->n == LIST_MAX)
		errx(STATUS_WRONG, "too many of one option");
	l->item[l->n++] = item;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void unhex(struct ngc_buf *out, const char *s)
{
	for (; *s != '\0'; s += 2) {
		int high = hex_digit(s[0]), low = high < 0 ? -1 : hex_digit(s[1]);

		if (low < 0)
			errx(STATUS_WRONG, "'%s' is not in lower-case hex", s);
		ngc_buf_add_char(out, (char)(high << 4 | low));
	}
}

static void unbase64(struct ngc_buf *out, const char *s)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned v = 0, bits = 0;

	for (; *s != '\0' && *s != '='; s++) {
		const char *d = strchr(digits, *s);

		if (d == NULL)
			errx(STATUS_WRONG, "'%s' is not base64", s);
		v = v << 6 | (unsigned)(d - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			ngc_buf_add_char(out, (char)(v >> bits));
		}
	}
}

static const struct abi *abi_named(const char *name)
{
	const struct abi *a = abis;

	while (a->name != NULL && strcmp(a->name, name) != 0)
		a++;
	if (a->name == NULL)
		errx(STATUS_WRONG, "unknown abi '%s'", name);
	return a;
}

static int version_named(const char *name)
{
	static const char names[][3] = { "v0", "v2", "v3", "v5" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return name[1] - '0';
	errx(STATUS_WRONG, "unknown layout '%s'", name);
}

static struct ngc_levels levels_named(const char *text)
{
	struct ngc_levels l = { 0 };

	if (strcmp(text, "none") != 0 && !ngc_levels_parse(ngc_bytes_of(text), &l))
		errx(STATUS_WRONG, "bad levels '%s'", text);
	return l;
}

/* A header line that begins with that name, case ignored; where its value stands. */
static const char *value_of(const char *line, struct ngc_bytes name)
{
	const char *colon = strchr(line, ':');

	if (colon == NULL)
		errx(STATUS_WRONG, "'%s' is not NAME: VALUE", line);
	if (!ngc_bytes_same(ngc_bytes(line, (size_t)(colon - line)), name))
		return NULL;
	return colon + 1 + strspn(colon + 1, " ");
}

/* As ngx_http_file_cache_vary_header() does. */
static void add_values(const struct spec *s, struct ngc_bytes name, struct ngc_buf *text)
{
	bool tokens = ngc_bytes_equal(name, ngc_bytes_of("accept-encoding")) ||
	              ngc_bytes_equal(name, ngc_bytes_of("accept-language")) ||
	              ngc_bytes_equal(name, ngc_bytes_of("accept-charset"));
	const char *comma = "";

	for (size_t i = 0; i < s->variant_headers.n; i++) {
		const char *value = value_of(s->variant_headers.item[i], name);

		while (value != NULL && *value != '\0') {
			size_t n = tokens ? strcspn(value, ", ") : strlen(value);

			if (n > 0) {
				ngc_buf_add_str(text, comma);
				ngc_buf_add(text, value, n);
				comma = ",";
			}
			value += n;
			value += tokens ? strspn(value, ", ") : 0;
		}
	}
}

/* As ngx_http_file_cache_vary() does. */
static void compute_variant(const struct spec *s, struct ngc_bytes key,
    unsigned char out[NGC_MD5_SIZE])
{
	struct ngc_buf text = { 0 };
	const char *p = s->vary;
	unsigned char md5[NGC_MD5_SIZE];

	ngc_md5(key, md5);
	ngc_buf_add(&text, md5, sizeof(md5));
	for (p += strspn(p, ", "); *p != '\0'; p += strspn(p, ", ")) {
		char name[256];
		size_t n = strcspn(p, ", ");

		if (n >= sizeof(name))
			errx(STATUS_WRONG, "too long a name in --vary");
		for (size_t i = 0; i < n; i++)
			name[i] = p[i] >= 'A' && p[i] <= 'Z' ? (char)(p[i] | 0x20) : p[i];
		ngc_buf_add(&text, name, n);
		ngc_buf_add_char(&text, ':');
		add_values(s, ngc_bytes(name, n), &text);
		ngc_buf_add_str(&text, "\r\n");
		p += n;
	}
	ngc_md5(ngc_buf_bytes(&text), out);
	ngc_buf_free(&text);
}

static void find_variant(const struct spec *s, struct ngc_bytes key,
    unsigned char out[NGC_MD5_SIZE])
{
	struct ngc_buf raw = { 0 };

	if (s->variant_hex == NULL) {
		compute_variant(s, key, out);
		return;
	}
	unhex(&raw, s->variant_hex);
	if (raw.n != NGC_MD5_SIZE)
		errx(STATUS_WRONG, "'%s' is not 32 hex digits", s->variant_hex);
	memcpy(out, raw.p, NGC_MD5_SIZE);
	ngc_buf_free(&raw);
}

static const char *reason_of(int64_t status)
{
	static const struct {
		int64_t status;
		const char *reason;
	} reasons[] = {
		{ 200, "OK" },
		{ 206, "Partial Content" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 404, "Not Found" },
		{ 500, "Internal Server Error" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Unnamed";
}

static void add_lines(const struct spec *s, const char *first_word, struct ngc_buf *out)
{
	ngc_buf_printf(out, "%s %lld %s\r\n", first_word, (long long)s->status,
	    reason_of(s->status));
	if (s->type[0] != '\0')
		ngc_buf_printf(out, "Content-Type: %s\r\n", s->type);
	if (!s->no_length)
		ngc_buf_printf(out, "Content-Length: %zu\r\n", s->body.n);
	if (s->etag != NULL)
		ngc_buf_printf(out, "ETag: %s\r\n", s->etag);
	if (s->vary != NULL)
		ngc_buf_printf(out, "Vary: %s\r\n", s->vary);
	for (size_t i = 0; i < s->headers.n; i++)
		ngc_buf_printf(out, "%s\r\n", s->headers.item[i]);
	ngc_buf_add_str(out, "\r\n");
}

/* A record with n of its bytes; it says it has length of them. */
static void add_record(struct ngc_buf *out, unsigned char type, struct ngc_bytes content,
    size_t length, unsigned char padding)
{
	unsigned char head[8] = { 1, type, 0, 1, (unsigned char)(length >> 8),
		(unsigned char)length, padding, 0 };

	ngc_buf_add(out, head, sizeof(head));
	ngc_buf_add_bytes(out, content);
}

/* The last record runs on into the body, as far as its 16 bits reach. */
static void add_records(const struct spec *s, struct ngc_bytes lines, struct ngc_buf *out)
{
	static const unsigned char zeros[8];
	size_t length;
	struct ngc_bytes noise = ngc_bytes_of("PHP Warning:  \x01\x06 noise\r\n\r\n");

	if (s->split > 0)
		add_record(out, 7, noise, noise.n, 0);
	while (s->split > 0 && lines.n > (size_t)s->split) {
		size_t n = (size_t)s->split, padding = -n % 8;

		add_record(out, 6, ngc_bytes(lines.p, n), n, (unsigned char)padding);
		ngc_buf_add(out, zeros, padding);
		lines = ngc_bytes_from(lines, n);
	}
	length = lines.n + s->body.n;
	add_record(out, 6, lines, length < UINT16_MAX ? length : UINT16_MAX, 0);
}

static void add_head(const struct spec *s, struct ngc_buf *out)
{
	struct ngc_buf lines = { 0 };

	if (s->head_base64 != NULL) {
		ngc_buf_add_bytes(out, ngc_buf_bytes(&s->head));
	} else if (s->fastcgi || s->split > 0) {
		add_lines(s, "Status:", &lines);
		add_records(s, ngc_buf_bytes(&lines), out);
	} else if (!s->http09) {
		add_lines(s, s->cgi ? "Status:" : "HTTP/1.1", out);
	}
	ngc_buf_free(&lines);
}

/* Append a number as a C compiler lays out a member of a struct that begins at out. */
static void put(struct ngc_buf *out, const struct abi *a, int64_t v, size_t width,
    size_t align)
{
	while (out->n % align != 0)
		ngc_buf_add_char(out, '\0');
	for (size_t i = 0; i < width; i++) {
		size_t nth = a->big_endian ? width - 1 - i : i;

		ngc_buf_add_char(out, (char)(v >> 8 * nth));
	}
}

static void put_time(struct ngc_buf *out, const struct abi *a, int64_t v)
{
	put(out, a, v, a->time, a->time_align);
}

static void put_text(struct ngc_buf *out, const char *text, size_t room)
{
	struct ngc_bytes s = ngc_bytes_of(text);

	if (s.n > room)
		errx(STATUS_WRONG, "'%s' is longer than %zu", text, room);
	ngc_buf_add_char(out, (char)s.n);
	ngc_buf_add_bytes(out, s);
	for (size_t i = s.n; i < room; i++)
		ngc_buf_add_char(out, '\0');
}

/* What is different in each file. */
struct entry {
	struct ngc_bytes key;
	unsigned char variant[NGC_MD5_SIZE];
	size_t header_start, body_start;
};

/* ngx_http_file_cache_header_t of that version, in its order. */
static void put_struct(const struct spec *s, const struct entry *e, struct ngc_buf *out)
{
	const struct abi *a = s->abi;
	size_t room = s->version >= 5 ? 128 : 42;

	if (s->version > 0)
		put(out, a, s->invalidated ? 0 : s->version, a->word, a->word);
	put_time(out, a, s->valid);
	if (s->version >= 5) {
		put_time(out, a, s->updating);
		put_time(out, a, s->error);
	}
	put_time(out, a, s->last_modified);
	put_time(out, a, s->date);
	put(out, a, ngc_crc32(e->key), 4, 4);
	put(out, a, 0, 2, 2);
	put(out, a, (int64_t)e->header_start, 2, 2);
	put(out, a, (int64_t)e->body_start, 2, 2);
	if (s->version >= 2)
		put_text(out, s->etag, room);
	if (s->version >= 3) {
		put_text(out, s->vary, room);
		ngc_buf_add(out, e->variant, sizeof(e->variant));
	}
	put(out, a, 0, 0, a->word > a->time_align ? a->word : a->time_align);
}

static void poke(struct ngc_buf *file, const char *what)
{
	struct ngc_buf bytes = { 0 };
	const char *equals = strchr(what, '=');
	char *end;
	long long at = strtoll(what, &end, 10);

	if (equals == NULL || end != equals)
		errx(STATUS_WRONG, "'%s' is not OFFSET=HEX", what);
	unhex(&bytes, equals + 1);
	if (at < 0)
		at += (long long)file->n;
	if (at < 0 || (size_t)at > file->n || bytes.n > file->n - (size_t)at)
		errx(STATUS_WRONG, "'%s' is outside the file", what);
	if (bytes.n > 0)
		memcpy(file->p + at, bytes.p, bytes.n);
	ngc_buf_free(&bytes);
}

static void compose(const struct spec *s, struct entry *e, struct ngc_buf *file)
{
	struct ngc_buf head = { 0 };

	add_head(s, &head);
	put_struct(s, e, file);
	e->header_start = file->n + strlen("\nKEY: ") + e->key.n + 1;
	e->body_start = e->header_start + head.n;
	if (e->body_start > UINT16_MAX)
		errx(STATUS_WRONG, "key and header are longer than 64k");
	file->n = 0;
	put_struct(s, e, file);
	ngc_buf_add_str(file, "\nKEY: ");
	ngc_buf_add_bytes(file, e->key);
	ngc_buf_add_char(file, '\n');
	ngc_buf_add_bytes(file, ngc_buf_bytes(&head));
	ngc_buf_add_bytes(file, ngc_buf_bytes(&s->body));
	ngc_buf_free(&head);
	if (file->failed)
		errx(STATUS_FAILED, "out of memory");
	for (size_t i = 0; i < s->pokes.n; i++)
		poke(file, s->pokes.item[i]);
	if (s->cut >= 0 && (size_t)s->cut < file->n)
		file->n = (size_t)s->cut;
}

/* Make every directory of a path but its last part. */
static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			err(STATUS_FAILED, "%s", path);
		*p = '/';
	}
}

/* As nginx does: write beside the final place, then rename. */
static void write_file(const struct spec *s, const char *path, const struct ngc_buf *file)
{
	struct timespec times[2] = { { s->mtime, 0 }, { s->mtime, 0 } };
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, fd;
	char *temp;

	if (asprintf(&temp, "%s.%010u", path, (unsigned)getpid()) < 0)
		err(STATUS_FAILED, "%s", path);
	fd = open(temp, flags, 0600);
	if (fd < 0 && errno == ENOENT) {
		make_parents(temp);
		fd = open(temp, flags, 0600);
	}
	if (fd < 0)
		err(STATUS_FAILED, "%s", temp);
	for (size_t done = 0; done < file->n;) {
		ssize_t n = write(fd, file->p + done, file->n - done);

		if (n < 0)
			err(STATUS_FAILED, "%s", temp);
		done += (size_t)n;
	}
	if ((s->mtime >= 0 && futimens(fd, times) != 0) || close(fd) != 0 ||
	    rename(temp, path) != 0)
		err(STATUS_FAILED, "%s", path);
	free(temp);
}

static void make_entry(const struct spec *s, struct ngc_bytes key)
{
	struct entry e = { .key = key };
	struct ngc_buf file = { 0 };
	char name[NGC_NAME_LEN + 1], dir[NGC_LEVELS_TEXT], *path;

	ngc_key_name(key, name);
	if (s->vary != NULL) {
		find_variant(s, key, e.variant);
		if (!s->main && (s->variant_headers.n > 0 || s->variant_hex != NULL))
			ngc_hex(e.variant, name);
	}
	if (s->name != NULL)
		memcpy(name, s->name, sizeof(name));
	compose(s, &e, &file);
	ngc_levels_dir(&s->levels, name, dir);
	if (asprintf(&path, "%s/%s%s%s", s->output, dir, name, s->suffix) < 0)
		err(STATUS_FAILED, "%s", s->output);
	write_file(s, path, &file);
	if (s->verbose)
		puts(path);
	free(path);
	ngc_buf_free(&file);
}

static void make_counted(const struct spec *s)
{
	const char *at = s->template != NULL ? strstr(s->template, "%d") : NULL;

	if (at == NULL)
		errx(STATUS_WRONG, "--count needs a --template with %%d");
	for (int64_t i = 1; i <= s->count; i++) {
		struct ngc_buf key = { 0 };

		ngc_buf_add(&key, s->template, (size_t)(at - s->template));
		ngc_buf_printf(&key, "%lld", (long long)i);
		ngc_buf_add_str(&key, at + 2);
		make_entry(s, ngc_buf_bytes(&key));
		ngc_buf_free(&key);
	}
}

static void set(struct spec *s, const struct opt *o, const char *arg)
{
	char *at = (char *)s + o->at;

	switch (o->kind) {
	case FLAG:
		*(bool *)at = true;
		break;
	case TEXT:
		*(const char **)at = arg;
		break;
	case NUMBER:
		*(int64_t *)at = number(arg);
		break;
	case LIST:
		add((struct list *)at, arg);
		break;
	}
}

static void parse_options(struct spec *s, int argc, char **argv)
{
	struct option longs[N_OPTS + 1] = { 0 };
	int opt, i = -1;

	for (size_t k = 0; k < N_OPTS; k++)
		longs[k] = (struct option){ opts[k].name, opts[k].kind != FLAG, NULL, 0 };
	while ((opt = getopt_long(argc, argv, "o:vh", longs, &i)) != -1) {
		if (opt == 'o')
			s->output = optarg;
		else if (opt == 'v')
			s->verbose = true;
		else if (opt == 'h')
			s->help = true;
		else if (opt == 0)
			set(s, &opts[i], optarg);
		else
			exit(STATUS_WRONG);
	}
}

/* From the options as given to what they mean. */
static void settle(struct spec *s)
{
	if (s->output == NULL)
		errx(STATUS_WRONG, "--output is missing");
	if (s->name != NULL && strspn(s->name, "0123456789abcdef") != NGC_NAME_LEN)
		errx(STATUS_WRONG, "'%s' is not 32 hex digits", s->name);
	s->levels = levels_named(s->levels_text);
	s->abi = abi_named(s->abi_name);
	s->version = version_named(s->layout);
	if (s->version < 3)
		s->vary = NULL;
	if (s->head_base64 != NULL)
		unbase64(&s->head, s->head_base64);
	if (s->body_size < 0)
		ngc_buf_add_str(&s->body, s->body_text);
	for (int64_t i = 0; i < s->body_size; i++)
		ngc_buf_add_char(&s->body, 'x');
}

int main(int argc, char **argv)
{
	struct spec s = { .levels_text = "1:2", .suffix = "", .mtime = -1, .layout = "v5",
		.abi_name = "lp64le", .valid = 1796060000, .date = 1796050000,
		.last_modified = -1, .type = "text/html", .body_text = "hello",
		.status = 200, .body_size = -1, .cut = -1 };

	parse_options(&s, argc, argv);
	if (s.help) {
		fputs(usage, stdout);
		return 0;
	}
	settle(&s);
	umask(0);
	for (int i = optind; i < argc; i++)
		make_entry(&s, ngc_bytes_of(argv[i]));
	for (size_t i = 0; i < s.keys_base64.n; i++) {
		struct ngc_buf key = { 0 };

		unbase64(&key, s.keys_base64.item[i]);
		make_entry(&s, ngc_buf_bytes(&key));
		ngc_buf_free(&key);
	}
	if (s.count > 0)
		make_counted(&s);
	ngc_buf_free(&s.head);
	ngc_buf_free(&s.body);
	if (fflush(stdout) != 0)
		err(STATUS_FAILED, "standard output");
	return 0;
}
