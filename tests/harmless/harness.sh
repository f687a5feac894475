# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Runs programs alone and in every recording mode, and compares what they print, how they end and what is left of it.
# The scripts of this directory source this file.
#
# A program of programs/ names its cases in a comment, "cases: ... */", separated by |: the program and its arguments. It
# prints what it observes of its waits, signals, descriptors, limits, stacks and children, and nothing that differs from
# run to run. To add a case, add it to this comment; nothing else has to be changed.
#
# A mode runs the cases that could differ from those of the other modes. With MPROF_THOROUGH=1, each mode runs all,
# and each case runs alone twice. HARMLESS_MODES and HARMLESS_CASES, patterns of grep -E, limit what runs:
# HARMLESS_CASES='signals|waits'.

# shellcheck source=tests/tool/support.sh
. "$srcdir/tests/tool/support.sh"

programs=$srcdir/tests/harmless/programs
declare -A equal different
declare -A left_out
language=${language:-c}

# Each mode: what is before the program on the command line; @LOG stands for the path of the log, @DIRECTORY for the
# directory in which the program is started. Those with "calls" run
# the program that was built with -finstrument-functions.
# The modes of native programs are in mode_names.
# shellcheck disable=SC2034
mode_names=(default timer often calls calls-samples children ring unsalvaged memory leaks)
declare -A modes=(
	[default]="@MPROF record -q -o @LOG --"
	[timer]="@MPROF record -q --sample-source=timer -o @LOG --"
	[often]="@MPROF record -q --sample=4000 -o @LOG --"
	[calls]="@MPROF record -q --calls -o @LOG --"
	[calls-samples]="@MPROF record -q --calls --sample -o @LOG --"
	[children]="@MPROF record -q --children -o @LOG --"
	[ring]="@MPROF record -q --calls --ring=1m -o @LOG --"
	[unsalvaged]="@MPROF record -q --calls --sample --salvage=no -o @LOG --"
	[runtime]="@MPROF record -q --sample --sample-source=runtime -o @LOG --"
	[everything]="@MPROF record -q --calls --alloc=stack+objects --jit --gc --exceptions=stack --monitor --handles -o @LOG --"
	[heap]="@MPROF record -q --heap --free --moves -o @LOG --"
	[leaks]="@MPROF record -q --malloc --leaks -o @LOG --"
	[memory]="env MPROF_MALLOC_OUTPUT=@DIRECTORY/log.%p LD_PRELOAD=@MODULES/libmprof-malloc.so"
)

# Patterns of grep -E. A mode without one runs all cases.
declare -A mode_cases=(
	[default]='^(signals|waits$|waits 300|threads|processes|state|limits|privileges|restricted)'
	[timer]='^(signals (block|fd|own|pending|profile|restore|wait)|waits$)'
	[often]='^(signals profile|waits$|limits file_size)'
	[calls]='^(threads|processes (exec|fork|vfork|loader|daemon)|privileges|restricted)'
	[calls-samples]='^(limits|threads (cancel|small|fibers|longjmp|exit))'
	[children]='^processes (exec|fork|vfork|spawn|system|daemon)'
	[ring]='^(state|limits descriptors)'
	[unsalvaged]='^processes (exec|fork|daemon|child)'
	[leaks]='^(waits$|limits (close_all|descriptors)|processes (fork|exec$|vfork|daemon|child)|state (exit$|_exit|abort)|threads (many|exit))'
	[memory]='^(signals modules|limits (memory|close_all|descriptors)|processes (fork|exec$)|state (exit$|_exit|abort)|threads (small|fibers|many|cancel$)|privileges|restricted)'
)

# Where the other user cannot reach the build tree, what is installed of it is copied to the work directory.
make_reachable() {
	local module=libmprof-instrument.so
	test "$language" = c || module=libmono-profiler-mprof.so
	if ! "${as_user[@]}" test -r "$MPROF_MODULE_DIR/$module" ||
		! "${as_user[@]}" "$MPROF" --version >/dev/null 2>&1; then
		cp -r "$builddir/tests/installed/root" installed
		MPROF=$(find "$work/installed" -path '*/bin/mprof')
		MPROF_MODULE_DIR=$(dirname "$(find "$work/installed" -name "$module")")
		export LD_LIBRARY_PATH=$MPROF_MODULE_DIR
	fi
}

# build_mono_programs: those in C#.
build_mono_programs() {
	local source
	mkdir -p mono
	for source in "$programs"/*.cs; do
		mcs -nologo -out:"mono/$(basename "$source" .cs).exe" "$source" || fail "$source"
	done
}

# build_programs: each one plain and instrumented. Calls are bound at the start: that needs more stack than some have.
build_programs() {
	local compiler source name
	read -ra compiler <<<"${CC:-cc}"
	for source in "$programs"/*.c; do
		name=$(basename "$source" .c)
		mkdir -p plain instrumented
		"${compiler[@]}" -O1 -w -Wl,-z,now -o "plain/$name" "$source" -pthread -ldl || fail "$source"
		"${compiler[@]}" -O1 -w -Wl,-z,now -finstrument-functions -o "instrumented/$name" "$source" -pthread -ldl ||
			fail "$source"
	done
}

# list_cases c | cs
list_cases() {
	cat "$programs"/*."$1" | sed -n '/ \* cases: /,/ \*\//p' | sed 's/^ \* *\(cases: \)\?//; s/^ *\*\///; s/^\///' | tr '|' '\n' |
		sed 's/^ *//; s/ *$//' | grep '[a-z]' | grep -E "${HARMLESS_CASES:-.}"
}

# run_case RESULT DIRECTORY WORDS COMMAND...: runs it in a new directory with a minute to end. What is printed and the
# status are in RESULT.out, RESULT.err and RESULT.status.
run_case() {
	local result=$1 directory=$2
	shift 2
	mkdir -p "$directory"
	chmod 777 "$directory"
	local status=0
	# The shell prints how the program was ended, hence the braces.
	{
		(cd "$directory" && exec timeout --foreground -k 2 60 "${as_user[@]}" "$@") \
			>"$result.out" 2>"$result.err" < <(printf 'one\ntwo\n') || status=$?
	} 2>/dev/null
	echo "$status" >"$result.status"
}

# command_of KIND CASE
command_of() {
	if test "$1" = mono; then
		echo "mono $work/mono/${2%% *}.exe ${2#* }"
	else
		echo "$work/$1/$2"
	fi
}

# what_differs BARE RECORDED: of Mono programs that crash, only how they end: Mono prints addresses then. The tool has a
# status of its own, and says why, if the log was cut by the limit that the program sets.
what_differs() {
	local part parts="status out err"
	if [[ $2 = */limits_file_size ]] && test "$(cat "$2.status")" = 1; then
		parts=out
	fi
	if test "$language" = cs && test "$(cat "$1.status")" -ge 128; then
		parts=status
	fi
	for part in $parts; do
		cmp -s "$1.$part" "$2.$part" || { echo "$part:"; diff "$1.$part" "$2.$part" | head -n 6; }
	done
	true
}

# what_is_left MODE DIRECTORY: files that are not complete logs, or, without a salvage file, no valid ones.
what_is_left() {
	local file
	for file in "$2"/*; do
		case $file in
		*/\* | *.core | */core | */mono_crash.*) ;;
		*.salvage | *.part | *.part.* | *.salvage.*) echo "left: $(basename "$file")" ;;
		*)
			"$MPROF" check "$file" >check.out 2>&1 ||
				{ test "$1" = unsalvaged && head -n 1 check.out | grep -q ': incomplete: '; } ||
				echo "$(basename "$file"): $(head -n 1 check.out)"
			;;
		esac
	done
}

# compare_mode MODE CASE: runs the case in the mode. What differs from the run alone is in $difference.
compare_mode() {
	local mode=$1 program=$2 result command words kind=plain
	result=$work/results/$mode/${program// /_}
	command=${modes[$mode]//@LOG/log.mprof}
	command=${command//@DIRECTORY/$result.logs}
	command=${command//@MPROF/$MPROF}
	command=${command//@MODULES/$MPROF_MODULE_DIR}
	[[ $command != *--calls* ]] || kind=instrumented
	test "$language" = c || kind=mono
	read -ra words <<<"$command $(command_of "$kind" "$program")"
	mkdir -p "$(dirname "$result")"
	run_case "$result" "$result.logs" "${words[@]}"
	difference=$(what_differs "$work/results/bare/${program// /_}" "$result")
	# A log that was killed is completed by "mprof record" alone.
	if test "$mode" != memory; then
		difference+=$'\n'$(what_is_left "$mode" "$result.logs")
		difference=${difference#$'\n'}
	fi
	rm -rf "$result.logs"
}

# check_mode MODE CASE: a machine under load may make a program differ from run to run, recorded or alone. What differs
# once is reported as a retry, with what it was; what differs twice is a failure.
check_mode() {
	local mode=$1 program=$2 difference
	compare_mode "$mode" "$program"
	if test -n "$difference" && test -z "${MPROF_THOROUGH-}"; then
		echo "RETRY: $mode, $program: ${difference//$'\n'/; }"
		check_bare "$program"
		compare_mode "$mode" "$program"
	fi
	if test -z "$difference"; then
		equal[$mode]=$((${equal[$mode]:-0} + 1))
	else
		different[$mode]=$((${different[$mode]:-0} + 1))
		printf 'DIFFERS: %s, %s\n%s\n' "$mode" "$program" "$difference"
	fi
}

# check_bare CASE: two runs alone are equal.
check_bare() {
	local result=$work/results/bare/${1// /_} words
	mkdir -p "$work/results/bare"
	read -ra words <<<"$(command_of "$(test "$language" = c && echo plain || echo mono)" "$1")"
	run_case "$result" "$result.logs" "${words[@]}"
	test -z "${MPROF_THOROUGH-}" || run_case "$result.again" "$result.logs" "${words[@]}"
	rm -rf "$result.logs"
	test -n "${MPROF_THOROUGH-}" || return 0
	difference=$(what_differs "$result" "$result.again")
	test -z "$difference" || fail "$1 differs from run to run: $difference"
}

# runs_in MODE CASE
runs_in() {
	local cases=${mode_cases[$1]-.}
	test -z "${MPROF_THOROUGH-}" || cases=.
	# What the system or the runtime does not let be equal. The script says why.
	! grep -qwE "${left_out[$1]-^$}" <<<"$2" || return 1
	grep -qE "${HARMLESS_MODES:-.}" <<<"$1" && grep -qE "$cases" <<<"$2"
}

# check_programs USER MODE...: all cases of $language, c or cs, in these modes; prints the counts for each mode and ends the test.
check_programs() {
	local user=$1 recorded mode program ran_alone failed=0
	shift
	if test "$language" = c; then
		build_programs
	else
		build_mono_programs
	fi
	while read -r program; do
		ran_alone=no
		for recorded in "$@"; do
			runs_in "$recorded" "$program" || continue
			test $ran_alone = yes || check_bare "$program"
			ran_alone=yes
			check_mode "$recorded" "$program"
		done
	done < <(list_cases "$language")
	for mode in "$@"; do
		echo "$user, $mode: ${equal[$mode]:-0} equal, ${different[$mode]:-0} different"
		failed=$((failed + ${different[$mode]:-0}))
	done
	test "$failed" = 0 || fail "$failed runs differ from those without recording"
}
