/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "glob.h"
#include "ngc/path.h"
#include "ngc/retry.h"

/* A file included in a loop of some other kind than a cycle must end some time, too. */
#define TOTAL_MAX ((size_t)256 << 20)

static enum ngc_code count(struct source *s, size_t n, struct ngc_error *err)
{
	if (n > TOTAL_MAX - s->total)
		return ngc_fail(err, NGC_INVALID, 0, "more than %zu MB of configuration",
		    TOTAL_MAX >> 20);
	s->total += n;
	return NGC_OK;
}

static enum ngc_code file_size(int fd, size_t *size, struct ngc_error *err)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return ngc_fail(err, NGC_INVALID, errno, "fstat");
	if (S_ISDIR(st.st_mode))
		return ngc_fail(err, NGC_INVALID, 0, "is a directory");
	if (!S_ISREG(st.st_mode))
		return ngc_fail(err, NGC_INVALID, 0, "not a regular file");
	*size = (size_t)st.st_size;
	return NGC_OK;
}

/* Room for size bytes: in the scratch, or, without one, in the arena. */
static unsigned char *make_room(struct source *s, struct scratch *scratch, size_t size)
{
	if (scratch == NULL)
		return ngc_arena_alloc(s->arena, size + 1, 1);
	if (size >= scratch->size) {
		free(scratch->p);
		scratch->size = 2 * size + 4096;
		scratch->p = ngc_array_alloc(scratch->size, 1);
	}
	return scratch->p;
}

static enum ngc_code read_all(struct source *s, int fd, struct scratch *scratch,
    struct ngc_bytes *text, struct ngc_error *err)
{
	unsigned char *p;
	size_t n = 0, size = 0;
	ssize_t got;
	enum ngc_code code = file_size(fd, &size, err);

	if (code == NGC_OK)
		code = count(s, size, err);
	if (code != NGC_OK)
		return code;
	p = make_room(s, scratch, size);
	if (p == NULL)
		return ngc_no_memory(err);
	while (n < size && (got = NGC_RETRY(read(fd, p + n, size - n))) != 0) {
		if (got < 0)
			return ngc_fail(err, NGC_INVALID, errno, "read");
		n += (size_t)got;
	}
	*text = ngc_bytes(p, n);
	return NGC_OK;
}

/* Without a root the kernel resolves the links, and faster. */
static int open_file(const struct source *s, const char *path)
{
	int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY |
		    O_CLOEXEC; /* a FIFO must not stop us */

	return *s->root == '\0' ? NGC_RETRY(open(path, flags))
				: ngc_path_open(s->root, path, flags, NULL);
}

/* A file that was read, in its chain; its text is kept when it is read again. */
struct text {
	struct text *next;
	const char *path;
	struct ngc_bytes text;
};

static struct text **chain_of(struct source *s, const char *path)
{
	unsigned h = 5381;

	for (; *path != '\0'; path++)
		h = h * 33 + (unsigned char)*path;
	return &s->texts[h % SOURCE_CHAINS];
}

/* scratch: where the text goes, or NULL: it is kept. */
static enum ngc_code read_file(struct source *s, const char *path,
    struct scratch *scratch, struct ngc_bytes *text, struct ngc_error *err)
{
	int fd = open_file(s, path);
	enum ngc_code code;

	if (fd < 0)
		return ngc_fail(err, NGC_INVALID, 0, "%s", strerror(errno));
	code = read_all(s, fd, scratch, text, err);
	close(fd);
	return code;
}

static bool remember(struct source *s, struct text **chain, const char *path)
{
	struct text *t = ngc_arena_alloc(s->arena, 1, sizeof(*t));

	if (t == NULL)
		return false;
	t->path = path;
	t->next = *chain;
	*chain = t;
	return true;
}

static enum ngc_code read_path(struct source *s, const char *path, unsigned depth,
    struct ngc_bytes *text, struct ngc_error *err)
{
	struct text **chain = chain_of(s, path), *t = *chain;
	enum ngc_code code;

	while (t != NULL && strcmp(t->path, path) != 0)
		t = t->next;
	if (t == NULL) {
		code = read_file(s, path, &s->scratch[depth], text, err);
		if (code == NGC_OK && !remember(s, chain, path))
			return ngc_no_memory(err);
		return code;
	}
	code = t->text.p == NULL ? read_file(s, path, NULL, &t->text, err)
				 : count(s, t->text.n, err);
	*text = t->text;
	return code;
}

enum ngc_code source_read(struct source *s, const char *path, unsigned depth,
    struct ngc_bytes *text, struct ngc_error *err)
{
	if (!s->dumped)
		return read_path(s, path, depth, text, err);
	for (size_t i = 0; i < s->n_files; i++) {
		if (strcmp(s->files[i].name, path) == 0) {
			*text = s->files[i].text;
			return count(s, text->n, err);
		}
	}
	return ngc_fail(err, NGC_INVALID, 0, "not in this dump");
}

void source_close(struct source *s)
{
	for (size_t i = 0; i < SOURCE_DEPTH_MAX; i++) {
		free(s->scratch[i].p);
		s->scratch[i] = (struct scratch){ 0 };
	}
}

static const char mark_start[] = "# configuration file ";

/* The file name of a "# configuration file NAME:" line; absent for other lines. */
static struct ngc_bytes mark_name(struct ngc_bytes line)
{
	struct ngc_bytes start = ngc_bytes_of(mark_start);

	if (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	if (!ngc_bytes_starts(line, start) || line.n < start.n + 2 ||
	    line.p[line.n - 1] != ':' || memchr(line.p, '\0', line.n) != NULL)
		return ngc_bytes(NULL, 0);
	return ngc_bytes(line.p + start.n, line.n - start.n - 1);
}

static struct ngc_bytes take_line(struct ngc_bytes *left)
{
	const unsigned char *end = memchr(left->p, '\n', left->n);
	struct ngc_bytes line = ngc_bytes(left->p,
	    end ? (size_t)(end - left->p) : left->n);

	*left = ngc_bytes_from(*left, end ? line.n + 1 : line.n);
	return line;
}

static bool add_file(struct source *s, size_t *cap, struct ngc_bytes name)
{
	struct dump_file *grown;

	if (s->n_files == *cap) {
		size_t more = *cap > 0 ? *cap * 2 : 64;

		grown = ngc_arena_alloc(s->arena, more, sizeof(*grown));
		if (grown == NULL)
			return false;
		if (s->n_files > 0)
			memcpy(grown, s->files, s->n_files * sizeof(*grown));
		s->files = grown;
		*cap = more;
	}
	grown = &s->files[s->n_files];
	*grown = (struct dump_file){ .name = ngc_arena_copy(s->arena, name.p, name.n) };
	if (grown->name == NULL)
		return false;
	s->n_files++;
	return true;
}

enum ngc_code source_open_dump(struct source *s, struct ngc_bytes dump,
    struct ngc_error *err)
{
	size_t cap = 0;

	s->dumped = true;
	while (dump.n > 0) {
		struct ngc_bytes line = take_line(&dump), name = mark_name(line);
		struct dump_file *f;

		if (name.p != NULL) {
			if (!add_file(s, &cap, name))
				return ngc_no_memory(err);
			s->files[s->n_files - 1].text = ngc_bytes(dump.p, 0);
		} else if (s->n_files > 0) {
			f = &s->files[s->n_files - 1];
			f->text.n = (size_t)(dump.p - f->text.p);
		}
	}
	if (s->n_files == 0)
		return ngc_fail(err, NGC_INVALID, 0,
		    "not the output of nginx -T: no line \"%sNAME:\"", mark_start);
	return NGC_OK;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool glob_dump(struct source *s, const char *pattern, struct paths *out)
{
	for (size_t i = 0; i < s->n_files; i++) {
		if (fnmatch(pattern, s->files[i].name, FNM_PATHNAME | FNM_PERIOD) != 0)
			continue;
		if (!paths_add(out, s->files[i].name))
			return false;
	}
	return true;
}

enum ngc_code source_glob(struct source *s, const char *pattern, struct paths *out,
    struct ngc_error *err)
{
	enum ngc_code code = NGC_OK;
	size_t before = out->n;

	if (!s->dumped)
		code = glob_files(s->arena, s->root, pattern, out, err);
	else if (!glob_dump(s, pattern, out))
		code = ngc_no_memory(err);
	if (code != NGC_OK)
		return code;
	if (out->n > before + 1)
		qsort(out->path + before, out->n - before, sizeof(*out->path),
		    compare_paths);
	return NGC_OK;
}
