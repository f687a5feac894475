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
directories="base convert dictionary format io model parser reader recorder writer"

# Pairs "unit unit" for tsort, the including one first.
pairs() {
	local file unit
	for file in "lib/$1"/*.[ch]; do
		unit=$(basename "${file%.?}" | sed 's/_posix$//; s/_windows$//')
		echo "$unit $unit"
		sed -n "s/^#include \"$1\/\([a-z0-9_]*\)\.h\"/$unit \1/p" "$file" | grep -v " $1\$" || true
	done
}

# Functions that a header declares: prototypes begin in the first column, bodies of inline functions do not end in ";".
declared() {
	sed -n '/^static/d; s/^[a-z][a-z0-9_ ]*[ *]\([a-z][a-z0-9_]*\)(.*[;,]$/\1/p' "$1" | grep -vxE 'mprof_.*' || true
}

for directory in $directories; do
	if ! cycles=$(pairs "$directory" | tsort 2>&1 >/dev/null); then
		fail "lib/$directory: files include each other in a circle: $(sed -n 's/^tsort: \([a-z_0-9]*\)$/\1/p' <<<"$cycles" | paste -sd' ')"
	fi
	for header in "lib/$directory"/*.h; do
		# A test defines what test points call.
		case $header in "lib/$directory/$directory.h" | lib/base/testpoint.h) continue ;; esac
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

# The recorder by owner: the whole of it is for what clients call. All else takes the part that its thread may touch.
for file in $(grep -l '"recorder/recorder_internal.h"' lib/recorder/*.[ch]); do
	case $(basename "$file") in
	control.c | definitions.c | flight_recorder.c | heap.c | lifecycle.c | samples.c | stats.c | thread.c | unloading.c) ;;
	*) fail "$file includes the whole recorder" ;;
	esac
done

exit $status
