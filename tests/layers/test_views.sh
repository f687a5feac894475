#!/bin/bash
# SPDX-License-Identifier: MIT
# The views of mprof report and mprof heap name fields of tables as text. Each name is that of a column of the library,
# of a field that a view describes itself, or, after "@", of a measure.
set -eu
cd "$srcdir"

# Prints the names of the columns that a file describes.
columns_of() {
	grep -ohE '(COLUMN|MEASURE)\([a-z0-9_]+' "$1" | sed 's/.*(//'
}

measures=$(grep -oE '\[MPROF_MEASURE_[A-Z]+\] = "@[a-z]+"' examples/mprof/common/table_view.c | sed 's/.*"\(.*\)"/\1/')
known=$(
	echo "$measures"
	columns_of lib/model/profile/table_columns.c
	sed -n 's/^	{"\([a-z_]*\)", MPROF_TYPE_.*/\1/p' examples/mprof/report/*.c
)
names=$(
	grep -ohE '\.(order|present|remaining|merged|filters|field|needs) = ([A-Z_]+ )?"[^"]*"|^#define [A-Z_]+ "[a-z_ <?]+"$' \
		examples/mprof/report/*.c |
		sed 's/.*"\(.*\)"/\1/' | tr ' ' '\n' | tr -d '<?'
	grep -ohE 'VIEW_(FIELD|FIELD_AS|FIELD_NEEDS|OPPOSITE|BITS|NAME|KIND|JOIN|WITHOUT)\([a-z_0-9]+' examples/mprof/report/*.c |
		sed 's/.*(//'
	grep -ohE 'VIEW_COLUMN\([^)]*"\)|VIEW_SHARE_COLUMN\("[a-z_]*"\)' examples/mprof/report/*.c | sed 's/.*"\(.*\)")/\1/'
)
heap_known=$(
	echo "$measures"
	columns_of lib/heap/tables.c
)
heap_names=$(grep -ohE '\.field = "[^"]*"' examples/mprof/heap/*.c examples/mprof/diff/heap_part.c | sed 's/.*"\(.*\)"/\1/')

# check NAMES KNOWN LEAST: more than LEAST of the names are found in the sources, and all of them are known.
check() {
	local count unknown

	count=$(sort -u <<<"$1" | grep -c .)
	test "$count" -gt "$3" || {
		echo "FAIL: only $count names were found"
		exit 1
	}
	unknown=$(sort -u <<<"$1" | grep . | grep -vxFf <(sort -u <<<"$2") || true)
	test -z "$unknown" || {
		echo "FAIL: no table has a field with these names: ${unknown//$'\n'/ }"
		exit 1
	}
	echo "$count names"
}

check "$names" "$known" 80
check "$heap_names" "$heap_known" 20
