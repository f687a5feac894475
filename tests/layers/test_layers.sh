#!/bin/bash
# SPDX-License-Identifier: MIT
# Every file includes only what its layer may know, and the library never takes decisions that are the program's: it
# does not print, end the process, read the environment or handle signals.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

# What a file includes, one a line: "base/error.h", <mprof/format.h>, ...
includes() {
	sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*\([<"][^>"]*[>"]\).*/\1/p' "$1"
}

sources() {
	find "$@" -name '*.[ch]' | LC_ALL=C sort
}

# The directories that each directory may include, itself with them. The recorder writes and never reads; what analyses
# reads and never writes; the two ends of a log meet in the converter alone.
declare -A may_include=(
	[base]="base"
	[format]="base format"
	[io]="base io"
	[parser]="base format parser"
	[dictionary]="base format dictionary"
	[reader]="base format io parser dictionary reader"
	[writer]="base format io dictionary writer"
	[recorder]="base format io writer recorder"
	[heap]="base format reader heap"
	[model]="base format reader model"
	[convert]="base format reader writer convert"
)

# In the library: layer headers by their directory, public headers in angle brackets, config.h.
for file in $(sources lib); do
	layer=${file#lib/}
	layer=${layer%%/*}
	allowed=${may_include[$layer]-}
	for included in $(includes "$file"); do
		case $included in
		'"config.h"') ;;
		'<mprof.h>')
			# The sizes of all public structs.
			test "$file" = lib/struct_sizes.c || fail "$file includes all of the library by $included"
			;;
		'<mprof/recorder.h>' | '<mprof/recorder_'*)
			test "$layer" = recorder || fail "$file includes $included, which is the recorder's" ;;
		'<mprof/profile.h>' | '<mprof/profile_'*)
			test "$layer" = model || fail "$file includes $included, which is the model's" ;;
		'<mprof/heap_'*)
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
	done
done

for directory in lib/*/; do
	layer=$(basename "$directory")
	test -n "${may_include[$layer]-}" || fail "lib/$layer is not a layer"
done

# What differs between dialects is a column of the table in lib/format/dialect.c. Only the detection of a dialect also
# uses names; "unknown" and "the default" are not dialects.
for file in $(sources lib); do
	case $file in
	lib/format/* | lib/parser/detect.c) continue ;;
	esac
	named=$(sed 's/MPROF_DIALECT_DEFAULT//g' "$file" |
		grep -nE 'MPROF_DIALECT_[A-Z]|\bis_(of_)?(mono|mail|drop|unity|mprof2)\b' | head -1) || true
	test -z "$named" || fail "$file names a dialect instead of a capability: $named"
done

# Every public struct is one whose size can be asked for.
for name in $(sed -n 's/^typedef struct \(mprof_[a-z0-9_]*\) {$/\1/p' include/mprof/*.h); do
	grep -q "SIZE($name)" lib/struct_sizes.c || fail "lib/struct_sizes.c leaves out $name"
done

# One implementation of hash tables: the factor of the hash functions is in base/hash.h alone, and what probes the next
# slot of a table, (i + 1) & mask, in base/hash_index.h alone.
for file in $(sources lib); do
	test "$file" = lib/base/hash.h || ! grep -qiE '9e3779b9|HASH_FACTOR' "$file" ||
		fail "$file has a hash function of its own"
	test "$file" = lib/base/hash_index.h || ! grep -qE '\+ 1\) & [^&]*(mask|capacity|count|- 1\))' "$file" ||
		fail "$file has open addressing of its own"
done

# The same of the clients, in examples/shared.
for file in $(sources examples); do
	test "$file" = examples/shared/hash.h || ! grep -qiE '9e3779b9' "$file" ||
		fail "$file has a hash function of its own"
	test "$file" = examples/shared/key_map.c || ! grep -qE '\+ 1\) & [^&]*(mask|capacity|count|- 1\))' "$file" ||
		fail "$file has open addressing of its own"
done

# Public headers: each other and the standard's.
standard=" assert.h errno.h inttypes.h limits.h stdarg.h stddef.h stdint.h string.h "
for file in $(sources include); do
	for included in $(includes "$file"); do
		name=${included#?}
		name=${name%?}
		case $included in
		'<mprof/'*) test -e "include/$name" || fail "$file includes $included, which is not there" ;;
		*) [[ $included == '<'* && $standard == *" $name "* ]] || fail "$file includes $included" ;;
		esac
	done
done

# Clients: what is installed, the files beside them, and those that are named from the client's own directory.
for file in $(sources examples); do
	for included in $(includes "$file"); do
		wanted=${included#?}
		wanted=${wanted%?}
		case $included in
		'"config.h"') fail "$file includes $included, which is not installed" ;;
		'"'*)
			client=${file#examples/}
			client=examples/${client%%/*}
			test -e "$(dirname "$file")/$wanted" || test -e "$client/$wanted" ||
				[[ $wanted == shared/* && -e examples/$wanted ]] || fail "$file includes $included"
			;;
		'<mprof.h>') ;;
		'<mprof/'*) test -e "include/$wanted" || fail "$file includes $included, which is not there" ;;
		esac
	done
done

# Calls that the library leaves to the program. Comments and texts are taken out before looking.
forbidden='abort|assert|exit|_exit|_Exit|quick_exit|atexit'
forbidden+='|printf|fprintf|vprintf|vfprintf|dprintf|vdprintf|puts|fputs|putchar|putc|fputc|perror|syslog'
forbidden+='|getenv|secure_getenv|setenv|putenv|unsetenv|sigaction|signal|system|popen'
# Lines "FILE CALL" for what has a reason to be there.
excused=""
for file in $(sources lib); do
	calls=$(sed -e 's|"[^"\\]*\(\\.[^"\\]*\)*"|""|g' -e 's|//.*||' "$file" |
		awk '{
			while ($0 != "") {
				if (inside) {
					at = index($0, "*/")
					if (!at) break
					$0 = substr($0, at + 2); inside = 0
				} else {
					at = index($0, "/*")
					if (!at) { print; break }
					print substr($0, 1, at - 1)
					$0 = substr($0, at + 2); inside = 1
				}
			}
		}' |
		grep -oE "(^|[^A-Za-z0-9_.>])($forbidden)[[:space:]]*\\(" | grep -oE "($forbidden)" | sort -u) || continue
	for call in $calls; do
		grep -qxF "$file $call" <<<"$excused" || fail "$file calls $call()"
	done
done

exit $status
