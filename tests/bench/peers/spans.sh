#!/bin/bash
# SPDX-License-Identifier: MIT
# Records the same spans with two arguments with libmprof and with other tools, and prints what a span costs with each:
# processor time of the recording thread and of all processes over the program alone, and bytes, as they are and deflated,
# also as multiples of what libmprof takes. Usage: spans.sh [ROUNDS [SPANS]]
#
# Each round runs all tools in turn; the best round counts. Times are those of 25 times as many spans, less a run without
# spans; bytes are those of the whole file, with its definitions. A tool that is not installed is left out. In the
# environment: srcdir, builddir, CC; SPANS_KEEP: a directory that gets the files.
set -eu

rounds=${1:-5}
spans=${2:-20000}
timed=$((25 * spans))
srcdir=${srcdir:-.}
builddir=${builddir:-.}
peers=$srcdir/tests/bench/peers
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-spans.XXXXXX")
CC=${CC:-cc}
export LC_ALL=C

# shellcheck source-path=SCRIPTDIR source=lttng.sh
. "$peers/lttng.sh"
trap 'lttng_stop; rm -rf "$work"' EXIT

declare -A names=([none]="program alone" [mprof]="libmprof" [lttng]="LTTng-UST, CTF"
	[perfetto]="writer in the format of Perfetto" [chrome]="writer of Chrome's JSON")

# build TOOL FLAG...
build() {
	local tool=$1

	shift
	# shellcheck disable=SC2086 # a command with arguments
	$CC -O2 -I"$peers" "$peers/spans.c" "$peers/spans_$tool.c" -o "$work/spans_$tool" "$@" 2>"$work/errors" || {
		echo "left out: ${names[$tool]}: $(head -n 1 "$work/errors")"
		return 0
	}
	found+=("$tool")
}

found=()
build none
build mprof -I"$srcdir/include" -L"$builddir/lib/.libs" -lmprof -Wl,-rpath,"$(cd "$builddir/lib/.libs" && pwd)"
if command -v lttng >/dev/null; then
	build lttng -llttng-ust -ldl
else
	echo "left out: LTTng is not installed"
fi
build perfetto
build chrome

# run TOOL COUNT: records, with what the tool needs around it
run() {
	if test "$1" != lttng; then
		"$work/spans_$1" "$work/$1.file" "$2" >"$work/printed"
		return
	fi
	lttng list >/dev/null 2>&1 || lttng_start
	rm -rf "$work/lttng.dir"
	{
		lttng create "$session" --output="$work/lttng.dir"
		lttng enable-channel -s "$session" -u --subbuf-size=8M --num-subbuf=8 spans
		lttng enable-event -s "$session" -u -c spans 'mprof_spans:*'
		lttng start "$session"
	} >"$work/lttng.messages" 2>&1
	"$work/spans_lttng" - "$2" >"$work/printed"
	{
		lttng stop "$session"
		lttng destroy "$session"
	} >>"$work/lttng.messages" 2>&1
	find "$work/lttng.dir" -type f -name 'spans_*' -print0 | sort -z | xargs -0 cat >"$work/lttng.file"
}

# keep_least FILE NUMBER
keep_least() {
	local number=$2

	test ! -e "$work/$1" || number=$(awk -v new="$2" '{ print $1 < new ? $1 : new }' "$work/$1")
	echo "$number" >"$work/$1"
}

# measure TOOL COUNT KIND
measure() {
	local before after

	before=$(lttng_daemon_seconds)
	run "$1" "$2"
	after=$(lttng_daemon_seconds)
	keep_least "$1.$3.thread" "$(awk '$1 == "thread_ns" { print $2 }' "$work/printed")"
	keep_least "$1.$3.all" "$(awk -v a="$before" -v b="$after" \
		'$1 == "process_ns" { printf "%.0f\n", $2 + (b - a) * 1e9 }' "$work/printed")"
}

for ((round = 0; round < rounds; round++)); do
	for tool in "${found[@]}"; do
		measure "$tool" 0 empty
		measure "$tool" "$timed" full
	done
done
for tool in "${found[@]}"; do
	run "$tool" "$spans"
done

echo "$spans spans with a number and a text: the best of $rounds rounds, on" \
	"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
printf '%-34s %9s %9s %9s %9s   %s\n' "for one span" thread 'all CPU' bytes deflated 'multiples of libmprof'
for tool in "${found[@]}"; do
	test "$tool" != none || continue
	printf '%s\t%s\t%s\t%s\t%s\n' "${names[$tool]}" "$(($(cat "$work/$tool.full.thread") - $(cat "$work/none.full.thread")))" \
		"$(($(cat "$work/$tool.full.all") - $(cat "$work/$tool.empty.all") - $(cat "$work/none.full.all") +
			$(cat "$work/none.empty.all")))" \
		"$(stat -c %s "$work/$tool.file")" "$(gzip -c "$work/$tool.file" | wc -c)"
done | awk -F'\t' -v spans="$spans" -v timed="$timed" '
	NR == 1 { for (i = 2; i <= NF; i++) base[i] = $i }
	{
		printf "%-34s %9.1f %9.1f %9.2f %9.2f  ", $1, $2 / timed, $3 / timed, $4 / spans, $5 / spans
		for (i = 2; i <= NF; i++)
			printf " %s", (base[i] > 0 ? sprintf("%.1f", $i / base[i]) : "-")
		print ""
	}'
if test -n "${SPANS_KEEP-}"; then
	cp "$work"/*.file "$SPANS_KEEP"
fi
