#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares samples with those of perf, which samples the same threads in the same run: the shares of managed code and of
# native functions. A busy machine slows both samplers down alike. perf also samples the handler in which the runtime
# walks the stack, which it shows as native code: some two percent, less than the limit.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

points=3 # The greatest difference of a share, in percent of all samples.
command -v perf >/dev/null || skip "perf is not installed"
perf record -q -e task-clock -o probe.data true >/dev/null 2>&1 || skip "perf is not allowed"

compile Spinning
perf record -q -e task-clock -F 997 -g -o perf.data -- \
	mono --profile=mprof:sample=1000,perf-map,quiet,output=samples.mprof Spinning.exe 1500 >/dev/null 2>messages ||
	fail "status $?: $(cat messages)"
check_complete samples.mprof
"$MPROF" report --json samples.mprof >report.json
jq -r '.threads[] | select(.name == ("managed", "library", "native")) | .id' report.json >threads
expect "threads" "$(wc -l <threads)" 3

# Ours: the innermost frame is managed or native.
while read -r thread; do
	"$MPROF" report --json --top=0 --thread="$thread" samples.mprof |
		jq -r '.samples[] | select(.hits > 0) | "\(if .kind == "managed" then "managed" else "native" end)\t\(.hits)"'
done <threads | awk -F '\t' '{ count[$1] += $2; all += $2 }
	END {
		print "managed", 100 * count["managed"] / all
		print "native", 100 * count["native"] / all
		print "all", all
	}' >ours

# Those of perf: the first frame outside the kernel. Its code is managed if the runtime compiled it, now or before. Code
# of the profiler does not count, nor does reading clocks, which only the profiler does often.
while read -r thread; do
	printf '%d\n' "$thread"
done <threads >numbers
perf script -i perf.data -F tid,ip,sym,dso 2>/dev/null | awk -v threads="$(tr '\n' ' ' <numbers)" '
	BEGIN { split(threads, list, " "); for (i in list) wanted[list[i]] = 1 }
	NF == 1 { is_open = $1 in wanted; next }
	is_open && NF > 1 && $1 !~ /^ffff/ {
		is_open = 0
		if ($NF ~ /mprof|vdso/)
			next
		count[$NF ~ /\.map\)$|\.(dll|exe)\.so\)$/ ? "managed" : "native"]++
		all++
	}
	END {
		print "managed", 100 * count["managed"] / all
		print "native", 100 * count["native"] / all
		print "all", all
	}' >theirs

# The map is where perf expects it; its name is that of the process, whose number is that of the first thread.
rm -f "/tmp/perf-$(printf '%d' "$(jq -r '.threads[] | select(.name == "Main").id' report.json)").map"

paste -d ' ' ours theirs | awk -v points=$points '
	$1 == "all" { if ($2 < 100 || $4 < 100) exit 1; next }
	{ difference = $2 - $4; if (difference < -points || difference > points) exit 1 }' ||
	fail "the shares differ: $(paste -d ' ' ours theirs | tr '\n' ';')"
echo "shares in percent, ours and of perf: $(paste -d ' ' ours theirs | tr '\n' ';')"
