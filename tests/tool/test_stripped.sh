#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples in stripped code are counted by function: the bounds are those of the unwind tables.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq strip nm
needs_native_sampling

cat >app.c <<'END'
static volatile unsigned long sink;
#define NEVER_INLINE static __attribute__((noinline, noclone, noipa))
NEVER_INLINE void often(void)
{
	for (unsigned long i = 0; i < ROUNDS * 3; i++)
		sink += i;
}
NEVER_INLINE void seldom(void)
{
	for (unsigned long i = 0; i < ROUNDS; i++)
		sink += i;
}
/* Without unwind tables, and with a symbol that has no size: what follows is not part of it. */
__asm__(".text\n.globl exported\nexported:\n nop\n ret\n");
NEVER_INLINE void last(void)
{
	for (unsigned long i = 0; i < ROUNDS; i++)
		sink += i;
}
int main(void)
{
	often();
	seldom();
	last();
	return 0;
}
END
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -rdynamic -DROUNDS=100000000UL -Wl,--build-id -o app app.c || fail "compiler"
nm app >symbols
strip app

# offset FUNCTION: as in the report.
offset() {
	printf 'app+0x%x' "0x$(awk -v name="$1" '$3 == name { print $1 }' symbols)"
}
mprof record --sample=500 -o app.mprof -- ./app
expect_status 0 "record"
mprof check app.mprof
expect_status 0 "check"
mprof report --json app.mprof
expect_json "functions" '[.samples[] | select(.hits > 9) | .name] | sort' \
	"$(jq -cn --args '$ARGS.positional | sort' "$(offset often)" "$(offset seldom)" "$(offset last)")"
expect_json "the one with most samples" '[.samples[] | .name][0]' "\"$(offset often)\""
expect_json "the tree" '[.sample_tree | recurse(.[].children) | .[].name | select(test("^app\\+"))] | length > 2' true
mprof report --all app.mprof
expect_line out " $(offset often | sed 's/+/\\+/') \\[app\\]\$"
mprof export --to=folded -o app.folded app.mprof
expect_line app.folded "$(offset often | sed 's/+/\\+/') "

# Offsets are those of one build.
mprof diff --json app.mprof app.mprof
expect_json "the same build" '[.samples[] | select(.name | test("^app\\+")) | .change] | unique' '["both"]'
"${compiler[@]}" -O1 -rdynamic -s -DROUNDS=100000001UL -Wl,--build-id -o app app.c || fail "compiler"
mprof record --sample=500 -o rebuilt.mprof -- ./app
mprof diff --json app.mprof rebuilt.mprof
expect_json "another build" '[.samples[] | select(.name | test("^app\\+")) | .change] | unique' '["gone","new"]'

# Without unwind tables, the file stands for all.
"${compiler[@]}" -O1 -s -DROUNDS=100000000UL -fno-asynchronous-unwind-tables -o app app.c || fail "compiler"
mprof record --sample=500 --force -o app.mprof -- ./app
mprof report --json app.mprof
expect_json "without tables" '[.samples[] | select(.hits > 9) | .name]' "[\"$work/app\"]"
