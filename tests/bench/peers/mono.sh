# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# The C# compiler with all calls and allocations: the module of libmprof and the profiler log of Mono, compared with a
# profiler that does nothing. Read by peers.sh.

compiler=/usr/lib/mono/4.5/mcs.exe
modules=$builddir/examples/mono/.libs

mono_build() {
	# shellcheck disable=SC2046
	$CC -O2 -fPIC -shared $(pkg-config --cflags mono-2) -o "$work/libmono-profiler-empty.so" \
		"$srcdir/tests/bench/mono/empty.c"
	# A short run needs little source.
	bash "$srcdir/tests/bench/mono/source.sh" "$(awk -v millions="$millions" 'BEGIN { print millions < 1 ? 10 : 250 }')" \
		>"$work/source.cs"
}

# compile PROFILER
compile() {
	LD_LIBRARY_PATH="$work:$modules:$builddir/lib/.libs" mono --profile="$1" "$compiler" -nologo \
		-r:System.Core.dll -out:"$work/out.exe" "$work/source.cs"
}

mono_bare_base() { echo mono_bare; }
mono_bare_find() {
	command -v mono >/dev/null && test -e "$compiler" && pkg-config --exists mono-2 2>/dev/null ||
		{ echo "Mono: the runtime, its C# compiler or libmono-2.0-dev is not installed"; return 1; }
	touch "$work/has_mono"
	echo "profiler that does nothing"
}
mono_bare_record() { compile empty; }
mono_bare_bytes() { echo 0; }
mono_bare_count() { echo "0 0"; }

mono_libmprof_base() { echo mono_bare; }
mono_libmprof_find() {
	test -e "$work/has_mono" && test -e "$modules/libmono-profiler-mprof.so" ||
		{ echo "module for Mono: not built, or no Mono"; return 1; }
	echo "libmprof, mprof report, Mono $(mono --version | awk 'NR == 1 { print $5 }')"
}
mono_libmprof_record() { compile "mprof:calls,alloc,quiet,output=$work/mono_libmprof.log"; }
mono_libmprof_bytes() { stat -c %s "$work/mono_libmprof.log"; }
mono_libmprof_count() {
	run_mprof info --json "$work/mono_libmprof.log" | awk -F '[:,]' '
		/"event_count"/ { events = $2 + 0 }
		/"lost_events"/ { lost = $2 + 0 }
		END { print events, lost }'
}
mono_libmprof_read() { run_mprof report "$work/mono_libmprof.log"; }

mono_log_base() { echo mono_bare; }
mono_log_find() {
	test -e "$work/has_mono" && test -e /usr/lib/libmono-profiler-log.so && command -v mprof-report >/dev/null ||
		{ echo "Mono's profiler log: libmono-profiler or mono-utils is not installed, or no Mono"; return 1; }
	echo "Mono's profiler log, mprof-report"
}
mono_log_record() { compile "log:nodefaults,calls,alloc,maxframes=0,output=$work/mono_log.log"; }
mono_log_bytes() { stat -c %s "$work/mono_log.log"; }
# The tool does not print how many events were lost.
mono_log_count() {
	mprof-report "$work/mono_log.log" | awk '
		/^Total calls:/ { calls = $3 }
		/^Total memory allocated:/ { allocations = $7 }
		END { print 2 * calls + allocations, "unknown" }'
}
mono_log_read() { mprof-report "$work/mono_log.log"; }
