#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report --sort" sorts each table by each of its keys, and refuses others.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs full
make_tree branches branches.mprof 8
make_tree places places.mprof 50

# The keys of all tables, from the message: lines "SECTION KEY".
mprof report --all --sort=none full.mprof
expect_status 2 "a key that does not exist"
sed -n 's/^  \([a-z-]*\): /\1 /p' err | tr -d , | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' >keys
test "$(wc -l <keys)" -ge 30 || fail "the keys: $(cat keys)"
for wrong in "" "self," methods:bytes locks:none none:self ",self"; do
	mprof report --all --sort="$wrong" full.mprof
	expect_status 2 "--sort=$wrong"
done

# JSON fields of the keys, by section.
cat >fields <<'END'
methods self .methods[].self_ns
methods total .methods[].total_ns
methods calls .methods[].calls
methods samples .methods[].samples
methods compiling .methods[].jit_ns
samples self .samples[].hits
samples total .samples[].total_hits
allocations bytes .classes[].bytes
allocations objects .classes[].allocations
allocations freed .classes[].freed
allocations freed-bytes .classes[].freed_bytes
allocation-sites bytes .allocation_stacks[].bytes
allocation-sites objects .allocation_stacks[].allocations
heap bytes (.heap_shots[0].classes // [])[].bytes
heap objects (.heap_shots[0].classes // [])[].objects
handles alive .handles[].alive
handles created .handles[].created
handles deleted .handles[].deleted
spans time .spans[].total_ns
spans times .spans[].count
spans max .spans[].max_ns
spans p99 .spans[].p99_ns
lines self .lines[].samples
lines total .lines[].samples_total
lines objects .lines[].allocations
lines bytes .lines[].bytes
locks time .monitors[].contended_ns
locks times .monitors[].contentions
locks failures .monitors[].failures
finalizers time .finalizers[].total_ns
finalizers times .finalizers[].count
exceptions times .exceptions[].count
code bytes .code_methods[].bytes
code times .code_methods[].count
code compiling .code_methods[].compile_ns
code-ranges address .code_ranges[].address
code-ranges size .code_ranges[].size
messages count .messages[].count
messages severity .messages[].severity
waits time .waits[].total_ns
waits times .waits[].count
waits longest .waits[].max_ns
thread-states time .thread_states[].total_ns
thread-states times .thread_states[].count
threads events .threads[].events
threads self .threads[].self_ns
threads running .threads[].cpu_ns
threads ready .threads[].ready_ns
threads samples .threads[].samples
threads lost .threads[].lost_events
timelines events .timelines[].events
types count .types[].allocations
types total .types[].bytes
types average .types[].average_bytes
types age .types[].average_age
backtraces count .backtraces[] | select(.native | not) | .allocations
backtraces total .backtraces[] | select(.native | not) | .bytes
backtraces average .backtraces[] | select(.native | not) | .average_bytes
backtraces age .backtraces[] | select(.native | not) | .average_age
temporaries count .temporaries[] | select(.native | not) | .allocations
temporaries total .temporaries[] | select(.native | not) | .bytes
temporaries average .temporaries[] | select(.native | not) | .average_bytes
temporaries age .temporaries[] | select(.native | not) | .average_age
alive count .alive[] | select(.native | not) | .allocations
alive total .alive[] | select(.native | not) | .bytes
alive average .alive[] | select(.native | not) | .average_bytes
alive age .alive[] | select(.native | not) | .average_age
types backtraces .types[].backtraces
END
expect "keys without a field" "$(cut -d' ' -f1,2 fields | LC_ALL=C sort | LC_ALL=C comm -13 - <(LC_ALL=C sort keys))" ""

# filter_of LAST: the rows of the keys in the file "round", sorted again if LAST is given.
filter_of() {
	awk -v last="${1:+ | sort_by(. // 0) | reverse}" '{
		key = $1 ":" $2
		sub(/^[^ ]+ [^ ]+ /, "")
		printf "%s\"%s\": ([%s]%s)", (NR > 1 ? ", " : "{"), key, $0, last
	} END { print "}" }' round
}

# Each run chooses one key of each section, so that there are as many runs as one section has keys.
options=(--ages)
awk '{ print ++number[$1], $0 }' fields >rounds
moved=0
for log in full branches places; do
	mprof report --json "${options[@]}" $log.mprof
	expect_status 0 "$log"
	cp out unsorted
	for number in $(cut -d' ' -f1 rounds | sort -nu); do
		sed -n "s/^$number //p" rounds >round
		list=$(awk '{ print $1 ":" $2 }' round | paste -sd,)
		mprof report --json "${options[@]}" --sort="$list" $log.mprof
		expect_status 0 "$log: $list"
		jq "$(filter_of)" out >found
		jq "$(filter_of sorted)" unsorted >wanted
		test -s found || fail "$log: $list: no rows"
		cmp -s wanted found || fail "$log: $list: $(diff wanted found | head -20)"
		moved=$((moved + $(jq -n --slurpfile a <(jq "$(filter_of)" unsorted) --slurpfile b found \
			'[$a[0] | to_entries[] | select(.value != $b[0][.key])] | length')))
	done
done
test $moved -ge 5 || fail "only $moved orders differ from those without --sort"

# As text, with the key alone.
for key in $(cut -d' ' -f2 fields | LC_ALL=C sort -u); do
	mprof report --all "${options[@]}" --sort="$key" full.mprof
	expect_status 0 "$key"
done

# One table of methods; tables without the key keep their order, and several keys can be given.
mprof report --all --sort=calls,threads:lost branches.mprof
expect "tables of methods" "$(grep -c '^Methods' out)" 1
mprof report --all --sort=bytes branches.mprof
expect "tables of methods with a key of others" "$(grep -c '^Methods' out)" 2
