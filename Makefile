# SPDX-License-Identifier: BSD-2-Clause
#
# make            build ngxcache (VARIANT=debug, release, asan, tsan or coverage)
# make deps       install with apt what the rest needs (Debian, as root)
# make demo       a walk through the commands on a private nginx
# make check      every test; check-layers, check-man, check-style, check-install: parts of it
# make check-long what takes longer: fuzzing for FUZZ_SECONDS per target (clang), check-wordpress
#                 (contrib/wordpress on a real one), check-package (the tarball, the packages),
#                 check-soak (purges under load, for 15 minutes), check-million (files in one
#                 directory), check-analysis (of the sources)
# make VARIANT=release check-release   its hardening, and what its work costs, by valgrind
# make coverage   the tests' line coverage per file
# make install    program, library and manual to $(DESTDIR)$(PREFIX); uninstall removes them
# make dist, deb  a tarball of what is committed; a Debian package of it
# make html       the manual for a browser

VARIANT ?= debug
PREFIX  ?= /usr/local
O       := build/$(VARIANT)
VERSION := $(shell sed -n 's/^\#define VERSION "\(.*\)"/\1/p' cmd/cmd.h)
DIST    := build/ngxcache-$(VERSION).tar.gz
PKGS    := libpcre2-8 jansson libmd zlib

# Those of some flags that the compiler has for this machine.
had = $(foreach f,$1,$(shell $(CC) -Werror $f -E -x c /dev/null >/dev/null 2>&1 && echo $f))

CFLAGS_debug    := -O1 -g
CFLAGS_release   = -O2 -g -DNDEBUG -D_FORTIFY_SOURCE=2 -fPIE -fstack-protector-strong \
                   $(call had,-fstack-clash-protection)
LDFLAGS_release := -pie -Wl,-z,relro,-z,now
CFLAGS_asan     := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
CFLAGS_tsan     := -O1 -g -fsanitize=thread
CFLAGS_coverage := -O0 -g --coverage -DNGC_UNCONFINED # lines are counted in files
CFLAGS_fuzz     := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla \
        -Wformat=2 -Wundef -Wcast-qual -Wimplicit-fallthrough
CPP  := -Ilib -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 $(shell pkg-config --cflags $(PKGS)) $(CPPFLAGS)
CC1  := $(CC) -std=c17 -pthread $(WARN) $(CFLAGS_$(VARIANT)) $(CFLAGS)
LIBS := $(shell pkg-config --libs $(PKGS)) $(LDLIBS)

# A process starts faster when its libraries are in the program: in the release build those
# that the system has a static one of, unless STATIC is empty (then their updates count, too).
STATIC  ?= release
has_own = $(findstring /,$(shell $(CC) -print-file-name=lib$(1:-l%=%).a))
ifeq ($(STATIC),$(VARIANT))
LIBS := $(foreach lib,$(LIBS),$(if $(and $(filter -l%,$(lib)),$(call has_own,$(lib))),$(lib:-l%=-l:lib%.a),$(lib)))
endif

LIB_SRCS := \
	lib/base/bytes.c \
	lib/base/digest.c \
	lib/base/error.c \
	lib/base/library.c \
	lib/base/mem.c \
	lib/base/path.c \
	lib/base/range.c \
	lib/base/text.c \
	lib/base/units.c \
	lib/base/variant.c \
	lib/base/zone.c \
	lib/coding/brotli.c \
	lib/coding/coding.c \
	lib/coding/inflate.c \
	lib/coding/xz.c \
	lib/coding/zstd.c \
	lib/conf/check.c \
	lib/conf/check_maps.c \
	lib/conf/check_rewrite.c \
	lib/conf/check_upstream.c \
	lib/conf/conf.c \
	lib/conf/glob.c \
	lib/conf/keyset.c \
	lib/conf/known.c \
	lib/conf/levels.c \
	lib/conf/lexer.c \
	lib/conf/main.c \
	lib/conf/naming.c \
	lib/conf/needs.c \
	lib/conf/rules.c \
	lib/conf/servers.c \
	lib/conf/source.c \
	lib/conf/tree.c \
	lib/conf/uses.c \
	lib/conf/zones.c \
	lib/format/fcgi.c \
	lib/format/header.c \
	lib/format/response.c \
	lib/format/tags.c \
	lib/op/archive.c \
	lib/op/archived.c \
	lib/op/backup.c \
	lib/op/build.c \
	lib/op/child.c \
	lib/op/confine.c \
	lib/op/copy.c \
	lib/op/decode.c \
	lib/op/dirzone.c \
	lib/op/doctor.c \
	lib/op/doctor_contents.c \
	lib/op/doctor_keys.c \
	lib/op/doctor_master.c \
	lib/op/doctor_roots.c \
	lib/op/doctor_system.c \
	lib/op/doctor_temp.c \
	lib/op/filter.c \
	lib/op/find.c \
	lib/op/flaw.c \
	lib/op/from.c \
	lib/op/groups.c \
	lib/op/health.c \
	lib/op/holders.c \
	lib/op/judge.c \
	lib/op/label.c \
	lib/op/limit.c \
	lib/op/locate.c \
	lib/op/lookup.c \
	lib/op/manifest.c \
	lib/op/master.c \
	lib/op/miss.c \
	lib/op/nearest.c \
	lib/op/offer.c \
	lib/op/output.c \
	lib/op/pattern.c \
	lib/op/probe.c \
	lib/op/purge.c \
	lib/op/reload.c \
	lib/op/restore.c \
	lib/op/select.c \
	lib/op/serving.c \
	lib/op/show.c \
	lib/op/site.c \
	lib/op/sort.c \
	lib/op/spool.c \
	lib/op/stats.c \
	lib/op/tar.c \
	lib/op/target.c \
	lib/op/unit.c \
	lib/op/urlpattern.c \
	lib/op/urls.c \
	lib/op/usage.c \
	lib/op/verify.c \
	lib/route/access.c \
	lib/route/builtin.c \
	lib/route/captures.c \
	lib/route/condition.c \
	lib/route/configured.c \
	lib/route/content.c \
	lib/route/cover.c \
	lib/route/definitions.c \
	lib/route/directory.c \
	lib/route/escape.c \
	lib/route/eval.c \
	lib/route/expand.c \
	lib/route/explain.c \
	lib/route/facts.c \
	lib/route/files.c \
	lib/route/follow.c \
	lib/route/geo.c \
	lib/route/grammar.c \
	lib/route/headers.c \
	lib/route/idna.c \
	lib/route/internal.c \
	lib/route/key.c \
	lib/route/learn.c \
	lib/route/location.c \
	lib/route/lost.c \
	lib/route/map.c \
	lib/route/normalise.c \
	lib/route/pieces.c \
	lib/route/proof.c \
	lib/route/reading.c \
	lib/route/readings.c \
	lib/route/reasons.c \
	lib/route/regex.c \
	lib/route/rewrite.c \
	lib/route/rewritten.c \
	lib/route/router.c \
	lib/route/selector.c \
	lib/route/sockets.c \
	lib/route/sources.c \
	lib/route/spelling.c \
	lib/route/split.c \
	lib/route/template.c \
	lib/route/upstream.c \
	lib/route/url.c \
	lib/route/value.c \
	lib/route/zone_keys.c \
	lib/store/cache.c \
	lib/store/content.c \
	lib/store/denied.c \
	lib/store/dir.c \
	lib/store/edit.c \
	lib/store/entry.c \
	lib/store/input.c \
	lib/store/libarchive.c \
	lib/store/names.c \
	lib/store/put.c \
	lib/store/start.c \
	lib/store/stray.c \
	lib/store/unpack.c \
	lib/store/walk.c \
	lib/store/walk_dir.c \
	lib/store/writable.c

CMD_SRCS := \
	cmd/cmd_archive.c \
	cmd/cmd_check.c \
	cmd/cmd_doctor.c \
	cmd/cmd_explain.c \
	cmd/cmd_list.c \
	cmd/cmd_purge.c \
	cmd/cmd_reload.c \
	cmd/cmd_restore.c \
	cmd/cmd_show.c \
	cmd/cmd_stats.c \
	cmd/cmd_urls.c \
	cmd/cmd_verify.c \
	cmd/cmd_zones.c \
	cmd/complete.c \
	cmd/csv.c \
	cmd/field.c \
	cmd/file.c \
	cmd/jsonw.c \
	cmd/main.c \
	cmd/opts.c \
	cmd/opts_select.c \
	cmd/out.c \
	cmd/out_archive.c \
	cmd/out_check.c \
	cmd/out_doctor.c \
	cmd/out_entry.c \
	cmd/out_errors.c \
	cmd/out_field.c \
	cmd/out_purge.c \
	cmd/out_reload.c \
	cmd/out_stats.c \
	cmd/out_stats_prom.c \
	cmd/out_stats_table.c \
	cmd/out_variants.c \
	cmd/request.c \
	cmd/table.c \
	cmd/ui.c \
	cmd/user.c \
	cmd/width.c

UNIT_TESTS := \
	tests/unit/test_archive.c \
	tests/unit/test_build.c \
	tests/unit/test_bytes.c \
	tests/unit/test_cache.c \
	tests/unit/test_check.c \
	tests/unit/test_child.c \
	tests/unit/test_coding.c \
	tests/unit/test_conf.c \
	tests/unit/test_confine.c \
	tests/unit/test_digest.c \
	tests/unit/test_edit.c \
	tests/unit/test_entry.c \
	tests/unit/test_error.c \
	tests/unit/test_header.c \
	tests/unit/test_lexer.c \
	tests/unit/test_lexing_shared.c \
	tests/unit/test_master.c \
	tests/unit/test_mem.c \
	tests/unit/test_names.c \
	tests/unit/test_open.c \
	tests/unit/test_path.c \
	tests/unit/test_pattern.c \
	tests/unit/test_purge.c \
	tests/unit/test_put.c \
	tests/unit/test_range.c \
	tests/unit/test_response.c \
	tests/unit/test_route.c \
	tests/unit/test_routing.c \
	tests/unit/test_scope.c \
	tests/unit/test_select.c \
	tests/unit/test_site.c \
	tests/unit/test_stats.c \
	tests/unit/test_template.c \
	tests/unit/test_text.c \
	tests/unit/test_units.c \
	tests/unit/test_unpack.c \
	tests/unit/test_url.c \
	tests/unit/test_urlpattern.c \
	tests/unit/test_variant.c \
	tests/unit/test_walk.c \
	tests/unit/test_zone.c

MAN_PAGES := $(sort $(wildcard man/*.[1-9]))

# Programs that write TAP.
CHECKS := \
	tests/check/faults \
	tests/check/install \
	tests/check/layers \
	tests/check/man \
	tests/check/style

# Each has an entry point for libFuzzer and a corpus, which `make check` replays.
FUZZERS := \
	tests/fuzz/fuzz_conf.c \
	tests/fuzz/fuzz_header.c \
	tests/fuzz/fuzz_pattern.c \
	tests/fuzz/fuzz_response.c \
	tests/fuzz/fuzz_route.c \
	tests/fuzz/fuzz_select.c \
	tests/fuzz/fuzz_template.c \
	tests/fuzz/fuzz_unpack.c \
	tests/fuzz/fuzz_url.c
FUZZ_SECONDS ?= 60
FUZZ_RUNS ?= -1

LIB_OBJS  := $(LIB_SRCS:%.c=$O/%.o)
CMD_OBJS  := $(CMD_SRCS:%.c=$O/%.o)
UNIT_OBJS := $(UNIT_TESTS:%.c=$O/%.o)
UNIT_BINS := $(UNIT_TESTS:%.c=$O/%)
FUZZ_OBJS := $(FUZZERS:%.c=$O/%.o) $O/tests/fuzz/replay.o
REPLAYS   := $(FUZZERS:%.c=$O/%)

.DELETE_ON_ERROR:
.SECONDARY: $(UNIT_OBJS) $(FUZZ_OBJS)
.PHONY: all unit deps demo check check-install check-release check-layers check-long check-man check-style
.PHONY: check-million check-package check-wordpress deb dist html
.PHONY: bench coverage fuzz fuzz-targets install uninstall FORCE

all: $O/ngxcache

$O/libngxcache.a: $(LIB_OBJS)
	rm -f $@
	$(AR) rcs $@ $^

$O/ngxcache: $(CMD_OBJS) $O/libngxcache.a
	$(CC1) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) $^ $(LIBS) -o $@

$O/%.o: %.c $O/flags
	@mkdir -p $(@D)
	$(CC1) $(CPP) -MMD -MP -c $< -o $@

$O/flags: FORCE        # a change of flags rebuilds, the same flags do not
	@mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(CC1) $(CPP))' >$@.new; \
	    cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# Unit tests use the Check framework: every test runs in a process of its own.
$O/tests/unit/%: $O/tests/unit/%.o $O/libngxcache.a
	$(CC1) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIBS) -o $@

unit: $(UNIT_BINS)

$(REPLAYS): %: %.o $O/tests/fuzz/replay.o $O/libngxcache.a
	$(CC1) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) $^ $(LIBS) -o $@

$O/fuzz/%: $O/tests/fuzz/fuzz_%.o $O/libngxcache.a
	@mkdir -p $(@D)
	$(CC1) -fsanitize=fuzzer $(LDFLAGS) $^ $(LIBS) -o $@

$O/tests/lib/mkcache: $O/tests/lib/mkcache.o $O/libngxcache.a
	$(CC1) $(LDFLAGS_$(VARIANT)) $(LDFLAGS) $^ $(LIBS) -o $@

# Preloaded into the program, it must not need what the variant links.
$O/tests/lib/inject.so: tests/lib/inject.c $O/flags
	@mkdir -p $(@D)
	$(CC) -std=c17 $(WARN) -O1 -g $(CFLAGS) $(CPP) -fPIC -shared -MMD -MP -o $@ $< -ldl

# Slow suites first, so that the cores are busy to the end.
# WITHOUT: suites to leave out
SUITES = $(filter-out $(WITHOUT),tests/check/fixtures tests/check/model tests/check/routing \
         tests/check/verdicts $(sort $(wildcard tests/e2e/*.bats)) $(CHECKS) \
         $(sort $(wildcard tests/cli/*.bats)) $(UNIT_BINS) $(REPLAYS))
RUN    = VARIANT=$(VARIANT) O=$O CFLAGS='$(CFLAGS)' CC='$(CC)' tests/run

check: all unit $(REPLAYS) $O/tests/lib/mkcache $O/tests/lib/inject.so
	@RESULT=$O/check.result $(RUN) $(SUITES)

# Figures, with a release build.
bench:
	@$(MAKE) -s VARIANT=release all build/release/tests/lib/mkcache
	@for bench in tests/bench/conf tests/bench/walk; do $$bench || exit; done

check-long: fuzz check-analysis check-million check-package check-soak check-wordpress

fuzz:
	@$(MAKE) VARIANT=fuzz CC=clang fuzz-targets

# New inputs go to build/fuzz/fuzz/NAME.found; one that crashes is left as NAME.crash-*: it
# becomes a file of the corpus with the change that mends it.
fuzz-targets: $(FUZZERS:tests/fuzz/fuzz_%.c=$O/fuzz/%)
	@for target in $^; do \
		name=$${target##*/}; \
		echo "fuzzing $$name for $(FUZZ_SECONDS) s"; \
		mkdir -p $$target.found; \
		$$target -max_total_time=$(FUZZ_SECONDS) -runs=$(FUZZ_RUNS) -timeout=10 \
		    $$([ ! -f tests/fuzz/dict/$$name ] || echo -dict=tests/fuzz/dict/$$name) \
		    -artifact_prefix=$$target.crash- \
		    $$target.found tests/fuzz/corpus/$$name >$$target.log 2>&1 || \
		    { cat $$target.log; exit 1; }; \
	done

check-release: all $O/tests/lib/mkcache
	@RESULT=$O/release.result $(RUN) tests/check/hardening tests/check/instructions

check-man: all $O/tests/lib/mkcache
	@$(RUN) tests/check/man tests/cli/manual.bats tests/cli/completion.bats

check-analysis check-soak check-wordpress: export SUITE_TIMEOUT = 1800
check-soak: export SOAK_SECONDS ?= 900

check-million: $O/tests/lib/mkcache

check-analysis check-install check-layers check-million check-model check-package check-soak check-style \
check-wordpress: check-%: all
	@RESULT=$O/$*.result $(RUN) tests/check/$*

deps:
	@tests/deps

demo: all
	@tests/demo $O/ngxcache

coverage:
	$(MAKE) VARIANT=coverage check
	@tests/coverage build/coverage

# MODE:FILE:PLACE below PREFIX
INSTALLED := \
	755:$O/ngxcache:bin/ngxcache \
	644:$O/libngxcache.a:lib/libngxcache.a \
	644:$O/libngxcache.pc:lib/pkgconfig/libngxcache.pc \
	755:contrib/systemd/ngxcache-spool:lib/ngxcache/ngxcache-spool \
	644:completions/ngxcache.bash:share/bash-completion/completions/ngxcache \
	644:completions/ngxcache.fish:share/fish/vendor_completions.d/ngxcache.fish \
	644:completions/_ngxcache:share/zsh/site-functions/_ngxcache \
	$(foreach f,$(sort $(wildcard lib/ngc/*.h)),644:$f:include/ngc/$(notdir $f)) \
	$(foreach f,$(MAN_PAGES),644:$f:share/man/man$(subst .,,$(suffix $f))/$(notdir $f)) \
	$(foreach f,$(sort $(wildcard contrib/*/*)),644:$f:share/doc/ngxcache/$f)

install: all $O/libngxcache.pc
	@for file in $(INSTALLED); do \
		rest=$${file#*:}; \
		install -D -m $${file%%:*} $${rest%%:*} $(DESTDIR)$(PREFIX)/$${rest#*:} || exit; \
	done

uninstall:
	@for file in $(INSTALLED); do \
		rm -f $(DESTDIR)$(PREFIX)/$${file##*:} || exit; \
	done
	@for dir in include/ngc lib/ngxcache share/doc/ngxcache; do \
		[ ! -d $(DESTDIR)$(PREFIX)/$$dir ] || \
		    find $(DESTDIR)$(PREFIX)/$$dir -depth -type d -empty -delete || exit; \
	done

$O/libngxcache.pc: Makefile cmd/cmd.h FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$${prefix}/lib' 'includedir=$${prefix}/include' '' \
	    'Name: libngxcache' 'Description: reads and administers the caches of nginx' \
	    'Version: $(VERSION)' 'Requires: $(PKGS)' 'Libs: -L$${libdir} -lngxcache -pthread' \
	    'Cflags: -I$${includedir}' >$@

# What git has, in an order and with times that do not depend on who packs it.
dist:
	@mkdir -p build
	git archive --format=tar --prefix=ngxcache-$(VERSION)/ HEAD | gzip -9n >$(DIST)
	@echo $(DIST)

# Packages of what is committed: build/deb/*.deb
deb: dist
	@rm -rf build/deb
	@mkdir -p build/deb
	@tar -C build/deb -xzf $(DIST)
	@cp -R packaging/debian build/deb/ngxcache-$(VERSION)
	@{ \
		printf 'ngxcache (%s) unstable; urgency=medium\n\n  * Built from its source.\n\n' $(VERSION); \
		sed -n 's/^Maintainer: \(.*\)/ -- \1/p' packaging/debian/control | tr '\n' ' '; \
		git log -1 --format='%cD' | sed 's/^/ /'; \
	} >build/deb/ngxcache-$(VERSION)/debian/changelog
	@cd build/deb/ngxcache-$(VERSION) && unset MAKEFLAGS MFLAGS MAKELEVEL VARIANT && \
	    dpkg-buildpackage -b -us -uc >../log 2>&1 || { tail -40 ../log; exit 1; }
	@ls build/deb/*.deb

html: $(MAN_PAGES:man/%=$O/html/%.html)

$O/html/%.html: man/%
	@mkdir -p $(@D)
	mandoc -T html -O man=%N.%S.html $< >$@

-include $(LIB_OBJS:.o=.d) $(CMD_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) $O/tests/lib/mkcache.d $O/tests/lib/inject.d $(FUZZ_OBJS:.o=.d)
