# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions shared by the tests of source lines of native code, which source this file after support.sh.

test -z "${MPROF_WITHOUT_LIBDW-}" || skip "built without libdw"
needs jq gcc nm objcopy readelf

# write_app [NUMBER]: writes app.c, in which the labels in_inner, in_middle, in_work and after_work are symbols. A byte
# of code of the same line is before each. Another number makes another build.
write_app() {
	cat >app.c <<END
static inline __attribute__((always_inline)) void inner(void)
{
	__asm__ volatile("nop\n in_inner: nop"); /* LINE INNER */
}

static inline __attribute__((always_inline)) void middle(void)
{
	inner(); /* CALL INNER */
	__asm__ volatile("nop\n in_middle: nop"); /* LINE MIDDLE */
}

__attribute__((noinline)) static void work(void)
{
	middle(); /* CALL MIDDLE */
	__asm__ volatile("nop\n in_work: nop"); /* LINE WORK */
}

int main(void)
{
	work(); /* CALL WORK */
	__asm__ volatile("after_work: nop");
	return ${1-0};
}
END
}

# build_id PROGRAM
build_id() {
	readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

# offset PROGRAM LABEL: from the start of the module.
offset() {
	local start
	start=$(readelf -lW "$1" | awk '$1 == "LOAD" { print $3; exit }')
	printf '%x' $((16#$(nm "$1" | awk -v label="$2" '$3 == label { print $1 }') - start))
}

# line FILE COMMENT: the number of the line with a comment.
line() {
	grep -nF "/* $2 */" "$1" | cut -d: -f1
}

# make_code ARGUMENT...
make_code() {
	"$builddir/tests/tool/make_code" "$@" || fail "make_code $*"
}

# make_app_log PROGRAM LOG: three samples in the inlined functions, and one in each of the others.
make_app_log() {
	local caller
	caller=$(offset "$1" after_work):main
	make_code "$2" "$work/$1" "$(build_id "$1")" "3@$(offset "$1" in_inner):work,$caller" \
		"$(offset "$1" in_middle):work,$caller" "$(offset "$1" in_work):work,$caller"
}
