/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CMD_H
#define CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "ngc/error.h"
#include "ngc/mem.h"
#include "ngc/select.h"
#include "ngc/site.h"
#include "ngc/units.h"
#include "out_errors.h"

#define VERSION "0.1.0"

/* Exit statuses; 128 + n: ended by signal n. */
enum {
	EXIT_DONE = 0,    /* done, or the answer is yes (nothing to purge is done, too) */
	EXIT_NO = 1,      /* the answer is no */
	EXIT_USAGE = 2,   /* command line or configuration wrong; nothing was touched */
	EXIT_PARTIAL = 3, /* some or all of the work failed; each failure has its line */
};

/* Every option of every command: the same word means the same everywhere. */
enum opt_id {
	OPT_NONE,
	OPT_WORD, /* no option: a word, at its place among them */
	OPT_ALL,
	OPT_ANY_HOST,
	OPT_ANY_QUERY,
	OPT_ANY_SLASH,
	OPT_BACKUP,
	OPT_BODY,
	OPT_BY,
	OPT_CACHE,
	OPT_CACHED_BEFORE,
	OPT_COLOR,
	OPT_CONF,
	OPT_CRIT_EXPIRED,
	OPT_CRIT_FILL,
	OPT_CRIT_KEYS,
	OPT_DATA,
	OPT_DECODE,
	OPT_DRY_RUN,
	OPT_EXCLUDE,
	OPT_EXPIRED,
	OPT_FAIL_IF_NONE,
	OPT_FIELDS,
	OPT_FILE,
	OPT_FORCE,
	OPT_FORMAT,
	OPT_FRESH,
	OPT_FROM,
	OPT_GLOB,
	OPT_HEADER,
	OPT_HELP,
	OPT_HOST,
	OPT_JOBS,
	OPT_JSON,
	OPT_KEY,
	OPT_LARGER,
	OPT_LIMIT,
	OPT_LIMIT_HOST,
	OPT_LIST,
	OPT_LOOSE,
	OPT_METHOD,
	OPT_MODE,
	OPT_NEWER,
	OPT_NICE,
	OPT_NOW,
	OPT_NO_USAGE,
	OPT_NO_WALK,
	OPT_NULL,
	OPT_OLDER,
	OPT_OUTPUT,
	OPT_OVERWRITE,
	OPT_PREFIX,
	OPT_QUIET,
	OPT_RECURSIVE,
	OPT_REFETCH,
	OPT_REGEX,
	OPT_RELOAD,
	OPT_REPAIR,
	OPT_REQUEST,
	OPT_REVERSE,
	OPT_ROOT,
	OPT_SETTLE,
	OPT_SIGNAL,
	OPT_SMALLER,
	OPT_SOFT,
	OPT_SORT,
	OPT_STATUS,
	OPT_STRICT,
	OPT_TAG,
	OPT_TAG_HEADER,
	OPT_THOROUGH,
	OPT_TIMEOUT,
	OPT_TOP,
	OPT_TYPE,
	OPT_USER,
	OPT_VARIANTS,
	OPT_VARIANTS_ONLY,
	OPT_VERBOSE,
	OPT_VERSION,
	OPT_WARN_EXPIRED,
	OPT_WARN_FILL,
	OPT_WARN_KEYS,
	OPT_WITH_HEADER,
	OPT_YES,
	OPT_ZONE,
};

struct cmd_opt {
	enum opt_id id;    /* OPT_NONE ends a table */
	char letter;       /* 0: none */
	const char *name;
	const char *value; /* what stands for its value in the help; NULL: takes none */
	const char *help;
};

enum cmd_flags {
	CMD_SELECTS = 1, /* takes a selection: URLs and the options of cmd_select_opts */
	CMD_SELECTS_ONE = 2, /* takes a URL, or a selecting option of its own table */
	CMD_WORDS = 4, /* takes words that are no selection */
	CMD_CACHES = 8, /* is about caches: that there is none is worth a word */
	CMD_ARCHIVES = 16, /* only reads entries: those of an archive will do */
	CMD_FILE = 32, /* its first word is a file, and --file means what is in it */
	CMD_SIGNALS = 64, /* signals nginx's master, which only root may */
};

struct cmd_arg {
	enum opt_id id;
	const char *value;
};

/* A parsed command line: options in order, the global ones left out, and words. */
struct cmd_args {
	struct cmd_arg *opts;
	size_t n_opts, cap_opts;
	const char **words;
	size_t n_words, cap_words;
};

/* The last value of an option; "" when it was given and takes none, NULL when it was not.
 */
const char *cmd_args_get(const struct cmd_args *a, enum opt_id id);
static inline bool cmd_args_has(const struct cmd_args *a, enum opt_id id)
{
	return cmd_args_get(a, id) != NULL;
}

/* What a command works with; made by main() from the global options. */
struct cmd_env {
	struct ngc_site *site;
	struct ngc_select *select; /* NULL: the command does not select */
	uint64_t bad_urls;         /* of --from: reported and left out */
	struct out_errors errors;  /* of a JSON answer; the bad URLs first */
	int64_t now;
	struct ngc_pace pace;
	enum ngc_walking walking;
	bool loose;
	bool json, quiet, verbose;
	bool color;                /* standard output may be coloured */
	size_t columns; /* of the terminal that is standard output; 0: it is none */
	const volatile sig_atomic_t *stop; /* the signal that asks us to end, or 0 */
};

struct cmd {
	const char *name;
	const char *summary;
	const char *const *synopsis; /* ends with NULL */
	const struct cmd_opt *opts;  /* ends with OPT_NONE */
	unsigned flags;              /* enum cmd_flags */
	/* Called before anything is read; may be NULL.  False: a message was printed. */
	bool (*prepare)(const struct cmd_args *args);
	/* Called when run() was not, for what is wrong; NULL: the status is the usual. */
	int (*refused)(void);
	int (*run)(struct cmd_env *env, const struct cmd_args *args); /* an exit status */
};

extern const struct cmd cmd_archive, cmd_check, cmd_doctor, cmd_explain, cmd_list,
    cmd_purge, cmd_reload, cmd_restore, cmd_show, cmd_stats, cmd_urls, cmd_verify,
    cmd_zones;

/* All commands, in the order of the help; ends with NULL. */
extern const struct cmd *const cmd_all[];
extern const struct cmd_opt cmd_global_opts[], cmd_select_opts[];

/* opts.c: the tables at work. */

/* The command of that name, or NULL. */
const struct cmd *cmd_find(const char *name);

/* The command that a command line names, whatever else may be wrong in it; or NULL. */
const struct cmd *opts_command(int argc, char **argv);

/*
 * Parse what stands behind the program's name: global options are handed to global(), the
 * command is *cmd (NULL: none given).  False: a message was printed, the status is 2.
 */
bool opts_parse(int argc, char **argv, const struct cmd **cmd, struct cmd_args *args,
    bool (*global)(void *arg, enum opt_id id, const char *value), void *arg);

/* The first word is no selector: false: there is none, a message was printed. */
bool opts_take_file(const struct cmd *cmd, struct cmd_args *args);

void opts_print_help(const struct cmd *cmd); /* NULL: of the program */

/* opts_select.c: what the options select. */

/* Build the selection; false: a message was printed. */
bool opts_build_selection(const struct cmd_args *args, struct cmd_env *env);

/* A run over the selection, as the options say; visit and arg are the command's. */
struct ngc_select_run opts_selection_run(const struct cmd_env *env);

/* user.c: giving up the rights of root.  False: a message was printed. */

/* Can this process become that user, of whom a name or number is given? */
bool user_is_possible(const char *user);
/* Become him, with no way back. */
bool user_become(const char *user);

/* complete.c: what may stand at the end of the words, for a shell; an exit status. */
int complete_run(int n, char **words);

/* ui.c: messages; standard error alone. */

/* "ngxcache: TEXT", one line. */
void ui_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same of an error, or of something a run could not do. */
void ui_print_error(const struct ngc_error *err);
/* What was said first; "" when nothing was. */
const char *ui_first_error(void);
/* The same as callbacks of a run; ui_damaged_met tells what -v asks for. */
void ui_problem(void *arg, const struct ngc_error *err);
void ui_damaged_met(void *arg, const struct ngc_entry *e);
/* With -v: what a walk met besides entries. */
void ui_walked(const struct cmd_env *env, const struct ngc_select_result *result);
/* What was tried for the selectors that matched nothing; not when something could not be
 * looked at, for then nobody knows. */
void ui_misses(const struct cmd_env *env, const struct ngc_select_result *result);
/* The status that a failed call leads to. */
int ui_status(enum ngc_code code);
/* Report a failed call and return its status. */
int ui_failed(const struct ngc_error *err);
/* Name the entries that were left because they may be another URL's. */
void ui_ambiguous(const struct ngc_select_result *result);
/* The status of a run that went through: 3 when something failed, 1 for --fail-if-none.
 */
int ui_selection_status(const struct cmd_env *env, const struct ngc_select_result *result,
    const struct cmd_args *args);
/*
 * How far a long run is: a line on the terminal's standard error that the next one
 * replaces, from the second second on.  Elsewhere nothing is shown.
 */
void ui_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void ui_progress_end(void); /* the line goes away */
void ui_looked_at(void *arg, uint64_t more); /* as struct ngc_pace calls it */
/* It shows text line by line, and knows no colours nor how to clear a line. */
bool ui_terminal_is_dumb(void);
/* Ask on the terminal; true: yes.  Without a terminal: true. */
bool ui_confirm(const char *question);

/* Read a whole file; "-" is standard input.  NGC_INVALID: it cannot be read. */
enum ngc_code file_read(const char *path, struct ngc_buf *out, struct ngc_error *err);

/*
 * Put content into a file that anybody may read: written whole beside its place, then
 * renamed, so that a reader sees the old one or the new.  What is there and is no file
 * nor a directory (a pipe, a terminal) is written to.
 */
enum ngc_code file_replace(const char *path, struct ngc_bytes content,
    struct ngc_error *err);

/* out.c: standard output. */

/*
 * Lines that several threads write: each thread has a buffer of its own, which is written
 * out whole lines at a time.
 */
struct out;
struct out *out_new(unsigned threads); /* NULL: no memory */
struct ngc_buf *out_buffer(struct out *o, unsigned thread);
/* What is written before everything else, or alone at the end. */
struct ngc_buf *out_heading(struct out *o);
/* A line is complete in the buffer.  False: nobody reads on, or writing failed. */
bool out_line(struct out *o, unsigned thread);
/* Write what is left and free everything; NULL is fine. */
bool out_free(struct out *o);

/* Write a buffer and empty it. */
bool out_write(struct ngc_buf *b);

/* How wide the terminal is that standard output goes to; 0: it goes elsewhere. */
size_t out_columns(void);

/*
 * Sizes and ages for people; with -v they are exact.  out_bytes() appends one that stands
 * in a sentence: "1.5k", "446 bytes".
 */
const char *out_size(const struct cmd_env *env, uint64_t n, char out[NGC_UNIT_TEXT]);
const char *out_age(const struct cmd_env *env, int64_t s, char out[NGC_UNIT_TEXT]);
void out_bytes(struct ngc_buf *b, const struct cmd_env *env, uint64_t n);

/* ", 3 failed" in a sentence for people; nothing when there are none. */
void out_count(struct ngc_buf *b, uint64_t n, const char *what);

/*
 * At the end of a run: status, or 3 when standard output could not be written.  A reader
 * who went away is no failure.
 */
int out_finish(int status);

#endif
