#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples in code that a runtime compiled have the names of the map that it writes for perf. Needs a compiler and the
# module.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq
needs_native_sampling

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
test "$(uname -m)" = x86_64 || skip "the code of the test is for x86-64"
module_directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$module_directory/libmprof-instrument.so" || skip "the module for native programs was not built"
export MPROF_MODULE_DIR=$module_directory

cat >program.c <<'END'
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	/* mov rax, rdi; loop: dec rax; jnz loop; ret */
	static const unsigned char code[] = {0x48, 0x89, 0xf8, 0x48, 0xff, 0xc8, 0x75, 0xfb, 0xc3};
	unsigned char *memory = mmap(0, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
	const int is_stale = argc > 1;
	char path[64], name[80];
	FILE *map;

	memcpy(memory, code, sizeof(code));
	memcpy(memory + 4096, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	snprintf(name, sizeof(name), "%s%s", path, is_stale ? ".new" : "");
	puts(path);
	map = fopen(name, "w");
	for (int i = 0; i < 2; i++)
		fprintf(map, "%lx %zx compiled %d\n", (unsigned long)(memory + i * 4096), sizeof(code), i);
	fprintf(map, "no line\n12 0 empty\n%lx", (unsigned long)memory);
	fclose(map);
	if (is_stale && (utimensat(AT_FDCWD, name, old, 0) != 0 || rename(name, path) != 0))
		return 1;
	for (int i = 0; i < 2; i++)
		((void (*)(long))(void *)(memory + i * 4096))(200000000L);
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -fno-omit-frame-pointer -w -o program program.c 2>compiler.out || skip "the compiler cannot compile: $(cat compiler.out)"

# record LOG ARGUMENTS...: records the program, which prints the path of its map.
record() {
	mprof record -o "$1" "${@:2}"
	expect_status 0 "record $*"
	rm -f "$(cat out)"
}

# expect_names LOG: nearly all samples are in the two functions. Unnamed ones would be rows of their addresses.
expect_names() {
	mprof report --json --sections=samples --top=0 "$1"
	expect_status 0 "report of $1"
	expect_json "$1: both have samples" \
		'[.samples[] | select((.name | startswith("compiled ")) and .hits > 10) | .name] | sort' \
		'["compiled 0","compiled 1"]'
	expect_json "$1: no addresses" '[.samples[] | select(.name | startswith("0x")) | .name]' '[]'
}

record ended.mprof -- ./program
expect_names ended.mprof

record stacks.mprof --sample-stack=fp -- ./program
expect_names stacks.mprof

# The map of an earlier process with the same number is not one of this program.
record stale.mprof -- ./program stale
mprof report --json --sections=samples --top=0 stale.mprof
expect_json "an old map" '[.samples[] | select(.name | startswith("compiled "))]' '[]'
