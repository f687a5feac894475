# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034,SC2154
# Tools that record calls of the C program without a daemon: libmprof, a writer in the format of spall, uftrace. Read by
# peers.sh.

# The tool without the wrapper script of libtool
mprof=$builddir/examples/mprof/.libs/mprof
test -x "$mprof" || mprof=$builddir/examples/mprof/mprof

run_mprof() {
	LD_LIBRARY_PATH="$builddir/lib/.libs" "$mprof" "$@"
}

native_build() {
	local flags=(-O1 -g "$peers/calls.c")

	$CC "${flags[@]}" -o "$work/calls"
	$CC "${flags[@]}" -finstrument-functions -o "$work/calls_hooks"
	$CC -O2 -c "$peers/spall.c" -o "$work/spall.o"
	$CC "${flags[@]}" -finstrument-functions -rdynamic "$work/spall.o" -ldl -o "$work/calls_spall"
	$CC -O2 "$peers/spall_count.c" -o "$work/spall_count"
	$CC "${flags[@]}" -pg -o "$work/calls_pg"
}

expected_events() {
	sed -n 's/^events //p' "$work/bare.printed"
}

# print_count RECORDED: and what is missing
print_count() {
	echo "$1 $(($(expected_events) - $1))"
}

bare_base() { echo bare; }
bare_find() { echo "C program alone"; }
bare_record() { "$work/calls" "$program_rounds"; }
bare_bytes() { echo 0; }
bare_count() { echo "$(expected_events) 0"; }

libmprof_base() { echo bare; }
libmprof_find() { echo "lib$(run_mprof --version | head -1), mprof report"; }
libmprof_record() { run_mprof record --calls -o "$work/libmprof.log" -- "$work/calls_hooks" "$program_rounds"; }
libmprof_bytes() { stat -c %s "$work/libmprof.log"; }
libmprof_count() {
	print_count "$(run_mprof info --json "$work/libmprof.log" | sed -n 's/^ *"method-\(enter\|leave\|leave-implicit\)": \([0-9]*\),*$/\2/p' |
		awk '{ sum += $1 } END { print sum }')"
}
libmprof_read() { run_mprof report "$work/libmprof.log"; }

spall_base() { echo bare; }
spall_find() { echo "writer in the format of spall"; }
spall_record() { SPALL_OUTPUT=$work/spall.log "$work/calls_spall" "$program_rounds"; }
spall_bytes() { stat -c %s "$work/spall.log"; }
spall_count() { print_count "$("$work/spall_count" "$work/spall.log")"; }

uftrace_base() { echo bare; }
uftrace_find() {
	command -v uftrace >/dev/null || { echo "uftrace is not installed"; return 1; }
	uftrace --version | awk '{ print $1, $2 }'
}
uftrace_record() { uftrace record --no-event -d "$work/uftrace.log" "$work/calls_pg" "$program_rounds"; }
uftrace_bytes() { cat "$work"/uftrace.log/*.dat | wc -c; }
uftrace_count() {
	print_count "$(uftrace report --no-pager -d "$work/uftrace.log" -f call 2>/dev/null |
		awk '/walk_to/ { sum += 2 * $1 } END { print sum }')"
}
uftrace_read() { uftrace report --no-pager -d "$work/uftrace.log"; }
