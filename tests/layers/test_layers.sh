#!/bin/bash
# SPDX-License-Identifier: MIT
# Every file includes only what its layer may use, and the library never takes decisions that are the program's: it
# does not print, end the process, read the environment or handle signals.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

sources() {
	find "$@" -name '*.[ch]' | LC_ALL=C sort
}

# What the files in a directory include: FILE "base/error.h", FILE <mprof/format.h>, ...
includes() {
	sources "$1" | xargs awk '/^[ \t]*#[ \t]*include[ \t]*[<"]/ && match($0, /[<"][^>"]*[>"]/) {
		print FILENAME, substr($0, RSTART, RLENGTH)
	}'
}

# The directories that each directory may include, itself with them. The recorder writes and never reads; what analyses
# reads and never writes; the two ends of a log meet in the converter alone.
declare -A may_include=(
	[base]="base"
	[format]="base format"
	[codec]="base codec"
	[io]="base codec io"
	[parser]="base format codec parser"
	[dictionary]="base format dictionary"
	[reader]="base format codec io parser dictionary reader"
	[writer]="base format codec io dictionary writer"
	[recorder]="base format codec io dictionary writer recorder"
	[heap]="base format reader heap"
	[model]="base format reader model"
	[convert]="base format reader writer convert"
)

# In the library: layer headers by their directory, public headers in angle brackets, config.h.
while read -r file included; do
	layer=${file#lib/}
	layer=${layer%%/*}
	allowed=${may_include[$layer]-}
	case $included in
	'"config.h"') ;;
	'<mprof.h>')
		# The sizes of all public structs.
		test "$file" = lib/library.c || fail "$file includes all of the library by $included"
		;;
	'<mprof/recorder.h>')
		test "$layer" = recorder || fail "$file includes $included, which is the recorder's" ;;
	'<mprof/profile.h>')
		test "$layer" = model || fail "$file includes $included, which is the model's" ;;
	'<mprof/heap.h>')
		test "$layer" = heap || fail "$file includes $included, which is that of heap graphs" ;;
	'<mprof/convert.h>')
		test "$layer" = convert || fail "$file includes $included, which is the converter's" ;;
	'<'*) ;;
	*)
		wanted=${included#\"}
		[[ $wanted == */* ]] || fail "$file includes $included without its layer"
		[[ " $allowed " == *" ${wanted%%/*} "* ]] || fail "$file includes $included"
		# The struct of a handle is private to its directory.
		[[ $wanted != *_internal.h\" || $wanted == "$layer"/* ]] ||
			fail "$file includes $included, which is private"
		;;
	esac
done < <(includes lib)

# The directories of a layer, in the order of calls: each may include those before it. In the recorder, by owner: the
# whole of it is for what clients call. All else takes the part that its thread may touch.
declare -A directories_of=(
	[format]="values events blocks"
	[model]="records profile results"
	[recorder]="system queues tables threads drain client"
)
for layer in "${!directories_of[@]}"; do
	allowed=
	for directory in ${directories_of[$layer]}; do
		allowed+=" $directory"
		while read -r file included; do
			wanted=${included#\"$layer/}
			test "$wanted" = "$included" || [[ "$allowed " == *" ${wanted%%/*} "* ]] || fail "$file includes $included"
		done < <(includes "lib/$layer/$directory")
	done
	test "$(ls -d lib/"$layer"/* | wc -l)" = "$(wc -w <<<"$allowed")" || fail "lib/$layer has other files or directories"
done

for directory in lib/*/; do
	layer=$(basename "$directory")
	test -n "${may_include[$layer]-}" || fail "lib/$layer is not a layer"
done

# What differs between dialects is a column of the table in lib/format/values/dialect.c. Only the detection of a dialect also
# uses names; "unknown" and "the default" are not dialects.
names='MPROF_DIALECT_[A-Z]|\bis_(of_)?(mono|mail|drop|unity|mprof2)\b'
while read -r named; do
	fail "a dialect is named instead of a capability: $named"
done < <(sources lib | grep -vE '^lib/(format/|parser/log_state\.c$)' | xargs grep -nE "$names" |
	sed 's/MPROF_DIALECT_DEFAULT//g' | grep -E "$names")

# Every public struct is one whose size can be asked for.
while read -r name; do
	fail "lib/library.c leaves out $name"
done < <(LC_ALL=C comm -23 \
	<(sed -n 's/^typedef struct \(mprof_[a-z0-9_]*\) {$/\1/p' include/mprof/*.h | LC_ALL=C sort) \
	<(sed -n 's/.*SIZE(\([a-z0-9_]*\)).*/\1/p' lib/library.c | LC_ALL=C sort))

# One implementation of hash tables: the factor of the hash functions, and what probes the next slot of a table,
# (i + 1) & mask, are in base/hash_map.h alone.
# hashes_alone DIRECTORY FACTOR FILE FILE
hashes_alone() {
	local file
	for file in $(sources "$1" | grep -vxF "$3" | xargs grep -liE "$2"); do
		fail "$file has a hash function of its own"
	done
	for file in $(sources "$1" | grep -vxF "$4" | xargs grep -lE '\+ 1\) & [^&]*(mask|capacity|count|- 1\))'); do
		fail "$file has open addressing of its own"
	done
}
hashes_alone lib '9e3779b9|HASH_FACTOR' lib/base/hash_map.h lib/base/hash_map.h
# The clients have theirs in examples/shared.
hashes_alone examples '9e3779b9' examples/shared/hash.h examples/shared/key_map.c

# Two that raise the limit of descriptors at the same time, each knowing only of itself, leave it raised. The tool changes
# only its own processes.
for file in $(sources lib examples | grep -vE '^(lib/io/high_descriptor\.c$|examples/mprof/)' | xargs grep -lE 'RLIMIT_NOFILE'); do
	fail "$file has a limit of descriptors of its own"
done

# What defers the cancellation of a thread also changes the type, for the library and for the modules in one header each.
for file in $(sources lib examples | xargs grep -lE 'pthread_setcancelstate\('); do
	case $file in
	lib/base/cancellation.h | examples/shared/cancellation.h)
		grep -qE 'pthread_setcanceltype\(PTHREAD_CANCEL_DEFERRED' "$file" || fail "$file does not defer all cancellation"
		;;
	*) fail "$file disables cancellation by itself" ;;
	esac
done

# Public headers: each other and the standard's.
standard=" assert.h errno.h inttypes.h limits.h stdarg.h stddef.h stdint.h string.h "
while read -r file included; do
	name=${included#?}
	name=${name%?}
	case $included in
	'<mprof/'*) test -e "include/$name" || fail "$file includes $included, which is not there" ;;
	*) [[ $included == '<'* && $standard == *" $name "* ]] || fail "$file includes $included" ;;
	esac
done < <(includes include)

# Clients: what is installed, the files beside them, and those that are named from the client's own directory.
while read -r file included; do
	wanted=${included#?}
	wanted=${wanted%?}
	case $included in
	'"config.h"') fail "$file includes $included, which is not installed" ;;
	'"'*)
		client=${file#examples/}
		client=examples/${client%%/*}
		test -e "${file%/*}/$wanted" || test -e "$client/$wanted" ||
			[[ $wanted == shared/* && -e examples/$wanted ]] || fail "$file includes $included"
		;;
	'<mprof.h>') ;;
	'<mprof/'*) test -e "include/$wanted" || fail "$file includes $included, which is not there" ;;
	esac
done < <(includes examples)

# calls_in NAMES FILE...: the calls of functions there, FILE CALL. Comments and texts are taken out before looking.
calls_in() {
	awk -v forbidden="$1" '
		FNR == 1 { inside = 0 }
		{
			gsub(/"([^"\\]|\\.)*"/, "\"\"")
			sub("//.*", "")
			code = ""
			while ($0 != "") {
				at = index($0, inside ? "*/" : "/*")
				if (!inside) code = code " " (at ? substr($0, 1, at - 1) : $0)
				if (!at) break
				$0 = substr($0, at + 2)
				inside = !inside
			}
			while (match(code, "(^|[^A-Za-z0-9_.>])(" forbidden ")[ \t]*[(]")) {
				call = substr(code, RSTART, RLENGTH)
				gsub(/[^A-Za-z0-9_]/, "", call)
				print FILENAME, call
				code = substr(code, RSTART + RLENGTH)
			}
		}' "${@:2}" | LC_ALL=C sort -u
}

# Calls that the library leaves to the program.
forbidden='abort|assert|exit|_exit|_Exit|quick_exit|atexit'
forbidden+='|printf|fprintf|vprintf|vfprintf|dprintf|vdprintf|puts|fputs|putchar|putc|fputc|perror|syslog'
forbidden+='|getenv|secure_getenv|setenv|putenv|unsetenv|sigaction|signal|system|popen'
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
printf '%s\n' '/* exit(1) */ call("exit(2)"); // exit(3)' '/* abort()' 'abort() */ if (a) exit (4);' >"$scratch/exits.c"
test "$(calls_in "$forbidden" "$scratch/exits.c")" = "$scratch/exits.c exit" || fail "calls are not found as they are"
mapfile -t files < <(sources lib)
while read -r file call; do
	fail "$file calls $call()"
done < <(calls_in "$forbidden" "${files[@]}")

exit $status
