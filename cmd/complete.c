/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What may stand at the end of a command line: "ngxcache __complete WORD...", which the
 * scripts of the shells ask.  A candidate a line, then a tab and what it means; ":file"
 * or
 * ":dir": a path, which a shell completes itself.
 *
 * The answer comes from the tables of options.  What is wrong in the line, or cannot be
 * read, is passed over in silence.
 */
#include "cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ngc/conf.h"

/* Values that are words; cmd: of that command's option alone.  A separator: a list. */
static const struct {
	enum opt_id id;
	const char *cmd;
	char separator;
	const char *words[16];
} choices[] = {
	{ OPT_BY, NULL, ',',
	    { "host", "path", "type", "status", "method", "age", "encoding", "tag",
		"zone" } },
	{ OPT_COLOR, NULL, '\0', { "auto", "always", "never" } },
	{ OPT_FORMAT, "list", '\0', { "table", "tsv", "csv" } },
	{ OPT_FORMAT, "stats", '\0', { "table", "csv", "prometheus" } },
	{ OPT_METHOD, NULL, '\0', { "GET", "HEAD", "POST" } },
	{ OPT_MODE, NULL, '\0', { "remove", "invalidate", "expire" } },
	{ OPT_REQUEST, NULL, '\0', { "GET", "HEAD", "POST" } },
	{ OPT_SIGNAL, NULL, '\0', { "reload", "reopen", "quit", "stop" } },
	{ OPT_SORT, NULL, '\0', { "key", "size", "cached", "expires", "status" } },
	{ OPT_STATUS, NULL, ',',
	    { "2xx", "3xx", "4xx", "5xx", "200", "301", "302", "304", "403", "404", "410",
		"500", "502", "503", "504" } },
};

/* A command line that is being written. */
struct line {
	const struct cmd *cmd;        /* NULL: none yet */
	unsigned words;               /* behind it, so far */
	const struct cmd_opt *opt;    /* whose value comes next, or NULL */
	bool help;                    /* the word after it is a command */
	bool words_only;              /* "--" was there */
	struct ngc_site_request site; /* what the options say of the configuration */
	const char *dirs[8];
};

static void offer(const char *before, const char *word, const char *begun,
    const char *help)
{
	if (strncmp(word, begun, strlen(begun)) == 0)
		printf("%s%s\t%s\n", before, word, help);
}

/* Call visit for every option that may stand in the line; it returns true to stop. */
static const struct cmd_opt *each_option(const struct line *l,
    bool (*visit)(const struct cmd_opt *o, const void *arg), const void *arg)
{
	const struct cmd_opt *tables[] = { l->cmd != NULL ? l->cmd->opts : NULL,
		l->cmd != NULL && l->cmd->flags & CMD_SELECTS ? cmd_select_opts : NULL,
		cmd_global_opts };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct cmd_opt *o = tables[i]; o != NULL && o->id != OPT_NONE;
		     o++)
			if (visit(o, arg))
				return o;
	return NULL;
}

static bool has_name(const struct cmd_opt *o, const void *arg)
{
	const char *word = arg;
	size_t n = strlen(o->name);

	return strncmp(word, o->name, n) == 0 && (word[n] == '\0' || word[n] == '=');
}

static bool has_letter(const struct cmd_opt *o, const void *arg)
{
	return o->letter != '\0' && o->letter == *(const char *)arg;
}

static bool offer_option(const struct cmd_opt *o, const void *arg)
{
	char word[64];

	snprintf(word, sizeof(word), "--%s", o->name);
	offer("", word, arg, o->help);
	return false;
}

static void take_value(struct line *l, const struct cmd_opt *o, const char *value)
{
	switch (o->id) {
	case OPT_CONF:
		l->site.conf = value;
		break;
	case OPT_PREFIX:
		l->site.prefix = value;
		break;
	case OPT_ROOT:
		l->site.root = value;
		break;
	case OPT_CACHE:
		if (l->site.n_dirs < sizeof(l->dirs) / sizeof(l->dirs[0]))
			l->dirs[l->site.n_dirs++] = value;
		break;
	default:
		break;
	}
}

static void take_long(struct line *l, const char *name)
{
	const struct cmd_opt *o = each_option(l, has_name, name);
	const char *equals = strchr(name, '=');

	if (o == NULL || o->value == NULL)
		return;
	if (equals != NULL)
		take_value(l, o, equals + 1);
	else
		l->opt = o;
}

static void take_letters(struct line *l, const char *letters)
{
	for (; *letters != '\0'; letters++) {
		const struct cmd_opt *o = each_option(l, has_letter, letters);

		if (o == NULL || o->value == NULL)
			continue;
		if (letters[1] != '\0')
			take_value(l, o, letters + 1);
		else
			l->opt = o;
		return;
	}
}

/* A word that is complete. */
static void take(struct line *l, const char *word)
{
	if (l->opt != NULL) {
		if (strcmp(word, "=") == 0) /* bash parts words there */
			return;
		take_value(l, l->opt, word);
		l->opt = NULL;
	} else if (l->words_only || word[0] != '-' || word[1] == '\0') {
		if (l->cmd == NULL && !l->help) {
			l->help = strcmp(word, "help") == 0;
			l->cmd = cmd_find(word);
		} else {
			l->words++;
		}
	} else if (strcmp(word, "--") == 0) {
		l->words_only = true;
	} else if (word[1] == '-') {
		take_long(l, word + 2);
	} else {
		take_letters(l, word + 1);
	}
}

static void offer_commands(const char *begun, bool help)
{
	for (size_t i = 0; cmd_all[i] != NULL; i++)
		offer("", cmd_all[i]->name, begun, cmd_all[i]->summary);
	if (help)
		offer("", "help", begun, "what a command does");
}

static void offer_zones(const struct ngc_site *site, const char *before,
    const char *begun)
{
	const struct ngc_zone *z;

	for (size_t i = 0; (z = ngc_site_zone(site, i)) != NULL; i++)
		if (z->name != NULL)
			offer(before, z->name, begun, z->path);
}

/* The names of servers that may be a host; a name comes as often as servers have it. */
static void offer_hosts(const struct ngc_site *site, const char *before,
    const char *begun)
{
	const struct ngc_conf *conf = ngc_site_conf(site);
	const struct ngc_use *u;

	for (size_t i = 0; conf != NULL && (u = ngc_conf_use(conf, i)) != NULL; i++)
		for (const char *const *name = u->server_names; *name != NULL; name++)
			if ((*name)[0] != '~' && (*name)[0] != '_' &&
			    (*name)[0] != '\0' && strchr(*name, '$') == NULL)
				offer(before, *name, begun, "server");
}

static void offer_configured(struct line *l, enum opt_id id, const char *before,
    const char *begun)
{
	struct ngc_site *site;
	struct ngc_error err;

	l->site.dirs = l->dirs;
	if (getenv("SUDO_UID") == NULL)
		l->site.conf_default = getenv("NGXCACHE_CONF");
	if (l->site.conf != NULL && strcmp(l->site.conf, "-") == 0)
		return;
	if (ngc_site_open(&l->site, &site, &err) != NGC_OK)
		return;
	if (id == OPT_ZONE)
		offer_zones(site, before, begun);
	else
		offer_hosts(site, before, begun);
	ngc_site_free(site);
}

/* Those of the table; of a list the last item is completed.  False: it is in no table. */
static bool offer_choices(const struct line *l, const struct cmd_opt *o,
    const char *before, const char *begun)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const char *last = strrchr(begun, choices[i].separator);
		char whole[256];

		if (choices[i].id != o->id ||
		    (choices[i].cmd != NULL &&
			(l->cmd == NULL || strcmp(choices[i].cmd, l->cmd->name) != 0)))
			continue;
		if (choices[i].separator == '\0')
			last = NULL;
		snprintf(whole, sizeof(whole), "%s%.*s", before,
		    last != NULL ? (int)(last + 1 - begun) : 0, begun);
		for (const char *const *word = choices[i].words; *word != NULL; word++)
			offer(whole, *word, last != NULL ? last + 1 : begun, "");
		return true;
	}
	return false;
}

/* Can the option name an archive, too? */
static bool takes_archive(const struct line *l, const struct cmd_opt *o)
{
	return o->id == OPT_CACHE && l->cmd != NULL && (l->cmd->flags & CMD_ARCHIVES);
}

static void offer_values(struct line *l, const struct cmd_opt *o, const char *before,
    const char *begun)
{
	if (o->id == OPT_ZONE || o->id == OPT_HOST || o->id == OPT_LIMIT_HOST)
		offer_configured(l, o->id, before, begun);
	else if (offer_choices(l, o, before, begun))
		return;
	else if (strcmp(o->value, "FILE") == 0 || strcmp(o->value, "PATH") == 0)
		puts(":file");
	else if (strncmp(o->value, "DIR", 3) == 0)
		puts(takes_archive(l, o) ? ":file" : ":dir");
}

/* The value behind "--name=". */
static void offer_attached(struct line *l, const char *word)
{
	const struct cmd_opt *o = each_option(l, has_name, word + 2);
	const char *value = strchr(word, '=') + 1;
	char before[64];

	snprintf(before, sizeof(before), "%.*s", (int)(value - word), word);
	if (o != NULL && o->value != NULL)
		offer_values(l, o, before, value);
}

int complete_run(int n, char **words)
{
	struct line l = { 0 };
	const char *last = n > 0 ? words[n - 1] : "";

	for (int i = 0; i < n - 1; i++)
		take(&l, words[i]);
	if (l.opt != NULL)
		offer_values(&l, l.opt, "", strcmp(last, "=") == 0 ? "" : last);
	else if (!l.words_only && strncmp(last, "--", 2) == 0 &&
		 strchr(last, '=') != NULL)
		offer_attached(&l, last);
	else if (!l.words_only && last[0] == '-')
		each_option(&l, offer_option, last);
	else if (l.cmd == NULL)
		offer_commands(last, !l.help);
	else if ((l.cmd->flags & CMD_FILE) && l.words == 0)
		puts(":file");
	return EXIT_DONE;
}
