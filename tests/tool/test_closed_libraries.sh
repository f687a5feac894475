#!/bin/bash
# SPDX-License-Identifier: MIT
# Libraries that are closed, and others that are loaded at the same addresses: each call, sample and allocation has the
# name of the library that was there at its time. Needs a compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq
needs_native_sampling
modules=$MPROF_MODULE_DIR
test -e "$modules/libmprof-malloc.so" || skip "the module for native memory was not built"

# Both libraries have the same layout, so that the second is loaded where the first was.
cat >library.c <<'END'
#include <stdint.h>
#include <stdlib.h>
#define JOIN_NAMES(a, b) a##b
#define JOIN(a, b) JOIN_NAMES(a, b)
static volatile uint64_t sum;
static void *volatile kept;
__attribute__((noinline)) static void JOIN(NAME, _local)(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sum = sum * 3 + 1;
}
__attribute__((noinline)) static void JOIN(NAME, _leak)(void)
{
	kept = malloc(SIZE);
}
void entry(long rounds)
{
	JOIN(NAME, _local)(rounds);
	JOIN(NAME, _leak)();
	sum++;
}
END
cat >program.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
typedef void entry_function(long);
static char *paths[2];
static long rounds;
static int has_files = 1;
static void use(const char *path, void **first, int *same)
{
	void *handle = dlopen(path, RTLD_NOW);
	entry_function *function;
	if (handle == NULL) {
		fputs(dlerror(), stderr);
		exit(9);
	}
	*(void **)&function = dlsym(handle, "entry");
	if (*first == NULL)
		*first = *(void **)&function;
	*same += *first == *(void **)&function;
	function(rounds);
	dlclose(handle);
}
static void *alternate(void *argument)
{
	void *first = NULL;
	int same = 0;
	for (int i = 0; i < 40; i++)
		use(paths[i % 2], &first, &same);
	/* The files are not needed any more by the program. */
	if (argument != NULL && !has_files) {
		unlink(paths[0]);
		unlink(paths[1]);
	}
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	int is_parallel = argc > 4 && strcmp(argv[4], "threads") == 0;
	paths[0] = argv[1];
	paths[1] = argv[2];
	rounds = atol(argv[3]);
	has_files = argc < 5 || strcmp(argv[4], "unlink") != 0;
	if (is_parallel && pthread_create(&thread, NULL, alternate, NULL) != 0)
		return 8;
	alternate(&thread);
	if (is_parallel)
		pthread_join(thread, NULL);
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
# build NAME OPTION...
build() {
	local directory=$1

	shift
	mkdir "$directory"
	"${compiler[@]}" -O1 -fno-builtin "$@" -shared -fPIC -DNAME=alpha -DSIZE=1111 -o "$directory/liba.so" library.c &&
		"${compiler[@]}" -O1 -fno-builtin "$@" -shared -fPIC -DNAME=beta -DSIZE=2222 -o "$directory/libb.so" library.c &&
		"${compiler[@]}" -O1 "$@" -pthread -o "$directory/program" program.c -ldl
}
build calls -finstrument-functions 2>compiler.out || skip "the compiler cannot instrument: $(cat compiler.out)"
build anonymous -finstrument-functions -Wl,--build-id=none || fail "compiler"
build plain || fail "compiler"

# calls LOG [FILTER]: the calls of each function of the libraries.
calls() {
	"$MPROF" report --json "$1" | jq -c "[.methods[] | select(.name | test(\"^(alpha|beta)_|^entry\$\")) |
		[.class, .name, .calls]] ${2-} | sort"
}
twenty='[["liba.so","alpha_leak",20],["liba.so","alpha_local",20],["liba.so","entry",20],'
twenty+='["libb.so","beta_leak",20],["libb.so","beta_local",20],["libb.so","entry",20]]'

for directory in calls anonymous; do
	mprof record --calls --force -o calls.mprof "$directory/program" "./$directory/liba.so" "./$directory/libb.so" 1
	expect_status 0 "calls"
	expect "$directory" "$(calls calls.mprof)" "$twenty"
	mprof check calls.mprof
	expect_status 0 "check"
done
mprof record --calls --force -o calls.mprof calls/program ./calls/liba.so ./calls/libb.so 1 threads
# One may be loaded twice at once, at two addresses.
expect "two threads" "$(calls calls.mprof '| group_by(.[0:2]) | map([.[0][0], .[0][1], (map(.[2]) | add)])')" \
	"${twenty//20/40}"
mprof record --calls --force --only='beta_*' -o calls.mprof calls/program ./calls/liba.so ./calls/libb.so 1
expect "--only" "$(calls calls.mprof)" '[["libb.so","beta_leak",20],["libb.so","beta_local",20]]'
mprof record --calls --force --interval=600000 -o calls.mprof anonymous/program ./anonymous/liba.so ./anonymous/libb.so 1 unlink
expect "names of deleted files" "$(calls calls.mprof)" "$twenty"

# Native memory. The log is written when the program ends. After one was closed, another mapping, as of the recorder, may
# have its place: then the library is loaded at two addresses, and its functions have two places.
export MPROF_MALLOC_OPTIONS=interval=600000
LD_PRELOAD=$modules/libmprof-malloc.so MPROF_MALLOC_OUTPUT=memory.mprof plain/program ./plain/liba.so ./plain/libb.so 1
unset MPROF_MALLOC_OPTIONS
"$MPROF" report --json --top=0 memory.mprof >out
expect_json "memory" '[.memory.places[] | select(.bytes % 1111 == 0 and .bytes == .live_bytes)] | group_by(.stack) |
	map([.[0].stack[0], .[0].stack[1], (map(.live) | add), (map(.live_bytes) | add)]) | sort' \
	'[["alpha_leak","entry",20,22220],["beta_leak","entry",20,44440]]'

# Samples: all of both libraries have names.
mprof record --sample=1000 --interval=600000 --force -o samples.mprof plain/program ./plain/liba.so ./plain/libb.so 3000000
"$MPROF" report --json --top=0 samples.mprof >out
expect_json "samples" '[.samples[] | select(.kind == "native") | .name | select(test("^0x"))]' '[]'
expect_json "samples" '[.samples[] | select(.name == "alpha_local" or .name == "beta_local") | .hits > 0]' '[true,true]'
