#!/bin/bash
# SPDX-License-Identifier: MIT
# The schema of examples/fleet is the one that "make update-tables" writes, and has the columns of the files that are
# exported, in their order.
set -eu
. "$srcdir/tests/exports/support.sh"

schema=$srcdir/examples/fleet/schema.sql
"$builddir/examples/mprof/make_schema" | diff - "$schema" >&2 || fail "schema.sql differs: run make update-tables"
make_calls calls
mprof export --to=clickhouse calls.mprof
for file in calls-clickhouse/*.tsv; do
	table=$(basename "$file" .tsv)
	expect "columns of $table" "$(sed -n "/^CREATE TABLE $table (/,/^)/s/^\t\([a-z0-9_]*\) .*/\1/p" "$schema" | xargs)" \
		"$(head -n 1 "$file" | xargs)"
done
