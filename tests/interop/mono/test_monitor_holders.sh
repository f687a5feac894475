#!/bin/bash
# SPDX-License-Identifier: MIT
# The threads that hold monitors for which others wait: how often each does is known.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Holders

# holders LOG: a line for each thread that was waited for, in the form that the program prints.
holders() {
	"$MPROF" report --json --top=0 "$1" |
		jq -r '.monitor_holders[] | select(.class == "Holders.Gate") | [.holder_name, .contentions] | @tsv' |
		LC_ALL=C sort
}

for options in monitor "$everything"; do
	profiled "$options,quiet,output=holders.mprof" Holders.exe | LC_ALL=C sort >expected
	check_complete holders.mprof
	holders holders.mprof >found
	cmp expected found || fail "$options:"$'\n'"$(diff expected found)"
	"$MPROF" report --json holders.mprof >report.json
	# Each wait has its holder, which is another thread than the one that waits.
	expect "$options: waits" "$(jq '.monitors[] | select(.class == "Holders.Gate").contentions' report.json)" 33
	# The sum of the times of the three holders; each is rounded to nanoseconds.
	expect "$options: time" "$(jq '([.monitor_holders[] | select(.class == "Holders.Gate").contended_ns] | add) -
		(.monitors[] | select(.class == "Holders.Gate").contended_ns) | fabs <= 3' report.json)" true
	"$MPROF" dump --json holders.mprof | jq -r 'select(.event == "monitor-holder") | .thread == .holder' >same
	expect "$options: threads that wait for themselves" "$(grep -c true same || true)" 0
done

expect "metadata" "$(jq -r .session.properties.monitor_holders report.json)" recorded
"$MPROF" report --all holders.mprof | sed -n '/^Monitors by the thread/,/^$/p' >text
expect "text" "$(grep -c '0x[0-9a-f]*  \(first\|second\|third\): Holders.Gate$' text)" 3

# Older formats have no holders, and nothing is lost for that.
profiled "monitor,format=mono,quiet,output=classic.mprof" Holders.exe >/dev/null
expect "mono: waits" "$("$MPROF" report --json classic.mprof |
	jq -c '[(.monitors[] | select(.class == "Holders.Gate").contentions), .monitor_holders]')" '[33,[]]'

# A copy keeps the holders; one in a format without them counts them.
"$MPROF" convert --dialect=mprof2 holders.mprof copy.mprof
holders copy.mprof | cmp - found
"$MPROF" convert --json --dialect=mono holders.mprof without.mprof >converted || test $? -eq 1
expect "left out" "$(jq '[.. | ."monitor-holder"? | numbers] | add >= 33' converted)" true
