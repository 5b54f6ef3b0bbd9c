/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ROUTE_RUN_H
#define ROUTE_RUN_H

#include "ngc/explain.h"
#include "router.h"
#include "upstream.h"
#include "value.h"

/*
 * Following a request through the configuration.
 *
 * One run follows one request along one path: nginx's phases from the server's rewrite
 * directives to the key.  Where the way depends on something that is not known, it asks
 * run_choose() which way to go.  To see every way, the whole run is repeated with other
 * answers until none is left (follow.c): so explaining one request and covering all of
 * them are the same code, and nothing needs to be copied at a fork.
 */

#define CHOICES_MAX 64
#define GROUPS      10 /* $1 to $9 */

/* The answers of a run, to be repeated and varied. */
struct choices {
	unsigned char taken[CHOICES_MAX], of[CHOICES_MAX];
	unsigned n;    /* answers fixed */
	unsigned at;   /* answers used by this run */
	bool overflow; /* more was wanted than there is room for */
	bool coarse; /* the results of a map are not gone through: any of them */
};

/* The request that is followed. */
struct asked {
	struct ngc_bytes method, scheme, host, http_host, target;
	unsigned port;
	bool all; /* any request for the URL: headers, cookies and body are open */
	bool any_query; /* and the query: target has none */
	const struct ngc_request_header *headers;
	size_t n_headers;
	struct ngc_bytes body;
};

/* A condition that did not need to be decided yet. */
struct condition {
	int decided; /* -1: not yet */
	const struct unknown *on;
};

/* A value a variable was given, perhaps only if a condition held. */
struct assigned {
	struct assigned *next;
	struct ngc_bytes name;
	struct value value;
	struct condition *only_if;  /* NULL: in any case */
	struct assigned *otherwise; /* what it was before; NULL: never assigned */
};

enum end {
	END_NONE,   /* still on the way */
	END_CACHED, /* it came to a key */
	END_UNCACHED,
	END_NO_LISTENER,
	END_LOST, /* to a URI of which a part is not known */
};

struct run {
	struct ngc_arena *arena;
	const struct ngc_router *router;
	const struct asked *asked;
	struct choices *choices;
	const struct socket *socket;
	const struct ngc_server *server;
	const struct ngc_level
	    *level; /* whose settings are in force: a location or an if */
	const struct ngc_level *location; /* the location itself; NULL: the server */
	struct ngc_bytes uri, method;
	struct value target;            /* nginx's r->unparsed_uri */
	struct value open_uri; /* instead of uri, where parts of it are not known */
	struct value args;
	const struct unknown *any_args; /* the query, when it may be any but none */
	bool internal, uri_changed;
	bool quoted, plus;   /* the path had an escape, or a '+' */
	bool unparsed_valid; /* nginx's r->valid_unparsed_uri */
	bool location_valid; /* nginx's r->valid_location */
	bool error_page_seen; /* nginx's r->error_page */
	bool doubtful; /* Lua may have changed any variable */
	bool refused;  /* it was taken to be one that may not come in */
	const struct ngc_directive *guard; /* NULL, or what that depends on */
	unsigned changes_left;
	struct value group[GROUPS];
	unsigned n_groups, n_matches; /* groups; how often they were set or emptied */
	struct assigned *vars, *memo; /* set ones; those evaluated once and kept */
	struct upstream upstream;
	struct value proxy_host, proxy_port;
	unsigned depth; /* of variables in each other's values */
	bool quote;     /* captures are being escaped again */
	bool used_scheme, used_method, used_http_host;
	bool failed; /* no memory */

	const struct unknown
	    *decided[CHOICES_MAX]; /* what the choices of this run were about */
	unsigned n_decided;

	/* What came of it. */
	enum end end;
	struct value zone, key;
	const struct ngc_directive *key_directive; /* NULL: the default key */
	const struct ngc_level *pass;              /* whose X_pass it is */
	const struct unknown *lost_by;
	struct ngc_buf *steps; /* one a line; NULL: nobody asks */
};

/* One of n ways, where on is not known. */
unsigned run_choose(struct run *r, unsigned n, const struct unknown *on);

/* Note a step for people. */
void run_step(struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* lost.c: go on to a URI, and its arguments, of which parts are not known. */
void run_lose(struct run *r, struct value path, struct value args);

/* Go from the request line to END_*; the server is chosen already. */
void run_request(struct run *r);

/* eval.c: text with variables. */
struct value run_eval(struct run *r, struct ngc_bytes text);
struct value run_eval_template(struct run *r, const struct template *t);
struct value run_variable(struct run *r, const struct part *p);
const struct unknown *run_unknown(struct run *r, struct ngc_bytes name, enum grammar g,
    bool hard);
void run_assign(struct run *r, struct ngc_bytes name, struct value v,
    struct condition *only_if);
const struct assigned *run_find(const struct assigned *list, struct ngc_bytes name);
/* What the variable can hold when it is not known. */
enum grammar variable_grammar(const struct part *p);
/* builtin.c: those of nginx itself; false: not one we know. */
bool run_builtin(struct run *r, const struct part *p, struct value *out);
/*
 * headers.c: a header as $http_NAME gives it, a cookie as $cookie_NAME; empty when the
 * request has none of that name.
 */
struct ngc_bytes run_header(struct run *r, struct ngc_bytes name);
struct ngc_bytes run_cookie(struct run *r, struct ngc_bytes name);

/* captures.c: match a known text; on success $1 and named captures are set from it. */
bool run_match(struct run *r, struct ngc_bytes pattern, bool nocase,
    struct ngc_bytes subject);
/* The same of a rewrite or an if, which empty $1 and so on when there is no match. */
bool run_test(struct run *r, struct ngc_bytes pattern, bool nocase,
    struct ngc_bytes subject);
void run_take_captures(struct run *r, const struct captures *c);
/* A name in lower case; absent, and r->failed, when there is no memory. */
struct ngc_bytes run_lower(struct run *r, struct ngc_bytes s);
/* A match of something unknown that was taken to succeed: its captures are unknown. */
void run_matched_unknown(struct run *r, struct ngc_bytes pattern,
    const struct unknown *on);

/* maps.c: the variables of map, geo and split_clients; false: it is none of theirs. */
bool run_mapped(struct run *r, struct ngc_bytes name, struct value *out);

/* location.c: choose the location of r->uri; false: answered with a redirect to "/". */
bool run_locate(struct run *r);
/* A method that the location's limit_except does not name is in that block. */
void run_limit(struct run *r);

/* rewrite.c: the rewrite directives of a level; false: the request has ended there. */
enum next { NEXT_GO_ON, NEXT_SERVER, NEXT_FIND, NEXT_NAMED, NEXT_END };
enum next run_rewrite(struct run *r, const struct ngc_level *l);
/* Give what is unknown to a directive's first argument: set_by_lua, auth_request_set. */
void run_set_unknown(struct run *r, const struct ngc_directive *d);

/* condition.c: the condition of an if; on: what it depends on when that is not known. */
enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };
enum truth run_condition(struct run *r, const struct ngc_directive *d,
    const struct unknown **on);
/* Has it a regex that captures something when it holds? */
bool run_condition_captures(const struct ngc_directive *d);
/* It was taken to hold: what its regex captured is unknown. */
void run_condition_assume(struct run *r, const struct ngc_directive *d,
    const struct unknown *on);

/* content.c: try_files, then whatever produces the answer. */
enum next run_content(struct run *r);
/* An answer of that status is due: error_page may send the request elsewhere. */
enum next run_status(struct run *r, unsigned status);
/* The same of a redirect, of which the last step says why. */
enum next run_redirected(struct run *r, unsigned status);
/* The error_page that would take an answer of that status; NULL: none. */
const struct ngc_directive *run_error_page(const struct run *r, unsigned status);
enum next run_redirect(struct run *r, struct value uri, bool keep_args);

/* access.c: may the request come in?  NEXT_GO_ON: it may, or is taken to. */
enum next run_access(struct run *r);

/* key.c: the zone and key of the X_pass in force. */
enum next run_key(struct run *r, const struct ngc_level *pass);

/* files.c: what the file system answers. */
enum file { FILE_NONE, FILE_REGULAR, FILE_DIRECTORY };
enum file run_stat(struct run *r, struct ngc_bytes path);
enum file run_file(struct run *r, struct ngc_bytes uri); /* below the document root */
struct value run_file_name(struct run *r, struct ngc_bytes uri); /* its path */
/*
 * What an argument of try_files, with its variables put in, is called behind the root or
 * alias: nginx takes the location off when there are variables.  Its file, and the URI of
 * the request once that was found.
 */
struct ngc_bytes run_tried_name(const struct run *r, struct ngc_bytes word,
    struct ngc_bytes name);
enum file run_tried_file(struct run *r, struct ngc_bytes name);
struct ngc_bytes run_tried_uri(struct run *r, struct ngc_bytes name, bool directory);
bool run_files_known(struct run *r); /* is there a document root to ask? */
struct value run_document_root(struct run *r);
struct value run_real_root(struct run *r);

/* The nearest level outwards that has a directive of that name, and the first of them. */
const struct ngc_directive *run_setting(const struct ngc_level *l, const char *name);

/* escape.c: nginx's ngx_escape_uri() */
enum escape { ESCAPE_URI, ESCAPE_ARGS };
struct ngc_bytes run_escape(struct run *r, struct ngc_bytes s, enum escape how);

#endif
