# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions shared by the tests with Mono, which source this file. tests/Makefile.inc explains the environment of "make
# check". A test ends with skip or at its end; the first failed check ends it too.

here=$srcdir/tests/interop/mono

# shellcheck source=tests/await.sh
. "$srcdir/tests/await.sh"

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
for tool in mono mcs jq; do
	command -v "$tool" >/dev/null || skip "$tool is not installed"
done
test -e "$MPROF_MODULE_DIR/libmono-profiler-mprof.so" || skip "the module for Mono was not built"

work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-mono.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit

# Terminal settings such as colours, which mono reads from the environment.
export TERM=dumb LC_ALL=C.UTF-8
export LD_LIBRARY_PATH="$MPROF_MODULE_DIR:$builddir/lib/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

needs_compression() {
	test -z "${MPROF_WITHOUT_ZLIB-}" || skip "built without zlib"
}

# compile NAME: NAME.cs of this directory to NAME.exe of the work directory. Unused fields are what some tests are
# about.
compile() {
	mcs -nologo -nowarn:0649,0414 -out:"$1.exe" "$here/$1.cs"
}

# compile_literals: Literals.exe, without the library that it uses.
compile_literals() {
	echo 'public static class NotThere { public static void Call() { } }' >NotThere.cs
	mcs -nologo -target:library NotThere.cs
	mcs -nologo -d:APART -r:NotThere.dll -out:Literals.exe "$here/Literals.cs"
	rm NotThere.dll
}

# profiled OPTIONS PROGRAM [ARGUMENT...]: runs a program under the module. Its status is mono's, or 124 after mono_seconds,
# two minutes if it is not set.
profiled() {
	local options=$1
	shift
	timeout "${mono_seconds-120}" mono --profile=mprof:"$options" "$@"
}

# mono_failed FILE...: whether Mono 6.8 failed by itself, according to its messages: sometimes it cannot stop a thread
# that is aborted or ended with its domain, or fails when it is sampled there, and ends with any status. With its own
# profiler it is the same.
mono_failures='Assertion.*!info->is_async_context|^Cannot transition thread'
mono_failed() {
	grep -Eq "$mono_failures" "$@"
}

# run_mono NAME COMMAND...: runs a command with its output in NAME.facts and NAME.stderr. If Mono failed by itself, it
# runs again, up to four times, and tests/results.sh reports this: a fault of the module that makes Mono fail must be
# visible.
run_mono() {
	local name=$1 attempt status
	shift
	for attempt in 1 2 3 4 5; do
		status=0
		# Processes of the failed run may still write.
		rm -f "$name.facts" "$name.stderr" "$name.mprof"
		"$@" >"$name.facts" 2>"$name.stderr" || status=$?
		mono_failed "$name.facts" "$name.stderr" || break
		test $attempt = 5 || echo "RETRY: $name: $(grep -Eh "$mono_failures" "$name.facts" "$name.stderr" | head -n 1)"
	done
	return $status
}

# recorded OPTIONS NAME: runs NAME.exe as profiled does, with the outputs NAME.mprof, NAME.facts and NAME.stderr.
recorded() {
	run_mono "$2" profiled "$1,output=$2.mprof" "$2.exe"
}

# await_bytes LOG NUMBER: until the log has that many bytes.
has_bytes() {
	test "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2"
}
await_bytes() {
	await has_bytes "$@" || fail "$1 has fewer than $2 bytes"
}

# info LOG FILTER: applies jq to the output of "mprof info".
info() {
	"$MPROF" info --json "$1" | jq -r "$2"
}

# expect WHAT FOUND WANTED
expect() {
	test "$2" = "$3" || fail "$1: $2, not $3"
}

# check_complete LOG: the log is complete and well-formed.
check_complete() {
	"$MPROF" check "$1" >check.out 2>&1 || fail "mprof check $1: $(cat check.out)"
	expect "$1: complete" "$(info "$1" .complete)" true
	expect "$1: lost events" "$(info "$1" .lost_events)" 0
}

# check_balance LOG [DIFFERENCE]: each enter has a leave of any kind.
check_balance() {
	local difference
	difference=$(info "$1" '.events | ."method-enter" - ([."method-leave", ."method-leave-implicit",
		."method-leave-exception", ."method-leave-tail"] | map(. // 0) | add)')
	expect "$1: methods entered and not left" "$difference" "$((${2-0}))"
}

# All options that can be combined; only those that would hide other data are left out.
everything=all,sample=1000,heap,free,summary,moves,handles,monitor,finalizers,counters=100
everything+=,alloc=stack+caller+objects

# facts LOG: the facts in the log, in the form that the programs print.
facts() {
	"$MPROF" report --json "$1" | jq -r '
		(.methods | map(select(.calls > 0)) | group_by([.class, .name])[]
			| ["calls", .[0].class, .[0].name, (map(.calls) | add)]),
		(.classes | map(select(.allocations > 0)) | group_by(.name)[]
			| ["allocations", .[0].name, (map(.allocations) | add), (map(.bytes) | add)]),
		(.exceptions[] | ["exception", .class, .count]),
		(.monitors[] | ["monitor", .class, .contentions, .acquired, .failures]),
		(.finalizers[] | ["finalizer", .class, .count]),
		(.handles[] | ["handle", .type, .class, .created, .deleted, .alive]),
		(.handles[] | . as $handle
			| [.stacks[] | . as $site | .stack | unique[] | [., $site.created, $site.alive]]
			| group_by(.[0])[]
			| ["made", $handle.type, $handle.class, .[0][0], (map(.[1]) | add), (map(.[2]) | add)]),
		(.classes | map(select(.freed > 0)) | group_by(.name)[] | ["freed", .[0].name, (map(.freed) | add)]),
		(.heap_shots[-1:][] | .classes[] | ["objects", .class, .objects, .bytes]),
		(.threads[] | select(.name) | ["thread", .name])
		| map(tostring) | join("\t")'
	info "$1" '.events | to_entries[] | ["events", .key, (.value | tostring)] | join("\t")'
}

# heap_facts LOG: the references and roots of the last heap snapshot, in the form that the programs print.
heap_facts() {
	"$MPROF" dump --json "$1" >dump.json
	{
		grep '^{"block":"mapping"' dump.json | jq -r '.classes[] | ["class", .id, .name] | @tsv'
		grep -E '^{"(event":"heap-(object|references|root)|record":"root|block":"heap-data)"' dump.json
	} | awk -f "$here/heap_facts.awk"
}

# domains LOG: loaded and unloaded code units, one per line.
domains() {
	"$MPROF" dump --json --blocks "$1" |
		jq -r 'select(.block == "loaded" or .block == "unloaded") | [.block, .type, .name] | join("\t")'
}

# check_facts EXPECTED LOG: the log confirms each line that the program printed.
#   calls CLASS METHOD NUMBER          allocations CLASS NUMBER BYTES
#   exception CLASS NUMBER             thread NAME
#   monitor CLASS CONTENTIONS ACQUIRED FAILURES
#   handle TYPE CLASS CREATED DELETED ALIVE
#   made TYPE CLASS METHOD CREATED ALIVE   handles with a method anywhere in the stack that made them
#   finalizer CLASS NUMBER             objects CLASS NUMBER BYTES, in the last heap snapshot
#   references, root: see heap_facts.awk
#   freed at least CLASS NUMBER        exactly EVENT NUMBER
#   at least EVENT NUMBER              equal EVENT EVENT
#   loaded DOMAINS                     unloaded DOMAINS
#   domain NAME IS-UNLOADED
check_facts() {
	facts "$2" >facts.tsv
	! grep -q '^\(un\)\?loaded' "$1" || domains "$2" >>facts.tsv
	! grep -q '^references' "$1" || heap_facts "$2" >>facts.tsv
	test -s "$1" || fail "the program for $2 printed nothing"
	awk -F '\t' -v path="$2" '
		function number(event) { return event in events ? events[event] : 0 }
		NR == FNR {
			lines[$0] = 1
			if ($1 == "events") events[$2] = $3
			if ($1 == "freed") freed[$2] = $3
			if ($1 == "finalizer") finalizers[$2] = $3
			if ($2 == "domain") domains[$1]++
			next
		}
		$1 == "at least" { found = number($2) >= $3 }
		$1 == "equal" { found = number($2) == number($3) && number($2) > 0 }
		$1 == "domain" {
			found = ("loaded\tdomain\t" $2) in lines && (("unloaded\tdomain\t" $2) in lines) == $3
		}
		$1 == "loaded" || $1 == "unloaded" { found = domains[$1] == $2 }
		$1 == "exactly" { found = number($2) == $3 }
		$1 == "freed at least" { found = freed[$2] + 0 >= $3 }
		$1 == "finalizer" { found = finalizers[$2] + 0 == $3 }
		$1 ~ /^(calls|allocations|exception|thread|monitor|handle|made|objects|references|root|static|thread-static)$/ {
			found = $0 in lines
		}
		!found { print path ": not so: " $0; bad = 1 }
		{ found = 0 }
		END { exit bad }' facts.tsv "$1" >&2 || {
		echo "facts in the log:" >&2
		grep -v '	System\.' facts.tsv | head -n 60 >&2
		fail "$2 does not match the facts of the program"
	}
}

# read_samples: a line for each sample, the innermost frame first, of samples.mprof in
# samples.tsv: thread, frames.
read_samples() {
	"$MPROF" dump samples.mprof | sed -n 's/^    stack \([0-9]*\) [a-z]* [0-9]* \(.*\)/\1\t\2/p' |
		sed 's/, called by stack \([0-9]*\)$/\t\1/; t; s/$/\t0/' >stacks.tsv
	"$MPROF" dump --json samples.mprof >dump.json
	{
		sed 's/^/stack\t/' stacks.tsv
		grep '^{"block":"thread"' dump.json | jq -r '["name", .thread, .name] | @tsv'
		grep '^{"event":"sample"' dump.json | jq -r '["sample", .thread, .stack] | @tsv'
	} | awk -F '\t' -v OFS='\t' '
		$1 == "stack" { frame[$2] = $3; caller[$2] = $4; next }
		$1 == "sample" {
			line = $1 OFS $2
			for (stack = $3; stack != 0; stack = caller[stack])
				line = line OFS frame[stack]
			print line
			next
		}
		{ print }' | awk -F '\t' -v OFS='\t' '
		$1 == "name" { names[$2] = $3 }
		$1 == "sample" { $1 = $2 in names ? names[$2] : $2; $2 = ""; sub(/\t\t/, "\t"); print }' >samples.tsv
}
