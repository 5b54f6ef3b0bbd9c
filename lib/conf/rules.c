/* SPDX-License-Identifier: BSD-2-Clause */
#include "rules.h"

#include "check.h"

#define ANYWHERE   127
#define IN_REWRITE (IN_SERVER | IN_SERVER_IF | IN_LOCATION | IN_LOCATION_IF)
#define IN_LEVELS  (IN_HTTP | IN_SERVER | IN_LOCATION)
#define IN_SETTING (IN_LEVELS | IN_LOCATION_IF)
#define IN_PASS    (IN_LOCATION | IN_LOCATION_IF)

#define NAME(text)     .name = text, .length = sizeof(text) - 1
#define ARGS(from, to) .min = from, .max = to

/* The directives of one module. */
#define MODULE(module, p, pass_places, pass_check)                                       \
	{ NAME(module "_cache"), ARGS(1, 1), .places = IN_LEVELS, .role = ROLE_CACHE,    \
		.once = ONCE_CACHE + p, .texts = 1, .protocol = p,                       \
		.check = check_cache },                                                  \
	    { NAME(module "_cache_bypass"), ARGS(1, ANY), .places = IN_LEVELS,           \
		    .texts = 1 },                                                        \
	    { NAME(module "_cache_key"), ARGS(1, 1), .places = IN_LEVELS,                \
		    .role = ROLE_KEY, .once = ONCE_KEY + p, .texts = 1, .protocol = p }, \
	    { NAME(module "_cache_methods"), ARGS(1, ANY), .places = IN_LEVELS,          \
		    .role = ROLE_METHODS, .protocol = p, .check = check_methods },       \
	    { NAME(module "_cache_path"), ARGS(1, ANY), .places = IN_HTTP,               \
		    .role = ROLE_ZONE, .protocol = p },                                  \
	    { NAME(module "_cache_valid"), ARGS(1, ANY), .places = IN_LEVELS,            \
		    .check = check_valid },                                              \
	    { NAME(module "_no_cache"), ARGS(1, ANY), .places = IN_LEVELS, .texts = 1 }, \
	{                                                                                \
		NAME(module "_pass"), ARGS(1, 1),                                        \
		    .places = pass_places, .role = ROLE_PASS, .once = ONCE_PASS + p,     \
		    .texts = 1, .protocol = p, .check = pass_check                       \
	}

/* Of modules that do not cache: the last that is there handles the requests. */
#define HANDLER(text)                                                                    \
	{                                                                                \
		NAME(text), ARGS(0, ANY), .places = ANYWHERE, .role = ROLE_HANDLER       \
	}

const struct rule rules[] = {
	{ .places = ANYWHERE },
	MODULE("fastcgi", NGC_FASTCGI, IN_PASS, check_pass),
	MODULE("proxy", NGC_PROXY, IN_PASS | IN_LIMIT_EXCEPT, check_proxy_pass),
	MODULE("scgi", NGC_SCGI, IN_PASS, check_pass),
	MODULE("uwsgi", NGC_UWSGI, IN_PASS, check_pass),
	{ NAME("alias"), ARGS(1, 1), .places = IN_LOCATION, .once = ONCE_ROOT, .texts = 1,
	    .check = check_root },
	{ NAME("allow"), ARGS(1, 1), .places = IN_LEVELS | IN_LIMIT_EXCEPT,
	    .check = check_allow },
	{ NAME("break"), ARGS(0, 0), .places = IN_REWRITE },
	{ NAME("charset_map"), ARGS(2, 2), .places = ANYWHERE, .block = true,
	    .role = ROLE_DATA },
	HANDLER("content_by_lua"),
	HANDLER("content_by_lua_block"),
	HANDLER("content_by_lua_file"),
	{ NAME("deny"), ARGS(1, 1), .places = IN_LEVELS | IN_LIMIT_EXCEPT,
	    .check = check_allow },
	HANDLER("echo"),
	HANDLER("empty_gif"),
	{ NAME("error_page"), ARGS(2, ANY), .places = IN_SETTING, .texts = 1,
	    .check = check_error_page },
	{ NAME("fastcgi_split_path_info"), ARGS(1, 1), .places = ANYWHERE,
	    .check = check_split_path },
	{ NAME("geo"), ARGS(1, 2), .places = IN_HTTP, .block = true, .role = ROLE_MAP,
	    .check = check_geo },
	HANDLER("grpc_pass"),
	{ NAME("http"), ARGS(0, 0), .places = IN_MAIN, .block = true, .role = ROLE_HTTP },
	{ NAME("if"), ARGS(1, ANY), .places = IN_SERVER | IN_LOCATION, .block = true,
	    .role = ROLE_IF, .check = check_if },
	{ NAME("index"), ARGS(1, ANY), .places = IN_LEVELS, .texts = 1,
	    .check = check_index },
	{ NAME("internal"), ARGS(0, 0), .places = IN_LOCATION, .once = ONCE_INTERNAL },
	HANDLER("js_content"),
	{ NAME("limit_except"), ARGS(1, ANY), .places = IN_LOCATION, .block = true,
	    .role = ROLE_LIMIT_EXCEPT, .once = ONCE_LIMIT_EXCEPT },
	{ NAME("listen"), ARGS(1, ANY), .places = IN_SERVER, .role = ROLE_LISTEN },
	{ NAME("location"), ARGS(1, ANY), .places = IN_SERVER | IN_LOCATION,
	    .block = true, .role = ROLE_LOCATION },
	{ NAME("map"), ARGS(2, 2), .places = IN_HTTP, .block = true, .role = ROLE_MAP,
	    .check = check_map },
	HANDLER("memcached_pass"),
	{ NAME("merge_slashes"), ARGS(1, 1), .places = IN_HTTP | IN_SERVER,
	    .once = ONCE_MERGE_SLASHES, .check = check_flag },
	HANDLER("perl"),
	{ NAME("proxy_cache_convert_head"), ARGS(1, 1), .places = IN_LEVELS,
	    .once = ONCE_CONVERT_HEAD, .check = check_flag },
	{ NAME("recursive_error_pages"), ARGS(1, 1), .places = IN_LEVELS,
	    .once = ONCE_RECURSIVE, .check = check_flag },
	{ NAME("return"), ARGS(1, 2), .places = IN_REWRITE, .texts = 1,
	    .check = check_return },
	{ NAME("rewrite"), ARGS(2, 3), .places = IN_REWRITE, .texts = 2,
	    .check = check_rewrite },
	{ NAME("root"), ARGS(1, 1), .places = IN_SETTING, .once = ONCE_ROOT, .texts = 1,
	    .check = check_root },
	{ NAME("satisfy"), ARGS(1, 1), .places = IN_LEVELS, .once = ONCE_SATISFY,
	    .check = check_satisfy },
	{ NAME("server"), ARGS(0, 0), .places = IN_HTTP, .block = true,
	    .role = ROLE_SERVER },
	{ NAME("server_name"), ARGS(1, ANY), .places = IN_SERVER, .role = ROLE_NAMES,
	    .check = check_names },
	{ NAME("set"), ARGS(2, 2), .places = IN_REWRITE, .texts = 2, .check = check_set },
	{ NAME("slice"), ARGS(1, 1), .places = IN_LEVELS, .once = ONCE_SLICE,
	    .check = check_size },
	{ NAME("split_clients"), ARGS(2, 2), .places = IN_HTTP, .block = true,
	    .role = ROLE_MAP, .check = check_split },
	{ NAME("ssl"), ARGS(0, ANY), .places = ANYWHERE, .role = ROLE_SSL },
	HANDLER("stub_status"),
	{ NAME("try_files"), ARGS(2, ANY), .places = IN_SERVER | IN_LOCATION,
	    .once = ONCE_TRY_FILES, .texts = 1, .check = check_try_files },
	{ NAME("types"), ARGS(0, 0), .places = ANYWHERE, .block = true,
	    .role = ROLE_DATA },
};

#define N_RULES (sizeof(rules) / sizeof(rules[0]))
#define N_SLOTS (sizeof(((struct rule_names *)NULL)->slot))

_Static_assert(N_RULES < N_SLOTS / 4 && N_RULES < 256, "room for the rules");
_Static_assert(ONCE_PASS + NGC_PROTOCOLS <= 32, "a bit each");

/* Few bytes tell the names apart, and the whole is compared anyway. */
static unsigned hash(struct ngc_bytes name)
{
	return (unsigned)name.n * 5 + name.p[0] * 3u + name.p[name.n / 2] * 29u +
	       name.p[name.n - 1] * 7u;
}

void rule_names_init(struct rule_names *n)
{
	*n = (struct rule_names){ 0 };
	for (size_t i = 1; i < N_RULES; i++) {
		size_t h = hash(ngc_bytes(rules[i].name, rules[i].length)) % N_SLOTS;

		while (n->slot[h] != 0)
			h = (h + 1) % N_SLOTS;
		n->slot[h] = (unsigned char)i;
	}
}

unsigned char rule_find(const struct rule_names *n, struct ngc_bytes name)
{
	if (name.n == 0)
		return 0;
	for (size_t h = hash(name) % N_SLOTS; n->slot[h] != 0; h = (h + 1) % N_SLOTS) {
		const struct rule *rule = &rules[n->slot[h]];

		if (rule->length == name.n && memcmp(rule->name, name.p, name.n) == 0)
			return n->slot[h];
	}
	return 0;
}
