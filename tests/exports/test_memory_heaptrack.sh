#!/bin/bash
# SPDX-License-Identifier: MIT
# The figures of native memory, by function, are those of heaptrack for the same program: allocations, what was not
# freed, what existed at the peak, and temporary allocations. Needs heaptrack, a compiler and the module.
set -eu
. "$srcdir/tests/exports/support.sh"
needs heaptrack heaptrack_print jq

test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
export MPROF_MODULE_DIR=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
test -e "$MPROF_MODULE_DIR/libmprof-malloc.so" || skip "the module for native programs was not built"

cat >program.c <<'END'
#include <stdlib.h>
#include <string.h>
#define NEVER_INLINE __attribute__((noinline))
#define BLOCKS 500
static char *blocks[BLOCKS];
NEVER_INLINE static void leak_some(int i)
{
	blocks[i] = malloc(100 + (size_t)i);
	if (i % 3 == 0)
		free(blocks[i]);
}
NEVER_INLINE static void *keep_until_later(size_t size)
{
	char *volatile memory = calloc(3, size);

	return memory;
}
NEVER_INLINE static void use_for_a_moment(size_t size)
{
	char *volatile memory = malloc(size);

	free(memory);
}
NEVER_INLINE static void grow_a_block(void)
{
	char *volatile memory = NULL;

	for (size_t i = 1; i < 50; i++)
		memory = realloc(memory, 1000 * i);
	free(memory);
}
NEVER_INLINE static void recurse(int depth)
{
	char *volatile memory = malloc(64);

	if (depth > 0)
		recurse(depth - 1);
	free(memory);
}
int main(void)
{
	void *later[20];

	for (int i = 0; i < BLOCKS; i++) {
		leak_some(i);
		use_for_a_moment(10 * (size_t)i + 1);
	}
	for (size_t i = 0; i < 20; i++)
		later[i] = keep_until_later(5000 + i);
	recurse(30);
	for (size_t i = 0; i < 20; i++)
		free(later[i]);
	grow_a_block();
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -g -O1 -fno-builtin -fno-optimize-sibling-calls -o program program.c 2>compiler.out ||
	skip "the compiler cannot compile: $(cat compiler.out)"
functions="leak_some keep_until_later use_for_a_moment grow_a_block recurse"

heaptrack -o peer ./program >output.txt 2>&1 || skip "heaptrack does not run here: $(tail -n 1 output.txt)"
record=$(ls peer.*)
mprof record --malloc -o memory.mprof -- ./program
expect_status 0 "record"

# of_peer COST: the sum of each function, of call stacks that end with it.
of_peer() {
	heaptrack_print -f "$record" --flamegraph-cost-type "$1" -F stacks.txt >output.txt 2>&1 || fail "$(tail -n 1 output.txt)"
	for function in $functions; do
		awk -v wanted="$function" '{ stack = $0; sub(/ \([^;]*; [0-9]+$/, "", stack); sub(/.*;/, "", stack) }
			stack == wanted { sum += $NF } END { print wanted, sum + 0 }' stacks.txt
	done
}

# of_value VALUE: the same of folded stacks of this program.
of_value() {
	"$MPROF" export --to=folded --value="$1" -o - memory.mprof 2>err >folded.txt || fail "export: $(cat err)"
	for function in $functions; do
		awk -v wanted="$function" '{ stack = $0; sub(/ [0-9]+$/, "", stack); sub(/.*;/, "", stack) }
			stack == wanted { sum += $NF } END { print wanted, sum + 0 }' folded.txt
	done
}

of_report() {
	"$MPROF" report --json --top=0 memory.mprof >report.json
	for function in $functions; do
		jq -r --arg function "$function" "[.memory.places[] | select(.stack[0] == \$function) | .$1] | add |
			\"\\(\$function) \\(.)\"" report.json
	done
}

for pair in leaked:memory-live peak:memory-peak temporary:memory-temporary; do
	of_peer "${pair%:*}" >theirs
	of_value "${pair#*:}" >ours
	diff theirs ours >differences || fail "$pair: heaptrack (<) and mprof (>): $(cat differences)"
	grep -qv ' 0$' ours || fail "$pair: all are 0"
done
of_peer allocations >theirs
of_report allocations >ours
diff theirs ours >differences || fail "allocations: heaptrack (<) and mprof (>): $(cat differences)"
