#!/bin/bash
# SPDX-License-Identifier: MIT
# What is built has the hardening that configure chose, and all of it where gcc builds for x86-64. The functions that
# record an event do not pay for it.
set -eu

skip() {
	echo "SKIP: $1"
	exit 77
}

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

test -z "${MPROF_SANITIZED-}" || skip "sanitizers take the place of hardening"
[[ $HARDENING == *-* ]] || skip "configured with --disable-hardening, or for a system without these flags"
for tool in readelf objdump; do
	command -v $tool >/dev/null || skip "$tool is missing: install binutils"
done

# has FLAG: whether the tree is built with it. The checks of fortification depend on CFLAGS.
has() {
	[[ " $HARDENING " == *" $1 "* ]]
}

macros=$($CC -dM -E - </dev/null)
if [[ $macros == *"__x86_64__ 1"* && $macros == *"__linux__ 1"* ]]; then
	for flag in -fstack-protector-strong -fstack-clash-protection -fcf-protection -Wl,-z,relro -Wl,-z,now \
		-Wl,-z,noexecstack; do
		has $flag || fail "configure left out $flag"
	done
fi

files=()
for file in "$builddir"/examples/mprof/{,.libs/}mprof "$builddir"/lib/.libs/libmprof.so \
	"$builddir"/examples/{mono,native}/.libs/*.so; do
	# Where libtool put a script the program is in .libs.
	if test -e "$file" && readelf -h "$file" >/dev/null 2>&1; then
		files+=("$file")
	fi
done
test ${#files[@]} -gt 0 || fail "nothing was built"

for file in "${files[@]}"; do
	name=${file##*/}
	headers=$(readelf -lW "$file")
	dynamic=$(readelf -dW "$file")
	symbols=$(readelf --dyn-syms -W "$file")
	! has -Wl,-z,relro || [[ $headers == *GNU_RELRO* ]] || fail "$name has no part that becomes read-only"
	! has -Wl,-z,now || [[ $dynamic == *BIND_NOW* || $dynamic == *"Flags: NOW"* ]] || fail "$name is bound lazily"
	! has -Wl,-z,noexecstack || grep -Eq 'GNU_STACK.* RW +0x' <<<"$headers" || fail "$name has a stack that can be executed"
	# Small modules have no function that it would protect.
	if [[ $name == mprof || $name == libmprof.so ]]; then
		! has -fstack-protector-strong || [[ $symbols == *__stack_chk_fail* ]] || fail "$name does not protect its stack"
		! has -D_FORTIFY_SOURCE=2 || [[ $symbols == *_chk@* ]] || fail "$name is not fortified"
	fi
done

# They have neither arrays nor variables whose address is taken, so that there is nothing to protect. One that got them
# would pay for each event.
library=$builddir/lib/.libs/libmprof.so
if test -e "$library"; then
	for function in mprof_thread_enter_method mprof_thread_leave_method \
		mprof_thread_record_allocation mprof_thread_record_event; do
		readelf --dyn-syms -W "$library" | grep -q " $function\(@\|$\)" || continue
		code=$(objdump -d --no-show-raw-insn --disassemble=$function "$library")
		[[ $code == *ret* ]] || fail "$function has no code"
		[[ $code != *__stack_chk_fail* ]] || fail "$function has a stack protector"
	done
fi
test $status = 0 && echo "PASS: ${#files[@]} files"
exit $status
