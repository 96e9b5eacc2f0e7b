# meridian: rows, slots, verbs, laws and tests are found by name; adding one edits nothing.
#   make report   the main job: real models against the certified reference -> the pages from report/index.html on, report/report.md
#   make test     proves the suite itself
CC     ?= cc
WARN    = -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Wno-missing-field-initializers -Werror
CFLAGS ?= -O2 -g1
DIALECT = -std=c11 -D_GNU_SOURCE -DPCRE2_CODE_UNIT_WIDTH=8 -ffp-contract=off
STD     = $(DIALECT) -ffile-prefix-map="$(CURDIR)"=.
INC     = -Ifast -Ifast/core -Iref/core -Iproofs/core -Iharness -I$B
B      ?= build
# All names are looked up at the start, and not again in each of the children that are forked for questions.
LIBS    = -lmpfr -lgmp -ljansson -lsqlite3 -lpcre2-8 -lutf8proc -ldl -lpthread -lm -Wl,-z,now
# The same with MPFR and GMP in the program itself, where they are installed so: an eighth of the time goes the way through a
# shared library's tables to its functions and its variables of a thread.
INSIDE  = $(foreach l,mpfr gmp,$(or $(filter /%,$(shell $(CC) -print-file-name=lib$l.a)),-l$l)) $(filter-out -lmpfr -lgmp,$(LIBS))
# a second opinion for tests/arb*.c, where installed: looked for when something is linked, for `make test` may have installed it until then
ARB     = $(shell printf '\043include <arb.h>\n' | $(CC) -E - >/dev/null 2>&1 && echo -lflint-arb -lflint)
PREFIX ?= /usr/local
VERSION = 0.1.0
# make Q= shows every command
Q       = @

# Per-directory instruction sets: nothing else sees these flags, and a slot runs only where the processor has it.
avx2       = -mavx2 -mfma -mf16c
avx512     = -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mf16c
avx512bf16 = $(avx512) -mavx512bf16
amx        = $(avx512bf16) -mamx-tile -mamx-bf16
slots      = scalar avx2 avx512 avx512bf16 amx

name   = $(sort $(basename $(notdir $(wildcard $(1)))))
rows  := $(call name,ref/*.c)
verbs := $(call name,harness/*.c)
sections := $(call name,harness/report/*.c)
benches := $(call name,harness/bench/*.c)
measures := $(call name,harness/measure/*.c)
checks := $(call name,harness/checks/*.c)
readers := $(call name,harness/reader/*.c)
faults := $(call name,harness/faults/*.c)
encodings := $(call name,harness/lab/encodings/*.c)
fast  := $(sort $(wildcard fast/*.c fast/*/*.c fast/*/*/*.c))
src   := $(sort $(wildcard $(foreach r,ref proofs harness,$r/*.c $r/*/*.c $r/*/*/*.c)) $(fast))
src   := $(filter-out harness/adapters/%,$(src))
lib   := $(patsubst %.c,$B/%.o,$(filter-out harness/core/main.c,$(src)))
vector := $(addprefix $B/fast/,$(addsuffix /%,$(filter-out scalar,$(slots))))
tests := $(patsubst %.c,$B/%.o,$(sort $(wildcard tests/*.c)))

# All cores and one more, for what waits, unless somebody says how many; what must not run side by side is asked for one after the other.
# (A make that another one started sees in its environment alone how many were said.)
ifeq ($(filter -j% j%,$(MAKEFLAGS) $(shell echo "$$MAKEFLAGS")),)
MAKEFLAGS += -j$(shell echo $$(($$(nproc 2>/dev/null || echo 2) + 1)))
endif
.DEFAULT_GOAL := all
all: $B/meridian $B/plugin.so $B/example.so $B/libmeridian.so
# What is searched with a seed is asked with a kept one here, so that a change fails for what it did and not for the day; .ci/run and `make full` search anew.
test: export SEED ?= 20261123
test: all $B/alarm package rooms lint | peers
	@$(LARGE_PAGES) $B/meridian check quick
	@env -u MAKEFLAGS -u MFLAGS B=$B sh tests/side_by_side.sh 'sh tests/next_row.sh' 'sh tests/second/run.sh quick' 'sh tests/python/run.sh sh harness/adapters/judge.sh'
	@env -u MAKEFLAGS -u MFLAGS $B/alarm -j$$(($$(nproc) + 1)) # some wait for others; other builds that tests start (cargo) would look for this make's jobserver
# What judge.sh needs is fetched while the compiler is at work; where that fails, judge.sh says so.
peers: | $B/deps ; @[ '$(PEERS_PYTHON)' ] || B=$B JUDGE_PEERS=$(JUDGE_PEERS) sh harness/adapters/peers.sh >/dev/null || [ $$? = 77 ]
check: all ; $(LARGE_PAGES) $B/meridian check quick
# Every question of an own kernel is a fork, which costs the pages of its parent: large ones take a tenth off the whole check.
LARGE_PAGES = GLIBC_TUNABLES=glibc.malloc.hugetlb=1
# real libraries, live: numpy and onnxruntime; JUDGE_PEERS=all: torch, jax, transformers
judge-peers: all ; @B=$B JUDGE_PEERS=$(JUDGE_PEERS) sh harness/adapters/judge.sh
# every model type of the table against a real library, MERIDIAN_PYTHON's: hours; goes on where it was, one line a type; SHARD=i/n
zoo: all ; @sh harness/adapters/transformers/zoo.sh $B $(or $(SHARD),1/1)
# the Python package: its tests, with torch and jax where they are installed; and the wheel in an environment with nothing else
python-test: all package ; @B=$B sh tests/python/run.sh
wheel-test: wheel ; @B=$B sh tests/python/wheel.sh
# what the program answers to a fixed set of command lines, against another commit of it: BASE=commit, HEAD by itself
recorded: all ; @B=$B sh tests/recorded.sh compare $(BASE)
# what somebody new does, from the wheel and from a clone to first verdicts, with the seconds of each step
newcomer: wheel ; @B=$B sh tests/newcomer.sh clone || [ $$? = 77 ]
full: SECONDS_ALL ?= 1200
full: all $B/alarm
	@$(MAKE) analyze
	@$(MAKE) sanitize
	@$(MAKE) mutants
	@$(MAKE) fuzz SECONDS_ALL=$(SECONDS_ALL)
	@B=$B sh tests/kills.sh
	@B=$B sh tests/second/run.sh self && B=$B sh tests/second/run.sh all || [ $$? = 77 ]
	MERIDIAN_FULL=1 $B/alarm --filter 'exp/*'
	MERIDIAN_FULL=1 $B/alarm --filter 'arb/*'
	MERIDIAN_FULL=1 $B/alarm --filter '@(steps|mistakes|fingerprint|checks|rows)/*'
	@B=$B MAKE='$(MAKE)' sh tests/install/run.sh
	@$(MAKE) newcomer
	$B/meridian check full
report site: all ; $B/meridian report
# the table of model types, from the sources of the pinned release -> data/models/types.tsv, undecided.tsv
types: ; @B=$B TYPES_SOURCES='$(TYPES_SOURCES)' sh harness/types/types.sh
# small Transformers with every encoding, trained and asked far beyond their trained length -> report/extrapolation.html, .md; goes on where it was stopped;
# EXTRAPOLATE=all: those without vectors too; EXTRAPOLATE=middle: a night of models ten times as large, on subwords -> report/middle;
# EXTRAPOLATE=plateau: hours of several rates and numbers of steps for each encoding -> report/plateau, whose plateau.tsv is kept as data/plateau-kept.tsv
extrapolate: all ; @sh harness/core/deps.sh --text
	$B/meridian extrapolate $(if $(filter all,$(EXTRAPOLATE)),--all) $(if $(filter plateau,$(EXTRAPOLATE)),--plateau) $(if $(filter middle,$(EXTRAPOLATE)),--design data/middle.tsv --out report/middle)
bench: all ; $B/meridian bench
# The goldens are made beside their place; each line must be found again by the second system (tests/second) before a file is replaced.
data: all
	@rm -rf $B/golden.new
	$B/meridian golden --write --to $B/golden.new
	@B=$B sh tests/second/run.sh golden $B/golden.new || { echo 'data/golden is left as it was: the second system does not agree, or is not there'; exit 1; }
	@for f in $B/golden.new/*.tsv; do cmp -s $$f data/golden/$${f##*/} || cp $$f data/golden/; done
# The second system: every golden line, the cases of the golden pack, random questions (RANDOM_QUESTIONS=4000), and faults planted, which it must find.
second: all
	@B=$B sh tests/second/run.sh self
	@B=$B sh tests/second/run.sh all
second-quick: all ; @B=$B sh tests/second/run.sh quick || [ $$? = 77 ]
golden: $B/golden-$(VERSION).tar
$B/golden-$(VERSION).tar: $B/meridian ; $< golden --pack $@
# The Python package (harness/adapters/python): as a folder, for tests; and as a wheel with the program, in which all but glibc is linked
# statically.  hypot: the newest version of its symbol would ask for glibc 2.35, and an older one is the same function.
package: $B/python/meridian/table.json
$B/python/meridian/table.json: $B/meridian $(wildcard harness/adapters/python/*.py harness/adapters/python/meridian/*.py)
	@python3 harness/adapters/python/wheel.py --program $< --version $(VERSION) --folder $B/python
wheel: $B/wheel/meridian $B/golden-$(VERSION).tar
	@python3 harness/adapters/python/wheel.py --program $< --version $(VERSION) --golden $B/golden-$(VERSION).tar --out dist
STATIC = -static-libgcc -Wl,--wrap=hypot -Wl,-Bstatic -lmpfr -lgmp -ljansson -lsqlite3 -lpcre2-8 -lutf8proc -Wl,-Bdynamic -ldl -lpthread -lm
$B/wheel/meridian: $(lib) $B/harness/core/main.o
	@mkdir -p $(@D)
	@printf '.symver older,hypot@GLIBC_2.2.5\n.globl __wrap_hypot\n__wrap_hypot: jmp *older@GOTPCREL(%%rip)\n.section .note.GNU-stack,"",@progbits\n' >$B/wheel/hypot.s
	@echo '  link $@'; $(CC) $(CFLAGS) -s -o $@ $^ $B/wheel/hypot.s $(STATIC)
data-check: all ; $B/meridian golden --check
# faults planted in the arithmetic; then every named mistake against rows and checks, what the diagnosis makes of each, and right subjects
mutants: all $B/alarm
	@$(MUTANTS) python3 tests/mutants/run.py $(MUTANT)
	@for t in kill checks confusion alarms; do $B/meridian power $$t || exit 1; done
mutants-run: all $B/alarm ; @$(MUTANTS) python3 tests/mutants/run.py $(MUTANT)
# faults planted in own scalar kernels, each asked of the default judge as a stranger's plug-in (OPEN="--sample 5 --seconds 600")
power-open: all ; @$(MUTANTS) python3 tests/open/run.py $(OPEN)
# the same in the example subjects in numpy, as processes (SUBJECTS="--faults 50 --half work"); its numpy is the one of judge-peers
power-numpy: all ; @B=$B "$$([ -x $B/peers/bin/python ] && echo $B/peers/bin/python || echo python3)" tests/open/subjects.py $(SUBJECTS)
mutants-sample: $B/alarm ; @$(MUTANTS) python3 tests/mutants/run.py --sample 5 --seconds 60
MUTANTS = B=$B CC='$(CC)' MUTANT_FLAGS='$(DIALECT) -fPIC -w -O1 -g0 $(INC)' MUTANT_OBJECTS='$(lib)' MUTANT_TESTS='$(tests)' MUTANT_LIBS="$(ARB) $(LIBS)"
# gcc's own path analysis of everything but the tests; quiet when clean.  Kernels read arrays that their row's signature requires: whoever asks has
# checked that the call holds them (trial_check), which gcc cannot see, so that one question is not asked in fast/.
build/analyze/fast/%: STD += -Wno-analyzer-null-dereference
analyze: ; @$(MAKE) CC=gcc PCH= B=build/analyze WARN=-Werror CFLAGS='-O1 -fanalyzer' objects >/dev/null
objects: $(lib)
# The plug-ins of the plain build are the strangers whom it asks.
sanitize: all
	$(MAKE) B=build/sanitize WARN=-w CFLAGS='$(SANITIZE)' build/sanitize/alarm build/sanitize/meridian build/sanitize/storm build/sanitize/plugin.so build/sanitize/example.so
	B=build/sanitize sh tests/sanitize.sh
# Generated cases under sanitizers, then the readers under libFuzzer where clang-14 is there: SECONDS_ALL=60, half of it each (tests/fuzz/run.sh).
# SEED= repeats a run, KIND= is one kind (command, pack, subject, config, data, store, disk, kill) for all the time.
SANITIZE = -Og -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# What is inlined through pointers to functions needs more than -Og, which compiles in two thirds of the time; and where it is inlined so often,
# checks that are calls compile in half the time of those written out.
build/sanitize/fast/%.o $(slots:%=build/sanitize/heads/%.h.gch): private override CFLAGS += -O1 --param asan-instrumentation-with-call-threshold=0
# hours of generated cases; `meridian check soak` is the same for the rows
soak: ; @$(MAKE) fuzz SECONDS_ALL=$(or $(SECONDS_ALL),14400)
storm:
	@$(MAKE) B=build/sanitize WARN=-w CFLAGS='$(SANITIZE)' build/sanitize/storm
fuzz: storm
	@SEED='$(SEED)' SECONDS_ALL='$(SECONDS_ALL)' KIND='$(KIND)' MAKE='$(MAKE)' sh tests/fuzz/run.sh
libfuzzer:
	@$(MAKE) CC=clang-14 B=build/fuzz WARN=-w CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all' FUZZ=-fsanitize=fuzzer,address,undefined $(patsubst tests/fuzz/%.c,build/fuzz/fuzz-%,$(wildcard tests/fuzz/*.c))
# libFuzzer goes through all counters after every input: only what readers are made of has them, which is ten to a hundred times as many inputs.
READERS = $(addprefix build/fuzz/,harness/base/%.o harness/core/%.o harness/model/%.o harness/pack/%.o harness/subject/%.o ref/core/row/%.o)
$(READERS): override CFLAGS += -fsanitize=fuzzer-no-link

# storm: generated cases under one oracle (tests/fuzz/storm/main.c); it runs the program's own main, under another name, in its children.
# -no-pie: nothing is relocated at its start, so that a fork has ten megabytes less to copy.
storm := $(patsubst %.c,$B/%.o,$(filter-out %/subject.c,$(sort $(wildcard tests/fuzz/storm/*.c))))
# KERNELS=build takes the vector kernels of another build, as .ci/run does: a third of the compiler's time under sanitizers is theirs, `make sanitize`
# runs all of them, and what a question has them touch beside their arrays, guard pages see without a sanitizer.
KERNELS ?= $B
kernels_of = $(filter-out $(vector),$(lib)) $(patsubst $B/%,$(KERNELS)/%,$(filter $(vector),$(lib)))
$B/storm: $(kernels_of) $(storm) $B/tests/fuzz/storm/program.o | $B/storm-subject $B/storm-subject.so ; @echo '  link $@'; $(CC) $(CFLAGS) -no-pie -o $@ $^ $(INSIDE)
$B/tests/fuzz/storm/program.o: harness/core/main.c Makefile | $B/deps $B/verbs.h $B/version.h
	@mkdir -p $(@D)
	@echo '  cc $< as a function'
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) -MMD -MP $(INC) -Dmain=meridian_main -c -o $@ $<
$B/storm-subject: tests/fuzz/storm/subject.c tests/plugin/rope.c fast/meridian.h | $B/deps ; @echo '  link $@'; $(CC) $(STD) -O1 -Ifast -o $@ $< -lm
$B/storm-subject.so: tests/fuzz/storm/subject.c tests/plugin/rope.c fast/meridian.h | $B/deps ; @echo '  link $@'; $(CC) $(STD) -O1 -Ifast -fPIC -shared -o $@ $< -lm

$B/fuzz-%: $B/tests/fuzz/%.o $(lib) ; @echo '  link $@'; $(CC) $(CFLAGS) $(FUZZ) -o $@ $^ $(INSIDE)
$B/meridian: $(lib) $B/harness/core/main.o ; @echo '  link $@'; $(CC) $(CFLAGS) -o $@ $^ $(INSIDE)
$B/alarm: $(lib) $(tests) ; @echo '  link $@'; $(CC) $(CFLAGS) -o $@ $^ -lcriterion $(ARB) $(INSIDE)
$B/plugin.so: tests/plugin/rope.c fast/meridian.h | $B/deps ; @echo '  link $@'; $(CC) $(STD) $(CFLAGS) -Ifast -fPIC -shared -o $@ $< -lm
$B/example.so: harness/adapters/examples/rope.c fast/meridian.h | $B/deps ; @echo '  link $@'; $(CC) $(STD) $(CFLAGS) -Ifast -fPIC -shared -o $@ $< -lm
$B/libmeridian.so: $(fast:%.c=$B/%.o) ; @echo '  link $@'; $(CC) $(CFLAGS) -shared -Wl,-soname,libmeridian.so.0 -o $@ $^ -lm
$B/libmeridian.a: $(fast:%.c=$B/%.o) ; rm -f $@; $(AR) rcs $@ $^

# The system's headers that most files of a set include, compiled once for the flags of the set, which spares an eighth of the compiler's time.
# gcc alone reads them so; `make analyze` does without (PCH=), so that a file which lacks an include of its own is found.
PCH   ?= $(if $(shell $(CC) --version 2>/dev/null | grep 'Free Software'),yes)
heads  = math stdio stdlib string $(heads_$1)
heads_pages = mpfr
heads_tests = mpfr criterion/criterion
$(foreach s,$(filter-out scalar,$(slots)),$(eval heads_$s = immintrin))
sets  := pages tests $(slots)
$(sets:%=$B/heads/%.h): Makefile ; @mkdir -p $(@D); printf '#include <%s.h>\n' $(call heads,$(basename $(@F))) >$@
%.h.gch: %.h | $B/deps ; @echo '  cc $<'; $(CC) $(STD) $(WARN) $(CFLAGS) -o $@.t $< && mv $@.t $@
# $1: a set; $2: its objects
with_heads = $(eval $2: HEADS = $B/heads/$1.h)$(eval $(filter $2,$(lib) $(tests) $B/harness/core/main.o): | $B/heads/$1.h.gch)
$(if $(PCH),$(call with_heads,pages,$B/ref/%.o $B/proofs/%.o $B/harness/%.o)$(call with_heads,tests,$(tests)))
$(if $(PCH),$(call with_heads,scalar,$(filter-out $(vector),$(filter $B/fast/%,$(lib))))$(foreach s,$(filter-out scalar,$(slots)),$(call with_heads,$s,$B/fast/$s/%.o)))

$(foreach s,$(filter-out scalar,$(slots)),$(eval $B/fast/$s/%.o $B/heads/$s.h.gch: private STD += $$($s)))
$B/fast/%.o $(slots:%=$B/heads/%.h.gch): private STD += -fPIC -fvisibility=hidden
# In a shared library (tests/mutants) a function can be exchanged for a mutant of its own; within a file nothing changes.
$B/ref/%.o $B/proofs/%.o $B/harness/%.o $B/heads/pages.h.gch: private STD += -fPIC -fno-semantic-interposition
# What tests compute themselves is little: -O1 compiles in two thirds of the time.
$B/tests/%.o $B/heads/tests.h.gch: override CFLAGS := $(CFLAGS:-O2=-O1)
# Clang has no warning of the last name, which it says, and its INFINITY is a float.
$B/tests/%.o: WARN += -Wno-conversion -Wno-shadow -Wno-double-promotion -Wno-unknown-warning-option -Wno-format-truncation
$B/%.o: %.c Makefile | $B/deps $B/rows.h $B/slots.h $B/verbs.h $B/laws.h $B/errata.h $B/sections.h $B/groups.h $B/measures.h $B/checks.h $B/readers.h $B/code_faults.h $B/encodings.h $B/version.h $B/papers.h $B/assets.h
	@mkdir -p $(@D)
	@echo '  cc $<'
	$(Q)$(CC) $(STD) $(WARN) $(CFLAGS) $(addprefix -include ,$(HEADS)) -MMD -MP $(INC) -c -o $@ $<

# Generated lists: always written, moved only on change, so that a deleted row is noticed and an unchanged tree stays built.
put = @mkdir -p $B; { $(1) } > $@.t; cmp -s $@.t $@ && rm $@.t || mv $@.t $@
# Objects that are found by name: struct $1 $1_NAME of every name of $3, as the list found_$2, or as $4; NULL behind the last.
registry = $(call put,printf 'extern const struct $1 $1_%s;\n' $3; echo '$(or $4,static const struct $1 *const found_$2[]) = {'; printf '&$1_%s$(comma)\n' $3; echo 'NULL };';)
$B/rows.h: FORCE ; $(call put,printf 'ROW(%s)\n' $(rows);)
$B/laws.h: FORCE ; $(call put,printf 'LAWS(%s)\n' $(call name,proofs/*.c);)
$B/errata.h: FORCE ; $(call put,printf 'ERRATA(%s)\n' $(call name,proofs/errata/*.c);)
$B/verbs.h: FORCE ; $(call registry,verb,verbs,$(verbs),const struct verb *const verbs[])
$B/sections.h: FORCE ; $(call registry,section,sections,$(sections))
$B/groups.h: FORCE ; $(call registry,group,groups,$(benches))
$B/measures.h: FORCE ; $(call registry,measure,measures,$(measures))
$B/checks.h: FORCE ; $(call registry,check,checks,$(checks),const struct check *const all_checks[])
$B/readers.h: FORCE ; $(call registry,reader,readers,$(readers))
$B/code_faults.h: FORCE ; $(call registry,fault_of_code,code_faults,$(faults))
$B/encodings.h: FORCE ; $(call registry,encoding,encodings,$(encodings))
$B/slots.h: FORCE ; $(call put,$(foreach s,$(slots),$(foreach r,$(call name,$(if $(filter scalar,$s),fast/*.c,fast/$s/*.c)),echo 'SLOT($s, $r)';)))
# What the report's pages carry with them: the comment at the top of every row, their style and their script.
$B/papers.h: FORCE ; $(call put,awk -v comments=1 -f harness/page/embed.awk $(rows:%=ref/%.c);)
$B/assets.h: FORCE ; $(call put,for f in css js; do awk -v name=site_$$f -f harness/page/embed.awk harness/page/site.$$f; done;)
$B/version.h: FORCE ; $(call put,printf '#define MERIDIAN_VERSION "%s"\n#define MERIDIAN_COMMIT "%s"\n' $(VERSION) "$$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)";)
comma := ,
$B/ref/core/row.o: $B/rows.h
$B/fast/core/kernels.o: $B/slots.h
$B/harness/core/verbs.o: $B/verbs.h
$B/proofs/core/law.o: $B/laws.h
$B/proofs/core/claim.o: $B/errata.h

# test, report, site, extrapolate, second, deps and full install what is missing; every other target only says so.
installs := $(filter deps test report site extrapolate second full,$(MAKECMDGOALS))
$B/deps: harness/core/deps.sh
	@mkdir -p $B
	@sh $< $(if $(installs),--install,--check)
	@touch $@
# Those are begun once what is missing is there: included, this empty file is made before anything else, and make reads all of this anew,
# so that it also finds the compiler that it has just installed.
ifneq ($(installs),)
ifeq ($(findstring n,$(firstword -$(MAKEFLAGS))),)
include $B/deps
endif
endif
deps: ; @sh harness/core/deps.sh --install

# The matrix of rows and rooms; x there, . optional and absent, - a hole.  A name in any room is a row, so an orphan shows.
need   = ref/%.c fast/%.c proofs/%.c data/mistakes/%.tsv
option = data/golden/%.tsv data/names/%.tsv fast/avx2/%.c fast/avx512/%.c fast/avx512bf16/%.c fast/amx/%.c tests/%.c
extra  = $(filter $(call name,tests/*.c),$(rows))
named := $(sort $(rows) $(call name,fast/*.c fast/avx2/*.c fast/avx512/*.c fast/avx512bf16/*.c fast/amx/*.c proofs/*.c data/mistakes/*.tsv data/golden/*.tsv data/names/*.tsv))
mark   = $(foreach f,$(need),$(if $(wildcard $(subst %,$1,$f)),x,-)) $(foreach f,$(option),$(if $(wildcard $(subst %,$1,$f)),x,.))
holes := $(strip $(foreach r,$(named),$(if $(findstring -,$(call mark,$r)),$r)))
# The house rules that a program can check (tests/lint/lint.py); RULES="--say columns" prints every place of one rule.
lint: | $B/deps ; @python3 tests/lint/self.py && python3 tests/lint/lint.py $(RULES)
rooms:
	@printf '%-12s ref fast proofs mistakes golden names avx2 avx512 bf16 amx tests\n' row
	@$(foreach r,$(named),printf '%-12s %-3s %-4s %-6s %-8s %-6s %-5s %-4s %-6s %-4s %-3s %s\n' $r $(call mark,$r);)
	@$(if $(holes),echo 'holes: $(holes)'; exit 1,:)

install: all $B/libmeridian.a
	install -d $(addprefix $(DESTDIR),$(PREFIX)/bin $(LIBDIR)/pkgconfig $(LIBDIR)/cmake/meridian $(PREFIX)/include $(SHARE)/man/man1 $(SHARE)/meridian)
	install -d $(addprefix $(DESTDIR)$(SHARE)/,bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	install -m 755 $B/meridian $(DESTDIR)$(PREFIX)/bin/meridian
	install -m 644 $B/libmeridian.a $(DESTDIR)$(LIBDIR)/
	install -m 755 $B/libmeridian.so $(DESTDIR)$(LIBDIR)/libmeridian.so.$(VERSION)
	ln -sf libmeridian.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libmeridian.so.0
	ln -sf libmeridian.so.0 $(DESTDIR)$(LIBDIR)/libmeridian.so
	install -m 644 fast/meridian.h fast/meridian_mask.h fast/meridian.hpp fast/libmeridian.h $(DESTDIR)$(PREFIX)/include/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' fast/core/meridian.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/meridian.pc
	install -m 644 harness/adapters/install/meridian-config.cmake $(DESTDIR)$(LIBDIR)/cmake/meridian/
	sed -e 's|@VERSION@|$(VERSION)|' harness/adapters/install/meridian-config-version.cmake.in >$(DESTDIR)$(LIBDIR)/cmake/meridian/meridian-config-version.cmake
	$B/meridian --man >$(DESTDIR)$(SHARE)/man/man1/meridian.1
	$B/meridian completion bash >$(DESTDIR)$(SHARE)/bash-completion/completions/meridian
	$B/meridian completion zsh >$(DESTDIR)$(SHARE)/zsh/site-functions/_meridian
	$B/meridian completion fish >$(DESTDIR)$(SHARE)/fish/vendor_completions.d/meridian.fish
	cp -r data $(DESTDIR)$(SHARE)/meridian/
LIBDIR ?= $(PREFIX)/lib
SHARE   = $(PREFIX)/share
# Debian packages (program; library; what a compiler needs), and the sources as an archive with checksums: the same tree gives the same bytes.
deb: all $B/libmeridian.a $B/shared/meridian ; @B=$B VERSION=$(VERSION) MAKE='$(MAKE)' sh harness/adapters/install/deb.sh
$B/shared/meridian: $(lib) $B/harness/core/main.o ; @mkdir -p $(@D); echo '  link $@'; $(CC) $(CFLAGS) -o $@ $^ $(LIBS)
dist: ; @VERSION=$(VERSION) sh harness/adapters/install/dist.sh
# An installation as its users have it: C, C++, CMake, cargo, the packages in a root of their own, the snippets for CI with the wheel
install-test: all $B/libmeridian.a ; @B=$B MAKE='$(MAKE)' sh tests/install/run.sh
clean: ; rm -rf build report dist
FORCE:
.SECONDARY:
.PHONY: all soak lint deps test check peers second second-quick judge-peers zoo full report site types extrapolate rooms golden package wheel python-test wheel-test recorded newcomer data data-check bench storm fuzz libfuzzer power-open power-numpy mutants analyze objects sanitize install deb dist install-test clean FORCE
-include $(lib:.o=.d) $(tests:.o=.d) $B/harness/core/main.d $(storm:.o=.d) $B/tests/fuzz/storm/program.d
