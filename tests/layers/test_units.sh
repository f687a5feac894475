#!/bin/bash
# SPDX-License-Identifier: MIT
# A unit is NAME.c and NAME.h. In the directories below, units include each other in one order, without cycles, and a
# header declares functions of its own .c file alone; so calls have no cycles either. NAME.h may have two halves instead,
# NAME_posix.c and NAME_windows.c, which both define all of its functions. DIRECTORY/DIRECTORY.h is not a header of a
# unit: it declares what other directories may call.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

# Directories that hold to it. This list only grows.
directories="
	lib/base lib/convert lib/dictionary lib/format lib/io lib/model lib/parser lib/reader lib/recorder lib/writer
	examples/mprof/commands examples/mprof/common examples/mprof/decode examples/mprof/dump examples/mprof/record
	examples/mprof/report examples/native examples/shared"

# Pairs "unit unit" for tsort, the including one first. Headers of examples/native are included without a directory.
pairs() {
	local file unit name prefix
	name=$(basename "$1")
	prefix=$name/
	test "$name" != native || prefix=
	for file in "$1"/*.[ch]; do
		unit=$(basename "${file%.?}" | sed 's/_posix$//; s/_windows$//')
		echo "$unit $unit"
		sed -n "s|^#include \"$prefix\([a-z0-9_]*\)\.h\"|$unit \1|p" "$file" | grep -v " $name\$" || true
	done
}

# Functions that a header declares: prototypes begin in the first column, bodies of inline functions do not end in ";".
declared() {
	sed -n '/^static/d; s/^[a-z][a-z0-9_ ]*[ *]\([a-z][a-z0-9_]*\)(.*[;,]$/\1/p' "$1" | grep -vxE 'mprof_.*' || true
}

for directory in $directories; do
	if ! cycles=$(pairs "$directory" | tsort 2>&1 >/dev/null); then
		fail "$directory: files include each other in a circle: $(sed -n 's/^tsort: \([a-z_0-9]*\)$/\1/p' <<<"$cycles" | paste -sd' ')"
	fi
	for header in "$directory"/*.h; do
		# A test defines what test points call.
		case $header in "$directory/${directory##*/}.h" | lib/base/testpoint.h) continue ;; esac
		sources=("${header%.h}.c")
		if [ -e "${header%.h}_posix.c" ]; then
			sources=("${header%.h}_posix.c" "${header%.h}_windows.c")
		fi
		for name in $(declared "$header"); do
			for source in "${sources[@]}"; do
				grep -qE "^[a-z].*[ *]$name\(" "$source" 2>/dev/null ||
					fail "$header declares $name(), which is not in $source"
			done
		done
	done
done

# The directories of the tool include each other in one order too: commands, then the parts of one command, then common.
for file in examples/mprof/*/*.[ch] examples/shared/*.[ch]; do
	directory=$(basename "$(dirname "$file")")
	case $directory in
	commands) allowed='commands|common|decode|dump|record|report|shared' ;;
	shared) allowed=shared ;;
	common) allowed='common|shared' ;;
	*) allowed="$directory|common|shared" ;;
	esac
	for name in $(sed -n 's|^#include "\([a-z]*\)/.*|\1|p' "$file" | sort -u | grep -vxE "$allowed" || true); do
		fail "$file includes $name/"
	done
done

# Pairs "unit unit" of calls between the units of a directory, the calling one first, from the symbols of its objects. An
# object without a source is left over from an earlier build.
calls() {
	# shellcheck disable=SC2086 # NM may have options.
	${NM:-nm} -A "$builddir/$1"/libmprof_internal_la-*.o 2>/dev/null |
		sed -n 's/^[^:]*libmprof_internal_la-\([a-z0-9_]*\)\.o:[0-9a-f ]*\([A-Z]\) \([A-Za-z0-9_]*\)$/\1 \2 \3/p' |
		awk -v sources="$(cd "$1" && echo ./*.c)" '
			index(sources " ", "/" $1 ".c ") == 0 { next }
			{ unit = $1; sub(/_(posix|windows)$/, "", unit) }
			$2 == "U" { used[unit " " $3]; next }
			{ definition[$3] = unit }
			END {
				for (call in used) {
					split(call, part, " ")
					callee = definition[part[2]]
					if (callee != "" && callee != part[1])
						print part[1], callee
				}
			}'
}

# Public functions have no header in lib, so includes alone do not show who calls them. Objects for link-time
# optimization may have no symbols.
if test -n "${builddir-}"; then
	call_count=0
	for directory in $directories; do
		[[ $directory == lib/* ]] || continue
		all=$(calls "$directory")
		test -z "$all" && continue
		call_count=$((call_count + $(wc -l <<<"$all")))
		if ! cycles=$(tsort <<<"$all" 2>&1 >/dev/null); then
			fail "$directory: files call each other in a circle: $(sed -n 's/^tsort: \([a-z_0-9]*\)$/\1/p' <<<"$cycles" | paste -sd' ')"
		fi
	done
	echo "$call_count calls between units"
fi

# The recorder by owner: the whole of it is for what clients call. All else takes the part that its thread may touch.
for file in $(grep -l '"recorder/recorder_internal.h"' lib/recorder/*.[ch]); do
	case $(basename "$file") in
	control.c | definitions.c | flight_recorder.c | heap.c | lifecycle.c | samples.c | stats.c | thread.c | unloading.c) ;;
	*) fail "$file includes the whole recorder" ;;
	esac
done

exit $status
