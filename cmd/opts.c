/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ngc/text.h"

/*
 * The tables of options are the single source for parsing, for the help, for completion
 * and for the test that compares the manual.
 */

const struct cmd_opt cmd_global_opts[] = {
	{ OPT_CONF, 'c', "conf", "FILE",
	    "nginx configuration; - is the output of nginx -T" },
	{ OPT_PREFIX, 'p', "prefix", "DIR", "nginx prefix, for relative paths" },
	{ OPT_ROOT, 'R', "root", "DIR", "the configuration and its paths lie below DIR" },
	{ OPT_ZONE, 'z', "zone", "NAME", "only this zone; repeatable" },
	{ OPT_CACHE, 'd', "cache", "DIR[,name=N][,levels=L][,key=T]",
	    "a cache without configuration; repeatable" },
	{ OPT_JSON, 0, "json", NULL, "machine output" },
	{ OPT_NOW, 0, "now", "SECONDS", "judge freshness as of this Unix time" },
	{ OPT_USER, 0, "user", "USER", "as root: become USER before looking at caches" },
	{ OPT_JOBS, 'j', "jobs", "N", "threads of a walk (default: chosen)" },
	{ OPT_NICE, 0, "nice", NULL,
	    "be gentle to a busy server" },
	{ OPT_QUIET, 'q', "quiet", NULL, "errors only" },
	{ OPT_VERBOSE, 'v', "verbose", NULL, "more detail" },
	{ OPT_COLOR, 0, "color", "WHEN", "auto, always or never" },
	{ OPT_HELP, 'h', "help", NULL, "show this help" },
	{ OPT_VERSION, 'V', "version", NULL, "show the version" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

const struct cmd_opt cmd_select_opts[] = {
	{ OPT_KEY, 0, "key", "KEY", "exactly this key" },
	{ OPT_GLOB, 0, "glob", "GLOB", "keys matching a shell pattern, as a whole" },
	{ OPT_REGEX, 0, "regex", "RE",
	    "keys in which a PCRE2 regular expression matches" },
	{ OPT_TAG, 0, "tag", "TAG", "entries whose response carries this tag" },
	{ OPT_TAG_HEADER, 0, "tag-header", "NAME", "one more header that holds tags" },
	{ OPT_FILE, 0, "file", "PATH", "this cache file" },
	{ OPT_FROM, 0, "from", "FILE",
	    "many URLs: lines, NUL-ended or JSON; - is stdin" },
	{ OPT_ALL, 0, "all", NULL, "everything" },
	{ OPT_HOST, 0, "host", "HOST", "only this host (*.HOST: its subdomains)" },
	{ OPT_METHOD, 0, "method", "M", "only entries of this method" },
	{ OPT_STATUS, 0, "status", "LIST", "only these statuses: 404, 3xx, 400-499" },
	{ OPT_TYPE, 0, "type", "GLOB", "only media types like this" },
	{ OPT_WITH_HEADER, 0, "header", "'NAME: GLOB'",
	    "only with such a response header" },
	{ OPT_LARGER, 0, "larger-than", "SIZE", "only files larger than this" },
	{ OPT_SMALLER, 0, "smaller-than", "SIZE", "only files smaller than this" },
	{ OPT_OLDER, 0, "older-than", "AGE", "only entries cached longer ago" },
	{ OPT_NEWER, 0, "newer-than", "AGE", "only entries cached less long ago" },
	{ OPT_CACHED_BEFORE, 0, "cached-before", "TIME",
	    "only entries cached then or earlier" },
	{ OPT_EXPIRED, 0, "expired", NULL, "only entries that are not fresh" },
	{ OPT_FRESH, 0, "fresh", NULL, "only fresh entries" },
	{ OPT_VARIANTS_ONLY, 0, "variants-only", NULL, "only variants (Vary)" },
	{ OPT_EXCLUDE, 0, "exclude", "GLOB", "not the keys matching this; repeatable" },
	{ OPT_LIMIT_HOST, 0, "limit-host", "HOST",
	    "only this host, whatever else is said" },
	{ OPT_STRICT, 0, "strict", NULL, "of a URL only what one plain request stores" },
	{ OPT_ANY_QUERY, 0, "any-query", NULL, "a URL with every query and without" },
	{ OPT_ANY_SLASH, 0, "any-slash", NULL, "a URL with and without a / at its end" },
	{ OPT_ANY_HOST, 0, "any-host", NULL, "a URL on every host of its server" },
	{ OPT_RECURSIVE, 0, "recursive", NULL, "a URL and the pages below it" },
	{ OPT_LOOSE, 0, "loose", NULL, "also what may be a longer URL's" },
	{ OPT_THOROUGH, 0, "thorough", NULL, "walk in every case, for stray variants" },
	{ OPT_NO_WALK, 0, "no-walk", NULL, "look names up only, walk in no case" },
	{ OPT_FAIL_IF_NONE, 0, "fail-if-none", NULL, "status 1 when nothing matched" },
	{ OPT_NONE, 0, NULL, NULL, NULL },
};

#define OPTS_MAX 64

/* The options that hold at a place of the command line, in getopt's form. */
struct table {
	const struct cmd_opt *opts[OPTS_MAX];
	struct option longs[OPTS_MAX + 1];
	char letters[2 * OPTS_MAX + 4];
	size_t n;
};

static void table_add(struct table *t, const struct cmd_opt *opts)
{
	for (; opts->id != OPT_NONE && t->n < OPTS_MAX; opts++, t->n++) {
		char *letter = t->letters + strlen(t->letters);

		t->opts[t->n] = opts;
		t->longs[t->n] = (struct option){ opts->name,
			opts->value != NULL ? required_argument : no_argument, NULL, 0 };
		letter[0] = opts->letter;
		letter[1] = opts->letter != '\0' && opts->value != NULL ? ':' : '\0';
	}
}

/*
 * ":" tells a missing value from an unknown option; "+" stops at the first word, "-"
 * hands words over in their place among the options.
 */
static void table_build(struct table *t, const struct cmd *cmd)
{
	*t = (struct table){ .letters = "+:" };
	if (cmd != NULL) {
		memcpy(t->letters, "-:", 3);
		if (cmd->opts != NULL)
			table_add(t, cmd->opts);
		if (cmd->flags & CMD_SELECTS)
			table_add(t, cmd_select_opts);
	}
	table_add(t, cmd_global_opts);
}

static const struct cmd_opt *by_letter(const struct table *t, int letter)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->opts[i]->letter == letter)
			return t->opts[i];
	return NULL;
}

const char *cmd_args_get(const struct cmd_args *a, enum opt_id id)
{
	for (size_t i = a->n_opts; i-- > 0;)
		if (a->opts[i].id == id)
			return a->opts[i].value != NULL ? a->opts[i].value : "";
	return NULL;
}

static void usage_hint(const struct cmd *cmd)
{
	ui_error("see 'ngxcache help%s%s'", cmd != NULL ? " " : "",
	    cmd != NULL ? cmd->name : "");
}

static bool unknown_option(const struct table *t, const char *word, const struct cmd *cmd)
{
	const char *names[OPTS_MAX + 1] = { NULL }, *near = NULL;
	char name[64];

	for (size_t i = 0; i < t->n; i++)
		names[i] = t->opts[i]->name;
	if (strncmp(word, "--", 2) == 0) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="),
		    word + 2);
		near = ngc_text_nearest(name, names);
	}
	if (near != NULL)
		ui_error("unknown option '%s', did you mean '--%s'?", word, near);
	else
		ui_error("unknown option '%s'", word);
	usage_hint(cmd);
	return false;
}

/* Long names are taken whole only: an abbreviation that works today may be two options'
 * later. */
static bool is_whole(const char *word, const char *name)
{
	size_t n = strlen(name);

	return strncmp(word, "--", 2) == 0 && strncmp(word + 2, name, n) == 0 &&
	       (word[2 + n] == '\0' || word[2 + n] == '=');
}

static bool take(const struct cmd_opt *o, struct cmd_args *args,
    bool (*global)(void *arg, enum opt_id id, const char *value), void *arg)
{
	for (const struct cmd_opt *g = cmd_global_opts; g->id != OPT_NONE; g++)
		if (g->id == o->id)
			return global(arg, o->id, optarg);
	if (!ngc_array_grow((void **)&args->opts, args->n_opts, &args->cap_opts,
		sizeof(*args->opts))) {
		ui_error("out of memory");
		return false;
	}
	args->opts[args->n_opts++] = (struct cmd_arg){ o->id, optarg };
	return true;
}

/* The word that getopt_long() stopped at; a long option's value may be the word behind
 * it. */
static const char *word_in_hand(char **argv, const struct cmd_opt *o)
{
	const char *word = argv[optind - 1];

	return o != NULL && o->value != NULL && optarg == word ? argv[optind - 2] : word;
}

static bool take_word(const char *word, struct cmd_args *args)
{
	if (!ngc_array_grow((void **)&args->opts, args->n_opts, &args->cap_opts,
		sizeof(*args->opts)) ||
	    !ngc_array_grow((void **)&args->words, args->n_words, &args->cap_words,
		sizeof(*args->words))) {
		ui_error("out of memory");
		return false;
	}
	args->opts[args->n_opts++] = (struct cmd_arg){ OPT_WORD, word };
	args->words[args->n_words++] = word;
	return true;
}

/* getopt's sign for a word. */
#define WORD 1

/* Parse up to the first word (cmd NULL), or all there is. */
static bool parse_options(int argc, char **argv, const struct cmd *cmd,
    struct cmd_args *args, bool (*global)(void *arg, enum opt_id id, const char *value),
    void *arg)
{
	struct table t;
	int r, index;

	table_build(&t, cmd);
	opterr = 0;
	while ((r = getopt_long(argc, argv, t.letters, t.longs, &index)) != -1) {
		const struct cmd_opt *o = r == 0 ? t.opts[index] : by_letter(&t, r);
		char letter[3] = { '-', (char)optopt, '\0' };

		if (r == WORD) {
			if (!take_word(optarg, args))
				return false;
			continue;
		}
		if (r == ':') {
			ui_error("option '%s' needs a value", argv[optind - 1]);
			usage_hint(cmd);
			return false;
		}
		if (r == '?')
			return unknown_option(&t,
			    optopt != 0 && optopt < 128 ? letter : argv[optind - 1], cmd);
		if (r == 0 && !is_whole(word_in_hand(argv, o), o->name))
			return unknown_option(&t, word_in_hand(argv, o), cmd);
		if (!take(o, args, global, arg))
			return false;
	}
	return true;
}

static bool unknown_command(const char *word)
{
	const char *names[32] = { NULL }, *near;

	for (size_t i = 0; i < 31 && cmd_all[i] != NULL; i++)
		names[i] = cmd_all[i]->name;
	near = ngc_text_nearest(word, names);
	if (near != NULL)
		ui_error("unknown command '%s', did you mean '%s'?", word, near);
	else
		ui_error("unknown command '%s'", word);
	usage_hint(NULL);
	return false;
}

const struct cmd *cmd_find(const char *name)
{
	for (size_t i = 0; cmd_all[i] != NULL; i++)
		if (strcmp(cmd_all[i]->name, name) == 0)
			return cmd_all[i];
	return NULL;
}

const struct cmd *opts_command(int argc, char **argv)
{
	struct table t;

	table_build(&t, NULL);
	opterr = 0;
	optind = 0; /* a new scan */
	while (getopt_long(argc, argv, t.letters, t.longs, NULL) != -1)
		;
	return optind < argc ? cmd_find(argv[optind]) : NULL;
}

bool opts_parse(int argc, char **argv, const struct cmd **cmd, struct cmd_args *args,
    bool (*global)(void *arg, enum opt_id id, const char *value), void *arg)
{
	*cmd = NULL;
	if (!parse_options(argc, argv, NULL, args, global, arg))
		return false;
	if (optind == argc)
		return true;
	if (strcmp(argv[optind], "help") == 0) { /* "help COMMAND" is "COMMAND --help" */
		if (++optind == argc)
			return global(arg, OPT_HELP, NULL);
		*cmd = cmd_find(argv[optind]);
		return *cmd != NULL ? global(arg, OPT_HELP, NULL)
				    : unknown_command(argv[optind]);
	}
	*cmd = cmd_find(argv[optind]);
	if (*cmd == NULL)
		return unknown_command(argv[optind]);
	argc -= optind;
	argv += optind;
	optind = 0; /* a new scan */
	if (!parse_options(argc, argv, *cmd, args, global, arg))
		return false;
	for (; optind < argc; optind++) /* behind "--" */
		if (!take_word(argv[optind], args))
			return false;
	return true;
}

bool opts_take_file(const struct cmd *cmd, struct cmd_args *args)
{
	size_t i = 0;

	while (i < args->n_opts && args->opts[i].id != OPT_WORD)
		i++;
	if (i == args->n_opts) {
		ui_error("%s: a file is missing", cmd->name);
		usage_hint(cmd);
		return false;
	}
	args->opts[i].id = OPT_NONE;
	return true;
}

static void print_options(const char *title, const struct cmd_opt *opts)
{
	printf("\n%s:\n", title);
	for (; opts->id != OPT_NONE; opts++) {
		char left[64];
		int n = snprintf(left, sizeof(left), "%c%c%c --%s%s%s",
		    opts->letter ? '-' : ' ', opts->letter ? opts->letter : ' ',
		    opts->letter ? ',' : ' ', opts->name, opts->value != NULL ? " " : "",
		    opts->value != NULL ? opts->value : "");

		if (n > 27)
			printf("  %s\n  %27s  %s\n", left, "", opts->help);
		else
			printf("  %-27s  %s\n", left, opts->help);
	}
}

static void print_program_help(void)
{
	printf(
	    "usage: ngxcache [options] COMMAND [options] [argument...]\n\n"
	    "Administers nginx's caches on stock nginx: lists, inspects and purges what\n"
	    "proxy_cache, fastcgi_cache, uwsgi_cache and scgi_cache stored.\n\n"
	    "commands:\n");
	for (size_t i = 0; cmd_all[i] != NULL; i++)
		printf("  %-10s %s\n", cmd_all[i]->name, cmd_all[i]->summary);
	print_options("options of every command", cmd_global_opts);
	printf("\n'ngxcache help COMMAND' tells more, the manual most: man ngxcache\n");
}

void opts_print_help(const struct cmd *cmd)
{
	if (cmd == NULL) {
		print_program_help();
		return;
	}
	for (size_t i = 0; cmd->synopsis[i] != NULL; i++)
		printf("%s ngxcache %s\n", i == 0 ? "usage:" : "      ",
		    cmd->synopsis[i]);
	printf("\n%s\n", cmd->summary);
	if (cmd->opts != NULL && cmd->opts->id != OPT_NONE)
		print_options("options", cmd->opts);
	if (cmd->flags & CMD_SELECTS)
		print_options("selecting entries (and URLs; a * makes one a pattern)",
		    cmd_select_opts);
	print_options("options of every command", cmd_global_opts);
	printf("\nman ngxcache-%s tells more\n", cmd->name);
}
