#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof decode prints what mprof-decoder prints, wherever that is right. Of each log in the folder that MPROF_SAMPLES
# names, NAME.mprof, there is the text of mprof-decoder, NAME.decoder.txt, and what is in it, NAME.totals.json. Lines
# that differ must be of a kind that doc/decode.md lists, and each kind must occur.
set -eu
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
needs jq awk iconv

sections=$srcdir/tests/tool/decode_sections.awk

# differ SECTION: lines of a section that only one side has, into theirs and ours; fails if there are none.
differ() {
	grep "^$1|" only_theirs | cut -d'|' -f2- >theirs || true
	grep "^$1|" only_ours | cut -d'|' -f2- >ours || true
	test -s theirs || test -s ours
}

# same WHAT EDIT...: with the same parts taken out by sed there is no difference left.
same() {
	what=$1
	shift
	sed -E "$@" theirs | LC_ALL=C sort >theirs.edited
	sed -E "$@" ours | LC_ALL=C sort >ours.edited
	cmp -s theirs.edited ours.edited || fail "$name: $what: $(diff theirs.edited ours.edited | head -n 5)"
}

# only WHAT PATTERN: all lines of both match.
only() {
	! grep -vE "$2" theirs ours >rest || fail "$name: $1: $(head -n 5 rest)"
}

# kind NAME: a kind of difference occurs.
kind() {
	echo "$1" >>kinds
}

# The parts of a log that make the first decoder go wrong.
has_stale_starts() {
	jq -e '.event_blocks_with_stale_start_counter > 0' "$totals" >null
}
has_calls() {
	jq -e '.enter | length > 0' "$totals" >null
}
# It adds the time since the machine was started where the end of a compilation names another method.
has_unpaired_compilations() {
	grep -qE '^compilations\|.*\([0-9]{6,}\.[0-9]+ms\) ' theirs.all
}
has_chains() {
	grep -qE '^samples\|    [0-9]+ calls (from|to) ' theirs.all
}

# Times of blocks that repeat a start counter: numbers and generations are the same.
compare_collections() {
	differ collections || return 0
	if ! has_stale_starts && grep -q '^collections|\[0\] Collection' theirs.all; then
		same "collections" 's/^\[[0-9]+\] (Heap resized)/\1/; s/starting at [0-9.]+s/starting/'
		kind "collections without numbers"
		return
	fi
	has_stale_starts || fail "$name: collections differ: $(head -n 3 theirs ours)"
	same "collections" 's/-?[0-9.]+(s|ms)/TIME/g; s/(NaN|-?Infinity| *-?[0-9.]+)%/PART/g'
	kind "times of continued blocks"
}

# Percents of a sum that is wrong, and methods that are.
compare_compilations() {
	differ compilations || return 0
	has_unpaired_compilations || has_stale_starts || fail "$name: compilations differ: $(head -n 3 theirs ours)"
	sed -E 's/^.*% (\(.*ms\) )/\1/' theirs | LC_ALL=C sort >theirs.edited
	sed -E 's/^.*% (\(.*ms\) )/\1/' ours | LC_ALL=C sort >ours.edited
	if ! has_stale_starts; then
		LC_ALL=C comm -23 theirs.edited ours.edited >rest
		# What is left is longer than the log, or the method of a compilation that caused one of the same.
		grep -vE '^\([0-9]{6,}\.' rest >nested || true
		test "$(wc -l <nested)" -le 2 || fail "$name: compilations: $(head -n 5 nested)"
		test ! -s nested || kind "nested compilations of a method"
	fi
	# A wrapper may take its object as an argument more.
	sed -E 's/^\([0-9.]+ms\) //; s/ \(.*//' theirs.edited | LC_ALL=C sort >theirs.names
	sed -E 's/^\([0-9.]+ms\) //; s/ \(.*//' ours.edited | LC_ALL=C sort >ours.names
	cmp -s theirs.names ours.names || fail "$name: compilations: $(diff theirs.names ours.names | head -n 5)"
	kind "ends of compilations"
}

# A compilation that ends under another method's name makes it forget all callers.
compare_calls() {
	for section in calls tree; do
		differ $section || continue
		has_calls || fail "$name: $section differ: $(head -n 3 theirs ours)"
		has_unpaired_compilations || has_stale_starts || fail "$name: $section: $(head -n 3 theirs ours)"
		only "$section" '^ *(([0-9.]+|NaN|Infinity)% \(|[0-9]+ calls from )'
		for side in theirs ours; do
			grep "^$section|" $side.all | sed -E 's/^.*(\) |calls from )//' | LC_ALL=C sort -u >$side.names
		done
		LC_ALL=C comm -23 theirs.names ours.names >rest
		test ! -s rest || fail "$name: $section: only in theirs: $(head -n 5 rest)"
		kind "callers that were forgotten"
	done
}

# The same in the paths of allocations; what was allocated, and by which method, is the same.
compare_allocations() {
	differ allocations || return 0
	has_calls || fail "$name: allocations differ: $(head -n 3 theirs ours)"
	has_unpaired_compilations || fail "$name: allocations differ: $(head -n 3 theirs ours)"
	only "allocations" '^( {8,16}[0-9]+ bytes \([0-9]+ instances\) (from .*|inside)$| {24}[^ ])'
	# Of few allocations the method is not in the log, but on the stack, or no more on it.
	test "$(cat theirs ours | grep -cE '^ {8}[0-9]+ bytes')" -le 20 || fail "$name: allocations: $(head -n 5 theirs ours)"
	kind "callers of allocations that were forgotten"
}

# Call chains: it takes the next sample's innermost frame for the outermost one, and counts that.
compare_samples() {
	differ samples || return 0
	has_chains || fail "$name: samples differ: $(head -n 3 theirs ours)"
	only "samples" '^(    [0-9]+ calls (from|to) | ?[0-9.]+% \([0-9]+\) )|^Reporting statistical hits '
	kind "call chains"
}

# Of a log with calls the paths are those of the calls: callers may have been forgotten, and numbers are others.
compare_monitors() {
	differ monitors || return 0
	has_calls || fail "$name: monitors differ: $(head -n 3 theirs ours)"
	only "monitors" 'CallStack of id|^ {24}|ticks\) contention time .* in (Global statistics|[^ ]*)$'
	kind "call stacks of waits"
}

compare_sections() {
	LC_ALL=C sort theirs.all >theirs.sorted
	LC_ALL=C sort ours.all >ours.sorted
	LC_ALL=C comm -23 theirs.sorted ours.sorted >only_theirs
	LC_ALL=C comm -13 theirs.sorted ours.sorted >only_ours
	compare_collections
	compare_compilations
	compare_calls
	compare_allocations
	compare_samples
	compare_monitors
	for section in summaries heap; do
		! differ $section || fail "$name: $section differ: $(head -n 3 theirs ours)"
	done
	identical=$((identical + $(LC_ALL=C comm -12 theirs.sorted ours.sorted | wc -l)))
	lines=$((lines + $(wc -l <theirs.sorted)))
}

# same_totals WHAT FILTER: lines of NAME<tab>NUMBER in the file found are what the filter makes of the totals. These are
# of whole blocks: of a log that is cut there may be more.
same_totals() {
	jq -r "$2 | to_entries[] | select(.value > 0) | [.key, .value] | @tsv" "$totals" | LC_ALL=C sort >wanted
	if ! jq -e '.ended' "$totals" >null; then
		LC_ALL=C awk -F'\t' 'NR == FNR { wanted[$1] = $2; next } $2 > wanted[$1] { $2 = wanted[$1] }
			$2 > 0 { print $1 "\t" $2 }' wanted found >found.cut
		mv found.cut found
	fi
	LC_ALL=C sort found >found.sorted
	cmp -s wanted found.sorted || fail "$name: $1: $(diff wanted found.sorted | head -n 5)"
	counted=$((counted + $(wc -l <wanted)))
}

# sum_by_name: sums of lines of NUMBER<tab>NAME.
sum_by_name() {
	LC_ALL=C awk -F'\t' '{ sum[$2] += $1 } END { for (name in sum) if (sum[name] > 0) printf "%s\t%d\n", name, sum[name] }'
}

# Whatever mprof-decoder says: bytes by class, calls by method. Wrappers have the names of what they wrap.
compare_totals() {
	sed -nE 's/^allocations\| ?[0-9.]+% \(([0-9]+) bytes\) (.*)$/\1\t\2/p' ours.all | sum_by_name >found
	same_totals "bytes by class" '.alloc_bytes // {}'
	sed -nE 's/^tree\| *[^ ]+% \([^ ]+, ([0-9]+) calls\) (.*)$/\1\t\2/p' ours.all | sum_by_name >found
	same_totals "calls by method" '.enter // {} | to_entries | map(.key |= sub(" \\[wrapper\\]$"; "")) |
		group_by(.key) | map({key: .[0].key, value: (map(.value) | add)}) | from_entries'
}

compare_log() {
	mprof decode "$log"
	if jq -e '.ended' "$totals" >null; then
		expect_status 0 "$name"
		test ! -s err || fail "$name: $(cat err)"
	elif test "$(stat -c %s "$log")" -lt 16; then
		expect_status 3 "$name"
		return
	else
		expect_status 1 "$name"
		expect_line err "^mprof: .*: offset [0-9]+: "
	fi
	LC_ALL=C awk -f "$sections" out >ours.all
	compare_totals
	if grep -qE '^(Unhandled Exception|Stopping decoding)|FATAL UNHANDLED' "$theirs_text"; then
		# It gave up and printed no section.
		! grep -q '^Reporting ' "$theirs_text" || fail "$name: mprof-decoder printed sections"
		kind "logs that were given up"
		return
	fi
	# Names are UTF-8; it takes each byte for a character.
	iconv -f UTF-8 -t ISO-8859-1 "$theirs_text" >theirs.text || fail "$name: not in Latin-1"
	cmp -s "$theirs_text" theirs.text || kind "names that are not ASCII"
	LC_ALL=C awk -f "$sections" theirs.text >theirs.all
	compare_sections
}

: >kinds
logs=0
lines=0
identical=0
counted=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	test -e "$log" || skip "no logs in $MPROF_SAMPLES"
	name=$(basename "$log" .mprof)
	totals=$MPROF_SAMPLES/$name.totals.json
	theirs_text=$MPROF_SAMPLES/$name.decoder.txt
	test -e "$totals" && test -e "$theirs_text" || continue
	compare_log
	logs=$((logs + 1))
done
test "$logs" -gt 0 || skip "no texts of mprof-decoder in $MPROF_SAMPLES"
sort kinds | uniq -c >found
cat found
expect "kinds of differences" "$(wc -l <found)" 10
echo "$logs logs, $identical of $lines lines identical, $counted totals"
# Of the 64 logs that this was made with.
test "$logs" -lt 64 || test "$identical" -ge 45000 || fail "only $identical lines are identical"
test "$logs" -lt 64 || test "$counted" -ge 10000 || fail "only $counted totals were compared"
