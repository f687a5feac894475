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

# Directories that hold to it: all of the library that have sources, and these. This list only grows.
directories="
	$(find lib -mindepth 2 -name '*.c' | sed 's|/[^/]*$||' | LC_ALL=C sort -u | paste -sd' ')
	examples/mono examples/mprof/commands examples/mprof/common examples/mprof/decode examples/mprof/diff
	examples/mprof/dump examples/mprof/explore examples/mprof/export examples/mprof/flame examples/mprof/heap examples/mprof/import
	examples/mprof/live examples/mprof/record examples/mprof/report examples/mprof/symbolize examples/native examples/shared"

# Prints for a directory "include UNIT UNIT" for each include between units, the including one first, and "fault TEXT"
# for each function that a header declares but its .c file does not define. Prototypes and functions begin in the first
# column; a prototype ends with ";", or with "," if it continues in the next line. Files of examples/mono and
# examples/native are included without a directory.
inspect() {
	awk -v directory="$1" '
		function base(path) { sub(/^.*\//, "", path); sub(/\.[ch]$/, "", path); return path }
		function unit_of(path) { path = base(path); sub(/_(posix|windows)$/, "", path); return path }
		BEGIN {
			name = base(directory)
			prefix = directory "/"
			sub(/^(lib|examples\/mprof|examples)\//, "", prefix)
			if (name == "native" || name == "mono")
				prefix = ""
		}
		FNR == 1 {
			unit = unit_of(FILENAME)
			exists[FILENAME] = 1
			is_header = FILENAME ~ /\.h$/
			# A test defines what test points call.
			is_unit_header = is_header && base(FILENAME) != name && FILENAME != "lib/base/testpoint.h"
			print "include", unit, unit
		}
		/^#include "/ {
			split($0, quoted, "\"")
			if (index(quoted[2], prefix) == 1) {
				included = substr(quoted[2], length(prefix) + 1)
				if (included ~ /^[a-z0-9_]*\.h$/ && included != name ".h")
					print "include", unit, base(included)
			}
		}
		/^[A-Za-z][A-Za-z0-9_ ]*[ *]\**[a-z][a-z0-9_]*\(/ {
			symbol = substr($0, 1, index($0, "(") - 1)
			sub(/^.*[ *]/, "", symbol)
			if (!is_header && $0 !~ /;$/)
				defined[FILENAME, symbol] = 1
			if (is_unit_header && $0 ~ /^([a-z]|Mono)/ && $0 !~ /^static/ && $0 ~ /[;,]$/ && symbol !~ /^mprof_/)
				declared[FILENAME " " symbol] = 1
		}
		function require(source, header, symbol) {
			if (!((source, symbol) in defined))
				print "fault " header " declares " symbol "(), which is not in " source
		}
		END {
			for (declaration in declared) {
				split(declaration, part, " ")
				stem = part[1]
				sub(/\.h$/, "", stem)
				if ((stem "_posix.c") in exists) {
					require(stem "_posix.c", part[1], part[2])
					require(stem "_windows.c", part[1], part[2])
				} else {
					require(stem ".c", part[1], part[2])
				}
			}
		}' "$1"/*.[ch]
}

# The units that tsort names in its report of a circle.
circle() {
	sed -n 's/^tsort: \([a-z_0-9]*\)$/\1/p' <<<"$1" | paste -sd' '
}

for directory in $directories; do
	found=$(inspect "$directory")
	while read -r fault; do
		fail "$fault"
	done < <(sed -n 's/^fault //p' <<<"$found")
	if ! cycles=$(sed -n 's/^include //p' <<<"$found" | tsort 2>&1 >/dev/null); then
		fail "$directory: files include each other in a circle: $(circle "$cycles")"
	fi
done

# The directories of the tool include each other in one order too: commands, then export, which several share, then the parts of one
# command, then symbolize, then common.
while read -r fault; do
	fail "$fault"
done < <(awk '
	FNR == 1 {
		directory = FILENAME
		sub(/\/[^\/]*$/, "", directory)
		sub(/^.*\//, "", directory)
		allowed = " shared "
		if (directory != "shared") allowed = allowed "common " directory " "
		if (directory == "commands") allowed = allowed "decode diff dump explore export flame heap import live record report symbolize "
		if (directory == "report") allowed = allowed "symbolize "
		if (directory == "flame") allowed = allowed "export report "
		if (directory == "export") allowed = allowed "heap report symbolize "
		if (directory == "explore") allowed = allowed "export live symbolize "
	}
	/^#include "[a-z]*\// {
		split($0, part, /["\/]/)
		if (index(allowed, " " part[2] " ") == 0)
			print FILENAME " includes " part[2] "/"
	}' examples/mprof/*/*.[ch] examples/shared/*.[ch])

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
			fail "$directory: files call each other in a circle: $(circle "$cycles")"
		fi
	done
	echo "$call_count calls between units"
fi

exit $status
