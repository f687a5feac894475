#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands that change what is recorded while the program runs, and the one that measures what recording costs.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$srcdir/tests/interop/mono/controlled.sh"

# changes SETTING COMMAND...: the command succeeds and prints this line.
changes() {
	local wanted=$1
	shift
	control 0 "$program_id" "$@"
	expect "$*" "$(cat out)" "$wanted"
}

# refuses PATTERN COMMAND...: the program refuses it, for this reason.
refuses() {
	local wanted=$1
	shift
	control 1 "$program_id" "$@"
	grep -q "$wanted" control.err || fail "$*: $(cat control.err)"
}

# Calls: all, none, and those that match. What was missing is marked, so that no call looks longer than it was.
launch calls,output=calls.mprof
send "step 10"
changes calls=off calls off
send "step 100"
changes "calls=Controlled.Program:S*" calls "Controlled.Program:S*"
send "step 5"
changes "calls=System.*" calls "System.*"
send "step 100"
changes calls=on calls on
send "step 3"
expect "calls, in the status" "$(fact calls)" on
expect "samples, in the status" "$(fact sample_hz)" ""
refuses "start the program with --alloc" alloc on
finish
check_complete calls.mprof
report_of calls.mprof
expect "calls of Step" "$(calls_of "Step (int)")" 18
expect "markers" "$(figure '[.marks[].text] | join(";")')" "mprof control: calls off;\
mprof control: calls Controlled.Program:S*;mprof control: calls System.*;mprof control: calls on"

# With a limit of depth, which counts calls
launch calls,depth=5,output=depth.mprof
send "step 10"
for ((round = 0; round < 5; round++)); do
	changes calls=off calls off
	send "step 10"
	changes calls=on calls on
done
send "step 4"
finish
check_complete depth.mprof
report_of depth.mprof
expect "calls of Step, with depth" "$(calls_of "Step (int)")" 14

# Allocations: none, without and with call stacks
launch alloc=stack,output=alloc.mprof
send "keep 10"
changes alloc=off alloc off
send "keep 1000"
changes alloc=on alloc on
send "keep 200"
changes alloc=stack alloc stack
send "keep 30"
finish
check_complete alloc.mprof
report_of alloc.mprof
expect "allocations" "$(figure '.classes[] | select(.name == "Controlled.Kept").allocations')" 240
expect "allocations with call stacks" "$(figure '[.allocation_stacks[] |
	select(.class == "Controlled.Kept" and (.stack | length) > 0).allocations] | add')" 40

# Another sample of the allocations: estimates are scaled by the interval at that time.
launch alloc=stack:1g,output=intervals.mprof
expect "the interval, in the status" "$(fact alloc)" stack:1073741824
send "keep 1000"
changes alloc=stack:1024 alloc stack:1k
send "keep 100000"
changes alloc=stack alloc stack:all
send "keep 500"
changes alloc=stack:4096 alloc stack:4k
send "keep 100000"
changes alloc=stack:1073741824 alloc stack
send "keep 1000"
refuses "alloc takes" alloc stack:1
finish
check_complete intervals.mprof
report_of intervals.mprof
expect "estimates of several intervals" "$(figure '[.allocation_stacks[] | select(.class == "Controlled.Kept")] |
	(map(.allocations) | add) as $objects | (map(.allocations_error * .allocations_error) | add | sqrt) as $error |
	[(map(.samples) | add) > 2000, ($objects - 200500 | fabs) <= 5 * $error, $error < 8000] | join(" ")')" "true true true"
expect "all allocations" "$(figure '.classes[] | select(.name == "Controlled.Kept").allocations')" 202500

launch alloc,output=plain.mprof
refuses "start the program with alloc=stack" alloc stack
changes alloc=off alloc off
changes alloc=on alloc on
finish

# Samples: stopped, and at other rates
launch sample=200,output=samples.mprof
expect "rate" "$(fact sample_hz)" 200
changes sample_hz=0 sample off
changes sample_hz=1000 sample 1000
changes sample_hz=200 sample on
changes sample_hz=0 sample off
control 0 "$program_id" flush
before=$(fact samples)
send "collect 300"
control 0 "$program_id" flush
expect "samples while stopped" "$(fact samples)" "$before"
changes sample_hz=500 sample 500
goes_on() {
	send "collect 20"
	control 0 "$program_id" flush
	test "$(fact samples)" -gt "$before"
}
await goes_on || fail "no samples at the new rate"
finish
check_complete samples.mprof

# What the program was started without: samples with the names of methods compiled before, and calls of methods that
# are compiled from now on.
launch gc,output=late.mprof
send "step 10"
changes "calls=Controlled.Program:S*" calls "Controlled.Program:S*"
changes sample_hz=1000 sample 1000
expect "kinds" "$(fact kinds)" "calls, collections, samples"
has_samples() {
	send "step 10000000"
	control 0 "$program_id" flush
	test "$(fact samples)" -gt 20
}
await has_samples || fail "no samples"
send "collect 300"
send storm
send calm
changes sample_hz=0 sample off
refuses "start the program with --alloc" alloc on
refuses "without the option heap" heapshot
finish
check_complete late.mprof
report_of late.mprof
expect "calls of a method compiled later" "$(calls_of "Storm ()")" 1
expect "calls of a method compiled before" "$(calls_of "Step (int)")" 0
expect "sampled methods" "$(figure '[.samples[] | select(.kind == "managed").name] |
	any(startswith("Controlled.Program.Main")) or any(startswith("Controlled.Program.Step"))')" true
expect "collections in samples" "$(figure '[.samples[].name] | any(. == "[GC]")')" true
expect "what was recorded" "$("$MPROF" info late.mprof | sed -n 's/^recorded *//p')" \
	"calls collections samples assemblies modules domains"
if grep "without a name" err; then fail "methods without a name"; fi
launch gc,format=mono,output=old.mprof
refuses "only profiler\|at the start" sample 100
refuses "from the start" calls on
finish

# What it costs: while a thread allocates, there are events; the sums are those of the whole program.
launch alloc,calls,output=cost.mprof
send storm
control 0 --json "$program_id" cost
send calm
expect "cost" "$(jq -c '[.interval_s >= 1, .events_per_s > 100, .bytes_per_s > 100, .lost_per_s, .waits_per_s >= 0,
	.program_cpu_percent > 0, (.writer_cpu_percent == null or .writer_cpu_percent > 0)]' out)" \
	"[true,true,true,0,true,true,true]"
control 0 "$program_id" cost 1
grep -qE '^per second: [0-9,]+ events, .* written, 0 lost, [0-9,]+ waits for a buffer; processor: ' out ||
	fail "cost: $(cat out)"
for arguments in sample "sample 0" "sample fast" "sample 10001" alloc "alloc all" "alloc stack:x" calls "calls on off" "cost 0" "cost x"; do
	# shellcheck disable=SC2086
	control 2 "$program_id" $arguments
done
control 2 "$program_id" calls ""
# The module refuses what the tool does not send.
read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -D_GNU_SOURCE -o client "$here/client.c" || fail "the client does not compile"
printf 'sample\nsample \nsample 1x\nalloc \nalloc x\ncalls \n' | timeout 60 ./client "run/mprof/$program_id.sock" >out
expect "answers" "$(cut -d ' ' -f 1 out | xargs)" "ERROR ERROR ERROR ERROR ERROR ERROR"
finish
check_complete cost.mprof

# All changes while threads allocate and the collector runs
launch calls,alloc=stack,sample,gc,heap=ondemand,output=storm.mprof
send storm
for ((round = 0; round < 3; round++)); do
	control 0 "$program_id" calls off
	control 0 "$program_id" alloc off
	control 0 "$program_id" sample $((round * 100 + 1))
	control 0 "$program_id" calls "Controlled.*"
	control 0 "$program_id" alloc stack
	control 0 "$program_id" heapshot
	control 0 "$program_id" calls on
	control 0 "$program_id" alloc on
	control 0 "$program_id" sample off
done
send calm
finish
check_complete storm.mprof
