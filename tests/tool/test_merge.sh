#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs of several processes become one: every figure that can be added up is the sum of those of the logs, whatever the
# processes have in common. Needs a compiler and the modules for native programs.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

needs_native_sampling
directory=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}

# A program that forks without execution, executes without a fork, executes in a child, and has a child that is killed.
# All of them allocate at the same addresses.
cat >program.c <<'END'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *volatile kept;
static volatile unsigned long sink;
__attribute__((noinline)) static void work(int count)
{
	for (int i = 0; i < count; i++) {
		kept = malloc(100 + i % 7);
		memset(kept, 1, 100);
		if (i % 10 != 0)
			free(kept);
	}
	for (unsigned long i = 0; i < 5000000; i++)
		sink += i;
}
static pid_t child(int count, const char *program)
{
	pid_t made = fork();

	if (made != 0)
		return made;
	work(count);
	if (program == NULL)
		for (;;)
			pause();
	if (*program != '\0')
		execlp(program, program, "/", (char *)NULL);
	exit(0);
}
int main(int argc, char **argv)
{
	pid_t killed;

	work(2000);
	waitpid(child(3000, ""), NULL, 0);
	waitpid(child(1000, "ls"), NULL, 0);
	killed = child(500, NULL);
	usleep(200000);
	kill(killed, SIGKILL);
	waitpid(killed, NULL, 0);
	if (argc == 1)
		execl(argv[0], argv[0], "again", (char *)NULL);
	return 0;
}
END
cc -g -O1 -o program program.c

# sums FILE...: the sums of what can be added up in the reports of logs, on lines.
sums() {
	local file
	for file; do
		mprof report --json "$file"
		test "$status" -le 1 || fail "report $file: $(cat err)"
		jq '{lost: .session.lost_events, events: [.session.events[]] | add, events_of_threads: [.threads[].events] | add,
			lost_by_threads: [.threads[].lost_events] | add, calls: [.methods[].calls] | add,
			allocations: [.classes[].allocations] | add, bytes: [.classes[].bytes] | add,
			freed: [.classes[].freed] | add, exceptions: [.exceptions[].count] | add,
			contentions: [.monitors[].contentions] | add, collections: .collections | length,
			snapshots: .heap_shots | length, objects: [.heap_shots[].objects] | add,
			blocks: .memory.allocations, block_bytes: .memory.bytes, frees: .memory.frees,
			live: .memory.live_bytes, unmatched: .memory.unmatched_frees, missing: .memory.missing_frees,
			by_method: [.methods[] | {key: "\(.class) \(.name)", value: .calls}],
			by_event: [.session.events | to_entries[]]}' out
	done | jq -sc 'def sum(f): [.[] | f // 0] | add;
		def lists(f): [.[] | f[]] | group_by(.key) | map({key: .[0].key, value: map(.value) | add}) | from_entries;
		. as $all | (.[0] | keys - ["by_method", "by_event"])[] as $key | {($key): $all | sum(.[$key])}
		, ($all | lists(.by_method) | to_entries[] | {("calls of " + .key): .value})
		, ($all | lists(.by_event) | to_entries[] | {(.key): .value})' | sort
}

# expect_sums MERGED FILE...
expect_sums() {
	sums "$1" >found
	shift
	sums "$@" >wanted
	test -s wanted || fail "there are no figures"
	cmp -s found wanted || fail "the sums differ: $(diff found wanted | head -20)"
}

# Native memory: equal addresses of different processes stay apart.
LD_PRELOAD=$directory/libmprof-malloc.so MPROF_MALLOC_OUTPUT=m.%p.mprof ./program >list 2>messages ||
	fail "the program: $(cat messages)"
set -- m.*.mprof
test $# -ge 8 || fail "$# logs of native memory"
mprof merge -o memory.log "$@"
test "$status" -le 1 || fail "merge: $(cat err)"
mprof check memory.log
expect_status 0 "check of a merged log"
expect_sums memory.log "$@"

# A single log stays as it is. Suggested commands have its name.
without_file='del(.session.file, .session.size, .session.valid_bytes, .session.blocks, .session.file_size,
	.findings[].command)'
for one in "$@"; do
	mprof info "$one"
	test "$status" = 0 || continue
	mprof report --json "$one"
	jq -S "$without_file" out >one.json
	mprof merge -o one.log "$one"
	expect_status 0 "merge of one log"
	mprof report --json one.log
	jq -S "$without_file" out >copy.json
	cmp -s one.json copy.json || fail "the report of one log changes: $(diff one.json copy.json | head -5)"
done

# Samples: the record command makes one log, and removes the others only then.
mprof record --children=one -o all.mprof -- sh -c './program; awk "BEGIN { for (i = 0; i < 1000000; i++) s += i }"'
expect_status 0 "record --children=one"
expect "logs that are left" "$(echo ./*.mprof | tr ' ' '\n' | grep -vc '/m\.')" 1
mprof report --json all.mprof
expect_json "the first process" '.processes[0] | [.name, .parent]' '["sh",null]'
# A process that ended without a log, such as one that was killed early, has no row: neither have its children a parent.
expect_json "parents that are not in the log" \
	'[.processes as $all | $all[] | select(.parent != null and (.parent as $p | all($all[]; .number != $p)))] | length' 0
test "$(jq '[.processes[1:][] | select(.parent != null)] | length' out)" -ge 3 || fail "processes without a parent"
expect_json "names" '[.processes[].name] | unique' '["awk","ls","program","sh"]'
# A program that executes another keeps its system ID, but is another process of the log.
expect_json "numbers of processes" '[.processes[].number] | length == (unique | length)' 'true'
expect_json "threads belong to processes" '[.threads[] | select(.process == null)] | length' 0
test "$(jq '[.processes[].samples] | add' out)" -gt 20 || fail "there are hardly any samples"
expect_json "samples of the processes" '([.processes[].samples] | add) == ([.threads[].samples] | add)' true

cp out merged.json

# A filter for a process is one for its threads.
samples=$(jq '[.processes[] | select(.name == "awk") | .samples] | add' out)
mprof report --json --process=awk all.mprof
expect_status 0 "report --process"
expect_json "samples of awk" '[.threads[].samples] | add' "$samples"
number=$(jq '.processes[] | select(.name == "awk") | .system_id' out)
mprof report --json --process="$number" all.mprof
expect_json "samples of awk by number" '[.threads[].samples] | add' "$samples"
mprof report --json '--process=a?k' all.mprof
expect_json "samples of awk by a pattern" '[.threads[].samples] | add' "$samples"
mprof report --process=awkk all.mprof
expect_status 2 "a process that is not there"
expect_line err "no process of the log is named or numbered 'awkk'; nearest: awk"
mprof export --to=folded --value=samples --process=awk -o awk.folded all.mprof
expect_status 0 "export --process"
grep -q . awk.folded || fail "the export of a process is empty"

# Outputs that add up processes state it, others keep them apart.
count=$(jq '.processes | length' merged.json)
mprof top --once all.mprof
expect_line out ": ended, $count processes, window"
mprof top --once --json all.mprof
expect_json "processes in top" '.processes' "$count"
mprof diff all.mprof all.mprof
expect_line out "^before +all\.mprof \(sums of $count processes\)$"
mprof diff --json all.mprof all.mprof
expect_json "processes in diff" '[.before.processes, .after.processes]' "[$count,$count]"
mprof export --to=chrome -o all.json all.mprof
expect_status 0 "export --to=chrome"
expect "processes in chrome" "$(jq '[.traceEvents[] | select(.name == "process_name") | .pid] | unique | length' all.json)" \
	"$count"
mprof export --to=firefox -o all.firefox.json all.mprof
expect_status 0 "export --to=firefox"
expect "programs in firefox" "$(jq -c '[.threads[] | select(.samples.length > 1) | .processName] | unique' all.firefox.json)" \
	"$(jq -c '[.processes[] | select(.samples > 0) | .name] | unique' merged.json)"
if command -v go >/dev/null; then
	mprof export --to=pprof -o all.pb.gz all.mprof
	expect_status 0 "export --to=pprof"
	go tool pprof -tags all.pb.gz >tags 2>messages || fail "go tool pprof: $(cat messages)"
	expect_line tags '^ process: Total'
	expect_line tags " $(jq '.processes[] | select(.name == "awk") | .system_id' merged.json)\$"
	expect_line tags ': awk$'
fi

mprof export --to=otlp --process=awk -o awk.otlp all.mprof
expect_status 0 "export --to=otlp --process"
grep -qaF process.pid awk.otlp || fail "the resource has no process"
mprof export --to=otlp -o all.otlp all.mprof
! grep -qaF process.pid all.otlp || fail "the resource of several processes is one of them"

# All threads of a name are chosen, together with a process those of that process.
mprof report --json all.mprof
ids=$(jq -c '[.threads[] | select(.name == "program") | .id] | sort' out)
test "$(jq length <<<"$ids")" -gt 3 || fail "the threads named program: $ids"
for name in program 'prog*'; do
	mprof report --json "--thread=$name" all.mprof
	expect_status 0 "report --thread=$name"
	expect_json "threads with the name $name" '[.threads[].id] | sort' "$ids"
done
samples=$(jq '[.threads[].samples] | add' out)
mprof export --to=folded --value=samples --thread=program -o program.folded all.mprof
expect_status 0 "export --thread"
expect "samples of the threads" "$(awk '{ sum += $NF } END { print sum }' program.folded)" "$samples"
mprof flame --thread=program -o program.svg all.mprof
expect_status 0 "flame --thread"
grep -qF -- '--thread=program' program.svg || fail "the flame graph does not state the thread"
mprof export --to=pprof --thread=program -o program.pb.gz all.mprof
expect_status 0 "export --to=pprof --thread"
gzip -dc program.pb.gz | strings >strings.txt
! grep -qF mawk strings.txt || fail "another thread is in the profile"
mprof report --json --thread=program --process=awk all.mprof
expect_json "threads of both choices" '[.threads[] | select(.samples > 0)] | length' 0
for command in report flame 'export --to=folded'; do
	# shellcheck disable=SC2086  # A command and its option.
	mprof $command --thread=programx all.mprof
	expect_status 2 "$command --thread with a name that is not there"
	expect_line err "no thread of the log is named or numbered 'programx'; nearest: program"
done

# Logs that end early are merged as far as they go; what is no log is refused, and nothing is written.
mprof record --children -o cut.mprof -- sh -c './program'
set -- cut*.mprof
for size in 1 40 200 700 1500; do
	head -c "$size" "$1" >short
	mprof merge -o bad.log short "$2"
	test "$status" = 1 || test "$status" = 3 || fail "a log of $size bytes: status $status"
	test "$status" = 3 || mprof check bad.log
	rm -f bad.log
done
cp "$1" damaged
printf '\377\377\377\377' | dd of=damaged bs=1 seek=$(($(stat -c %s damaged) / 2)) conv=notrunc 2>/dev/null
mprof merge -o bad.log damaged "$2"
expect_status 1 "merge of a damaged log"
expect_line err 'damaged: offset'
mprof dump bad.log
grep -q '/incomplete' out || fail "the merged log does not state what it lacks"
mprof report --sections=processes bad.log
expect "incomplete processes" "$(grep -c ' (incomplete: .*)$' out)" 1
mprof report --json bad.log
expect "incomplete processes" "$(jq '[.processes[] | select(.incomplete != null)] | length' out)" 1
echo nothing >nothing
rm -f bad.log
mprof merge -o bad.log "$1" nothing
expect_status 3 "merge of what is no log"
test ! -e bad.log || fail "a log was written all the same"

# Code of the kernel in every process, which is no file but has a build ID, is one row; code that has neither is not.
for build in 0af3 ""; do
	for number in 1 2; do
		"$builddir/tests/tool/make_code" kernel.$number.mprof linux-vdso.so.1 "$build" "$number@1000:clock" ||
			fail "make_code"
	done
	mprof merge -o kernel.mprof kernel.1.mprof kernel.2.mprof
	expect_status 0 "merge of code of the kernel"
	mprof report --json --no-lines kernel.mprof
	expect_json "functions of the kernel, build ID '$build'" '[.samples[].hits] | sort' "$(test -n "$build" && echo '[3]' || echo '[1,2]')"
done

# Wrong usage.
mprof merge "$1" "$2"
expect_status 2 "merge without an output"
mprof merge -o "$1" "$1" "$2"
expect_status 2 "merge into an input"
mprof merge -o bad.log "$1" "$1"
expect_status 2 "merge of a log with itself"
mprof record --children=two -- true
expect_status 2 "record --children=two"
