/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ngxcache: administers nginx's caches.
 *
 * The stages of a run, all in this file: parse the command line by the tables (opts.c),
 * build the selection, read the configuration (ngc_site_open()), give up the rights of
 * root if asked to, run the command, and make sure that standard output took it all.
 *
 * cmd_*.c	a command each: options into a request, one call into the library, the
 *		result rendered
 * opts.c	option tables, parsing, help; opts_select.c: what options select
 * complete.c	what a shell may complete a command line with
 * request.c	a request as curl's letters describe it
 * field.c	the fields of an entry; out_field.c: written in every format of a list
 * file.c	reading a file whole, and replacing one
 * user.c	becoming another user than root
 * ui.c		messages and questions on the terminal
 * out.c	standard output, whole lines at a time
 * out_archive.c	what became of an archive, as JSON or as text
 * out_check.c	how well the caches are, as the line of a monitoring plugin
 * out_doctor.c	what the doctor found, as JSON or as text
 * out_entry.c	an entry as JSON or as text
 * out_errors.c	the failures that a JSON answer tells
 * out_purge.c	what became of a purge, as JSON or as text
 * out_reload.c	what became of a reload, as JSON or as text
 * out_stats.c	statistics as JSON or CSV; out_stats_prom.c: for Prometheus;
 *		out_stats_table.c: for people
 * out_variants.c	the other entries of a key, as JSON or as text
 * jsonw.c csv.c table.c: small writers of JSON, CSV and aligned tables
 * width.c	how many columns a text takes
 */
#include "cmd.h"

#include <fcntl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

#include "ngc/units.h"

#define JOBS_MAX 256

const struct cmd *const cmd_all[] = { &cmd_zones, &cmd_list, &cmd_show, &cmd_explain,
	&cmd_urls, &cmd_purge, &cmd_stats, &cmd_check, &cmd_verify, &cmd_doctor,
	&cmd_archive, &cmd_restore, &cmd_reload, NULL };

static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
	stop_signal = number;
}

/* What the global options say. */
struct globals {
	struct ngc_site_request site;
	const char **zones, **dirs;
	size_t cap_zones, cap_dirs;
	struct cmd_env env;
	const char *color;
	const char *user; /* whom to become, or NULL */
	bool help, version;
	bool ran; /* the command itself */
};

static bool add_string(const char ***list, size_t *n, size_t *cap, const char *s)
{
	if (!ngc_array_grow((void **)list, *n, cap, sizeof(**list))) {
		ui_error("out of memory");
		return false;
	}
	(*list)[(*n)++] = s;
	return true;
}

static bool take_jobs(struct globals *g, const char *value)
{
	int64_t n;

	if (!ngc_parse_number(ngc_bytes_of(value), &n) || n < 1 || n > JOBS_MAX) {
		ui_error("--jobs '%s': expected a number from 1 to %d", value, JOBS_MAX);
		return false;
	}
	g->env.pace.jobs = (unsigned)n;
	return true;
}

static bool take_now(struct globals *g, const char *value)
{
	if (ngc_parse_number(ngc_bytes_of(value), &g->env.now))
		return true;
	ui_error("--now '%s': expected Unix seconds", value);
	return false;
}

static bool take_color(struct globals *g, const char *value)
{
	g->color = value;
	if (strcmp(value, "auto") == 0 || strcmp(value, "always") == 0 ||
	    strcmp(value, "never") == 0)
		return true;
	ui_error("--color '%s': expected auto, always or never", value);
	return false;
}

static bool take_global(void *arg, enum opt_id id, const char *value)
{
	struct globals *g = arg;

	switch (id) {
	case OPT_CONF:
		g->site.conf = value;
		return true;
	case OPT_PREFIX:
		g->site.prefix = value;
		return true;
	case OPT_ROOT:
		g->site.root = value;
		return true;
	case OPT_ZONE:
		return add_string(&g->zones, &g->site.n_zones, &g->cap_zones, value);
	case OPT_CACHE:
		return add_string(&g->dirs, &g->site.n_dirs, &g->cap_dirs, value);
	case OPT_JSON:
		g->env.json = true;
		return true;
	case OPT_NOW:
		return take_now(g, value);
	case OPT_JOBS:
		return take_jobs(g, value);
	case OPT_NICE:
		g->env.pace.gentle = true;
		return true;
	case OPT_USER:
		g->user = value;
		return true;
	case OPT_QUIET:
		g->env.quiet = true;
		return true;
	case OPT_VERBOSE:
		g->env.verbose = true;
		return true;
	case OPT_COLOR:
		return take_color(g, value);
	case OPT_HELP:
		g->help = true;
		return true;
	case OPT_VERSION:
		g->version = true;
		return true;
	default:
		return true;
	}
}

static bool wants_color(const char *when)
{
	const char *no_color = getenv("NO_COLOR");

	if (when != NULL && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0') &&
	       !ui_terminal_is_dumb();
}

/* The paths of --file, when they are all that is selected. */
static bool collect_files(struct globals *g, const struct cmd_args *args,
    const struct ngc_select *select, const char ***files)
{
	size_t cap = 0;

	if (select == NULL || !ngc_select_only(select, NGC_SELECT_FILE))
		return true;
	for (size_t i = 0; i < args->n_opts; i++)
		if (args->opts[i].id == OPT_FILE &&
		    !add_string(files, &g->site.n_files, &cap, args->opts[i].value))
			return false;
	g->site.files = *files;
	return true;
}

static void print_warnings(const struct ngc_site *site)
{
	const struct ngc_conf *conf = ngc_site_conf(site);
	const char *text;

	if (conf == NULL)
		return;
	ui_error("reading %s", ngc_conf_file(conf));
	for (size_t i = 0; (text = ngc_conf_warning(conf, i)) != NULL; i++)
		ui_error("%s", text);
}

static bool standard_input_twice(const struct globals *g, const struct cmd_args *args)
{
	const char *from = cmd_args_get(args, OPT_FROM);

	return from != NULL && strcmp(from, "-") == 0 && g->site.conf != NULL &&
	       strcmp(g->site.conf, "-") == 0;
}

/* Is what --user asks for possible, and does it leave the command its rights? */
static bool check_user(const struct cmd *cmd, const char *user,
    const struct cmd_args *args)
{
	if (user == NULL)
		return true;
	if (!(cmd->flags & CMD_SIGNALS) && !cmd_args_has(args, OPT_RELOAD))
		return user_is_possible(user);
	ui_error("--user and %s exclude each other: only root may signal nginx",
	    cmd->flags & CMD_SIGNALS ? cmd->name : "--reload");
	return false;
}

/* Read what the command works on, and run it. */
static int run_command(const struct cmd *cmd, struct globals *g,
    const struct cmd_args *args)
{
	struct ngc_buf dump = { 0 };
	const char **files = NULL;
	struct ngc_error err;
	int status = EXIT_USAGE;

	if (cmd->prepare != NULL && !cmd->prepare(args))
		goto out;
	if (standard_input_twice(g, args)) {
		ui_error("-c - and --from - both read standard input");
		goto out;
	}
	if (cmd->flags & (CMD_SELECTS | CMD_SELECTS_ONE)) {
		g->env.select = ngc_select_new();
		if (g->env.select == NULL) {
			ngc_no_memory(&err);
			status = ui_failed(&err);
			goto out;
		}
		if (!opts_build_selection(args, &g->env))
			goto out;
	} else if (args->n_words > 0 && !(cmd->flags & CMD_WORDS)) {
		ui_error("%s: unexpected argument '%s'", cmd->name, args->words[0]);
		goto out;
	}
	if (!(cmd->flags & CMD_FILE) && !collect_files(g, args, g->env.select, &files))
		goto out;
	if (g->site.conf != NULL && strcmp(g->site.conf, "-") == 0) {
		if (file_read("-", &dump, &err) != NGC_OK) {
			status = ui_failed(&err);
			goto out;
		}
		g->site.dump = ngc_buf_bytes(&dump);
	}
	if (ngc_site_open(&g->site, &g->env.site, &err) != NGC_OK) {
		status = ui_failed(&err);
		goto out;
	}
	if (!(cmd->flags & CMD_ARCHIVES) && ngc_site_archive(g->env.site) != NULL) {
		ui_error("%s: %s: not a directory: an archive can only be read",
		    cmd->name, ngc_site_archive(g->env.site)->path);
		goto out;
	}
	if (g->env.verbose)
		print_warnings(g->env.site);
	if ((cmd->flags & CMD_CACHES) && ngc_site_zones(g->env.site) == 0 &&
	    !g->env.quiet && ngc_site_conf(g->env.site) != NULL)
		ui_error("%s: there is no cache: no *_cache_path in it",
		    ngc_conf_file(ngc_site_conf(g->env.site)));
	if (g->user != NULL && !user_become(g->user))
		goto out;
	g->ran = true;
	status = cmd->run(&g->env, args);
out:
	ngc_site_free(g->env.site);
	ngc_select_free(g->env.select);
	ngc_buf_free(&g->env.errors.json);
	ngc_buf_free(&dump);
	free(files);
	return status;
}

/* Whoever else wants the processor or the disk comes first. */
static void be_nice(void)
{
#ifdef SYS_ioprio_set
	enum { WHO_PROCESS = 1, CLASS_IDLE = 3, CLASS_SHIFT = 13 };

	syscall(SYS_ioprio_set, WHO_PROCESS, 0, CLASS_IDLE << CLASS_SHIFT);
#endif
	setpriority(PRIO_PROCESS, 0, 19);
}

static int run(int argc, char **argv, struct globals *g, struct cmd_args *args)
{
	const struct cmd *cmd;

	if (!opts_parse(argc, argv, &cmd, args, take_global, g))
		return EXIT_USAGE;
	if (g->help) {
		opts_print_help(cmd);
		return EXIT_DONE;
	}
	if (g->version) {
		printf("ngxcache " VERSION "\n");
		return EXIT_DONE;
	}
	if (cmd == NULL) {
		ui_error("a command is missing; see 'ngxcache help'");
		return EXIT_USAGE;
	}
	if ((cmd->flags & CMD_FILE) && !opts_take_file(cmd, args))
		return EXIT_USAGE;
	if (!check_user(cmd, g->user, args))
		return EXIT_USAGE;
	g->site.zones = g->zones;
	g->site.dirs = g->dirs;
	if (getenv("SUDO_UID") == NULL)
		g->site.conf_default = getenv("NGXCACHE_CONF");
	else
		setenv("PATH",
		    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	g->env.color = wants_color(g->color);
	g->env.columns = out_columns();
	if (!g->env.quiet && isatty(STDERR_FILENO)) {
		g->env.pace.progress = ui_looked_at;
		ui_looked_at(NULL, 0); /* the first second begins */
	}
	if (g->env.pace.gentle)
		be_nice();
	return run_command(cmd, g, args);
}

/* The command was not run: what it makes of that. */
static int refused(int argc, char **argv, int status)
{
	const struct cmd *cmd = opts_command(argc, argv);

	return cmd != NULL && cmd->refused != NULL ? cmd->refused() : status;
}

/*
 * A file must not become the standard output of a run that was started without one.  What
 * is read or written there fails all the same.
 */
static bool open_standard_descriptors(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDWR };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
			return false;
	return true;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction ends = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction ignored = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &ends, NULL);
	sigaction(SIGPIPE, &ignored, NULL);
	sigaction(SIGXFSZ, &ignored, NULL); /* the write fails, and says so */
	sigaction(SIGIO, &ignored, NULL); /* of the leases that verify takes */
	signal(SIGCHLD, SIG_DFL); /* ignored by whoever started us, it would hide how
				     nginx -t ended */
}

static bool ended; /* as this file ends it */

/* libarchive ends the process when memory runs out, with a status that is an answer. */
static void ended_by_library(void)
{
	if (!ended)
		_exit(EXIT_PARTIAL);
}

int main(int argc, char **argv)
{
	struct globals g = { .env = { .now = time(NULL), .stop = &stop_signal } };
	struct cmd_args args = { 0 };
	int status;

	if (!open_standard_descriptors())
		return EXIT_PARTIAL;
	catch_signals();
	if (argc > 1 && strcmp(argv[1], "__complete") == 0)
		return complete_run(argc - 2, argv + 2);
	atexit(ended_by_library);
	status = run(argc, argv, &g, &args);
	if (status != EXIT_DONE && !g.ran)
		status = refused(argc, argv, status);
	if (fflush(stdout) != 0 && errno != EPIPE) {
		ui_error("standard output: %s", strerror(errno));
		status = EXIT_PARTIAL;
	}
	free(args.opts);
	free(args.words);
	free(g.zones);
	free(g.dirs);
	ui_progress_end();
	status = out_finish(status);
	ended = true;
	return stop_signal != 0 ? 128 + stop_signal : status;
}
