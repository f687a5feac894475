#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof import of perf script: figures of texts in the forms of perf script, lines that are not in one, and samples of perf itself.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq


# import STATUS FILE [OPTION]: converts FILE.txt to FILE.mprof, which must be sound, and reports it.
import() {
	status=0
	"$MPROF" import --from=perf-script "${@:3}" -o "$2.mprof" "$2.txt" 2>messages || status=$?
	! grep -qE 'Sanitizer|runtime error: ' messages || fail "$2: $(cat messages)"
	expect "status of $2" "$status" "$1"
	test "$status" != 3 || return 0
	mprof check "$2.mprof"
	expect_status 0 "check of $2"
	mprof report --json "$2.mprof"
	expect_status 0 "report of $2"
}

functions='[.samples | sort_by(.name, .hits)[] | [.name, .hits, .total_hits]]'
threads='[.threads[] | [.id, .name, .samples]]'

# Names of threads and functions with all that separates fields, two events, source lines, inlined and unknown functions,
# files that were deleted, other records, losses; two processors, whose samples are not in order.
cat >names.txt <<'END'
# ========
# captured on    : Sat Nov 28 12:02:01 2026
# cmdline : /usr/bin/perf record -g ./server
# ========
#
server 1: a/b 2.5: x  100/101 [000]  5000.000002000:    1000000 cpu-clock:u: 
	            1010 work(int, char (*)(long))+0x10 (/opt/my server/bin (new))
  server.cc:12
	            2020 std::operator< <char>+0x20 (/opt/my server/bin (new))
  server.cc:40
	            3004 main+0x4 (/opt/my server/bin (new))

server 1: a/b 2.5: x  100/101 [001]  5000.000001000:    1000000 cpu-clock:u: 
	            1010 fast (inlined)
	            1010 work(int, char (*)(long))+0x10 (/opt/my server/bin (new))
	            2020 std::operator< <char>+0x20 (/opt/my server/bin (new))
	            3004 main+0x4 (/opt/my server/bin (new))

server 1: a/b 2.5: x  100/101 5000.000001500: PERF_RECORD_MMAP2 100/101: [0x55c18b5cc000(0x1000) @ 0x1000 fe:00 1 2]: r-xp /opt/x
[4] 7  100/102  5000.000003000:    1000000 cpu-clock:u: 
	ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])
	    7fdb654f2ad7 [unknown] ([unknown])
	             ad7 [unknown] (/tmp/perf-100.map (deleted))

[4] 7  100/102  5000.000003500:          1 page-faults: 
	ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])

server 1: a/b 2.5: x  100/101 [001]  5000.000004000:    1000000 cpu-clock:u: 
	    7fdb0000 1010 (/x)
	    7fdb00001010 work(int, char (*)(long))+0x10 (/opt/my server/bin (new))

swapper     0/0 [000]  5000.000005000: PERF_RECORD_LOST lost 7
LOST 5 events!
swapper     0/0     [000]  5000.000006000:    1000000 cpu-clock:u: 
	ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])

END
import 0 names --event=cpu-clock:u
expect_line messages "^mprof: names.txt: 5 samples of 'cpu-clock:u' converted$"
expect_line messages "not converted: 1 samples of 'page-faults' \\(--event\\)"
expect_line messages 'not converted: 1 other records$'
expect_json names '[.lines[] | [.name, .file, .line, .samples, .samples_total]] | sort' "$(jq -nc '[
	["fast",null,null,1,1],["std::operator< <char>","server.cc",40,0,1],
	["work(int, char (*)(long))","server.cc",12,1,1]]')"
expect_line messages 'perf lost 12 events$'
expect_json names "$functions" "$(jq -nc '[["/tmp/perf-100.map (deleted)",0,1],["0x7fdb654f2ad7",0,1],["1010",1,1],
	["elf_load",2,2],["fast",1,1],["main",0,2],["std::operator< <char>",0,2],["work(int, char (*)(long))",1,3]]')"
expect_json names "$threads" '[["0x65","server 1: a/b 2.5: x",3],["0x66","[4] 7",1],["0x100000000","swapper",1]]'
expect_json names '[.totals | .samples, .lost_events, .wall_ns]' '[5,12,5000]'
expect_json names '[.samples[] | select(.name == "fast") | .module]' '["/opt/my server/bin (new)"]'
expect_json names '.session.properties | [.perf_event, .perf_period, .sample_period_ns, .recorder]' \
	'["cpu-clock:u","1000000","1000000","mprof import"]'
# Without --event, each event is a kind of samples, whose weights are its periods.
import 0 names
expect_line messages "^mprof: names.txt: 1 samples of 'page-faults' converted$"
expect_json names '[.totals.samples, (.sample_kinds | sort_by(.name)[] | [.name, .unit, .samples, .weight, .period])]' \
	'[0,["cpu-clock:u","ns",5,5000000,1000000],["page-faults","count",1,1,1]]'
expect_json names '[.sample_groups | sort_by(.name, .thread, .cpu)[] | [.name, .thread, .cpu, .samples]]' \
	"$(jq -nc '[["cpu-clock:u","0x100000000",0,1],["cpu-clock:u","0x65",0,1],["cpu-clock:u","0x65",1,2],
	["cpu-clock:u","0x66",null,1],["page-faults","0x66",null,1]]')"
expect_json names '.session.properties | [.perf_event, .sample_period_ns]' '[null,null]'
mprof export --to=folded --value=samples:page-faults -o - names.mprof
expect "page faults" "$(cat out)" "elf_load 1"
import 0 names --event=page-faults
expect_json names "$functions" '[["elf_load",1,1]]'
import 3 names --event=cycles
expect_line messages 'no samples'

# The same with the ends of lines of Windows.
sed 's/$/\r/' names.txt >windows.txt
import 0 windows --event=cpu-clock:u
expect_json windows '[.totals | .samples, .lost_events]' '[5,12]'
expect_json windows "$threads" '[["0x65","server 1: a/b 2.5: x",3],["0x66","[4] 7",1],["0x100000000","swapper",1]]'

# Without call stacks, with periods that differ, without events, and text of a tracepoint: the callers are not known.
cat >single.txt <<'END'
               w 25615 37466.275688:     250000 cycles:      55c3447a6169 inner+0x10 (/tmp/w)
             cc1 25616 37466.275940:     250001 cycles:  ffffffff815a2841 next_uptodate_folio+0xc1 ([kernel.kallsyms])
             cc1 25616 37466.275950:     250001 cycles:  55c3447a6169 [unknown] ([unknown])
END
import 0 single
expect_line messages 'periods differ'
expect_json single "$functions" '[["0x55c3447a6169",1,1],["[truncated]",0,3],["inner",1,1],["next_uptodate_folio",1,1]]'
expect_json single "$threads" '[["0x640f","w",1],["0x6410","cc1",2]]'
printf '%s\n' 'w 5 1.5:  7f7388a4ac2a init' 'w 5 1.6:  1173 inner' 'w 5 1.7: ' >single.txt
import 0 single
expect_json single "$functions" '[["[truncated]",1,3],["init",1,1],["inner",1,1]]'
printf '%s\n' 'w 5 [000] 1.5: sched:sched_switch: prev_comm=w prev_pid=5 ==> next_comm=x 6 2.0' \
	'	ffffffff82265c84 __schedule+0x3e4 ([kernel.kallsyms])' '' >single.txt
import 0 single
expect_json single "$functions" '[["__schedule",1,1]]'

# Addresses of older versions of perf, in two processes: one function. Two functions of a name in a file are two.
cat >addresses.txt <<'END'
a 5 1.5: cycles: 
	    7f1200001173 inner+0x13 (/tmp/w)

b 6 1.5: cycles: 
	    55c344701175 inner+0x15 (/tmp/w)

b 6 1.6: cycles: 
	    55c344702175 inner+0x5 (/tmp/w)

END
import 0 addresses
expect_json addresses "$functions" '[["inner",1,1],["inner",2,2]]'

# Lines that are not in a form: a sample with one is left out.
cat >malformed.txt <<'END'
w 5 1.5: cycles: 
	            1173 inner+0x13 (/tmp/w)

w 5 1.6: cycles: 
	            1173 inner+0x13 (/tmp/w)
	         zz12xx4 outer+0x13 (/tmp/w)
	            1173 main+0x13 (/tmp/w)

w 5 1,7: cycles: 
	            1173 other+0x13 (/tmp/w)

	            1173 lone+0x13 (/tmp/w)
w x 1.7: cycles: 
w 5 99999999999.7: cycles: 
w 5 1.7: cycles: 
	            1173 inner+0x2000 (/tmp/w)

w 5 1.7: cycles: 
	11111111111111173 inner (/tmp/w)

w 5 1.8: PERF_RECORD_LOST lost many
w 5 1.9: cycles: 
	            1173 inner+0x13 (/tmp/w)

END
import 1 malformed
expect_json malformed "$functions" '[["inner",2,2]]'
expect_line messages '^mprof: malformed.txt: 8 malformed lines left out, the first is line 6$'
{
	cat names.txt
	printf 'w 5 6000.9: cpu-clock:u: \n\t            1173 a\0b (/tmp/w)\n\n'
	printf 'w 5 6000.9: cpu-clock:u: \n\t            1173 %070000d (/tmp/w)\n\n' 0
	printf 'w 5 6000.9: cpu-clock:u: \n\t            1173 last+0x1 (/tmp/w)\n\t            1173 cut+0x1 (/tmp'
} >malformed.txt
import 1 malformed --event=cpu-clock:u
expect_json malformed '.totals.samples' 5
expect_line messages '3 malformed lines left out'
# A text that ends within a call stack: its outer frames are not known.
head -n 8 names.txt >malformed.txt
import 1 malformed
expect_json malformed "$functions" '[["[truncated]",0,1],["work(int, char (*)(long))",1,1]]'

# Cut and changed texts never end the program, nor make a log that is damaged.
for seed in $(seq "${IMPORT_CASES:-120}"); do
	if test $((seed % 3)) = 0; then
		head -c $((seed * 13)) names.txt >damaged.txt
	else
		cp names.txt damaged.txt
		for i in 1 2 3; do
			change_byte damaged.txt $((seed * 7919 * i % $(stat -c %s names.txt)))
		done
	fi
	status=0
	"$MPROF" import --from=perf-script -o damaged.mprof damaged.txt 2>messages || status=$?
	test "$status" = 0 || test "$status" = 1 || test "$status" = 3 || fail "case $seed: status $status; $(cat messages)"
	! grep -qE 'Sanitizer|runtime error: ' messages || fail "case $seed: $(cat messages)"
	test "$status" = 3 || "$MPROF" check damaged.mprof >/dev/null 2>&1 || fail "case $seed: the log is damaged"
done

# Usage, and files that are not such a text.
for arguments in "" "--unknown names.txt" "--event=x --from=mlpd names.txt" "--from=perf names.txt" "names.txt more.txt"; do
	# shellcheck disable=SC2086
	mprof import $arguments
	expect "status of '$arguments'" $status 2
	test -s err || fail "no message for '$arguments'"
done
for arguments in "/dev/null" "names.mprof" "missing.txt" "-o missing/x.mprof names.txt" "-o names.txt names.txt" "."; do
	# shellcheck disable=SC2086
	mprof import $arguments
	expect "status of '$arguments'" $status 3
	test -s err || fail "no message for '$arguments'"
done
"$MPROF" import -o x.mprof - <names.txt 2>messages || fail "standard input: $(cat messages)"
"$MPROF" import - <names.txt 2>messages || fail "standard input without a name: $(cat messages)"
cmp x.mprof import.mprof >differences || test "$(stat -c %s x.mprof)" = "$(stat -c %s import.mprof)" ||
	fail "another log without a name: $(cat differences)"
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip -c names.txt >names.txt.gz
	mprof import --event=cpu-clock:u names.txt.gz
	expect_status 0 "a compressed text"
	mprof report --json names.mprof
	expect_json "a compressed text" .totals.samples 5
fi

# perf itself, if it may be used: the numbers of samples of functions are those of its own report.
perf record -F 500 -e cpu-clock -g -o perf.data -- bash -c 'for ((i = 0; i < 200000; i++)); do :; done' >/dev/null 2>&1 &&
	perf script -i perf.data >perf.txt 2>/dev/null || skip "perf cannot be used: the rest was tested"
import 0 perf
perf report -i perf.data --no-children --stdio -g none -s dso,sym -F sample,sym,dso -t ';' 2>/dev/null |
	awk -F ';' '/^ *[0-9]/ { gsub(/ +$/, "", $3); sub(/^\[.\] /, "", $2); gsub(/ +$/, "", $2); print $1 + 0, $2 }' |
	grep -v ' 0x' | sort >wanted
jq -r '.samples[] | select(.hits > 0 and (.name | test("^(0x|/)") | not)) | "\(.hits) \(.name)"' out | sort >found
test -s wanted || fail "perf report has no functions"
diff wanted found || fail "functions of perf report"

# Several events of perf: the sums of periods are those of its text.
perf record -e cpu-clock,page-faults,context-switches -g -o perf.data -- \
	bash -c 'for ((i = 0; i < 100000; i++)); do :; done; sleep 0.01' >/dev/null 2>&1 &&
	perf script -i perf.data >several.txt 2>/dev/null || skip "perf has not these events: the rest was tested"
import 0 several
jq -r '.sample_kinds[] | "\(.name) \(.samples)"' out | sort >found
sed -n 's/^[^\t ].* \([a-z-]*\(:[a-zA-Z]*\)*\): *$/\1/p' several.txt | sort | uniq -c | awk '{ print $2, $1 }' | sort >wanted
test -s wanted || fail "perf script has no events"
diff wanted found || fail "events of perf script"
