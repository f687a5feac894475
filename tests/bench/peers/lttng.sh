# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154
# LTTng-UST with the library that it has for -finstrument-functions, read by Babeltrace 2. Read by peers.sh.

session=mprof-peers-$$

lttng_base() { echo bare; }
lttng_find() {
	local program

	for program in lttng lttng-sessiond babeltrace2; do
		command -v "$program" >/dev/null || { echo "LTTng: $program is not installed"; return 1; }
	done
	find /usr/lib /usr/local/lib -name 'liblttng-ust-cyg-profile-fast.so*' | grep -q . ||
		{ echo "LTTng: liblttng-ust-cyg-profile-fast.so is not installed"; return 1; }
	echo "LTTng-UST $(lttng --version | awk '{ print $5 }'), Babeltrace $(babeltrace2 --version | awk 'NR == 1 { print $2 }')"
}

# The process of the user's session, if there is one, is used. Otherwise one is started and ended with this script.
lttng_start() {
	export LTTNG_HOME=$work/lttng

	mkdir -p "$LTTNG_HOME"
	lttng list >/dev/null 2>&1 ||
		lttng-sessiond --daemonize --no-kernel --pidfile="$work/sessiond.pid" >/dev/null 2>&1
}

lttng_stop() {
	test ! -e "$work/sessiond.pid" || kill "$(cat "$work/sessiond.pid")"
}

# The program creates no buffers before it runs, and the trace is complete when the session has ended.
lttng_record() {
	lttng list >/dev/null 2>&1 || lttng_start
	{
		lttng create "$session" --output="$work/lttng.log"
		lttng enable-channel -s "$session" -u --subbuf-size=8M --num-subbuf=8 calls
		lttng enable-event -s "$session" -u -c calls 'lttng_ust_cyg_profile_fast:*'
		lttng start "$session"
	} >&2
	LD_PRELOAD=liblttng-ust-cyg-profile-fast.so "$work/calls_hooks" "$program_rounds"
	{
		lttng stop "$session"
		lttng destroy "$session"
	} >&2
}

lttng_bytes() { find "$work/lttng.log" -type f -name 'calls_*' -print0 | xargs -0 cat | wc -c; }
lttng_count() {
	print_count "$(babeltrace2 "$work/lttng.log" --component sink.utils.counter --params=step=+0 2>/dev/null |
		awk '/ Event messages/ { print $1 }')"
}
lttng_read() { babeltrace2 "$work/lttng.log" --component sink.utils.dummy; }

# Processor time of the daemons so far
lttng_daemon_seconds() {
	local process tasks=()

	for process in $(pgrep -x lttng-sessiond; pgrep -x lttng-consumerd); do
		tasks+=("/proc/$process"/task/*/schedstat)
	done
	test ${#tasks[@]} -gt 0 || { echo 0; return; }
	awk '{ sum += $1 } END { printf "%.6f\n", sum / 1e9 }' "${tasks[@]}"
}
