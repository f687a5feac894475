#!/bin/bash
# SPDX-License-Identifier: MIT
# Tables in Parquet have the rows and values of those in CSV, as DuckDB reads them. Without DuckDB, the frame of the
# files is checked.
set -eu
. "$srcdir/tests/exports/support.sh"
needs python3
make_calls calls large
make_logs sample full memory empty mail
make_truncated
make_tree names names.mprof
logs=(calls sample full memory empty mail truncated names large)

mprof export --to=csv --host=web1 -o csv "${logs[@]/%/.mprof}"
mprof export --to=parquet --host=web1 -o parquet "${logs[@]/%/.mprof}"
expect_status 1 "all logs, one of which is truncated"
for file in csv/*.csv; do
	test -s "parquet/$(basename "$file" .csv).parquet" || fail "no table for $file"
done
python3 - parquet/*.parquet <<'END' || fail "the frame of a file is wrong"
import sys

for name in sys.argv[1:]:
	data = open(name, "rb").read()
	length = int.from_bytes(data[-8:-4], "little")
	assert data[:4] == data[-4:] == b"PAR1" and 4 + length + 8 <= len(data), name
	assert data[-8 - length:-8].endswith(b"\0"), name
END

mprof export --to=parquet --table=classes --host=web1 -o one.parquet "${logs[@]/%/.mprof}"
cmp one.parquet parquet/classes.parquet || fail "--table makes a difference"
mprof export --to=parquet --table=methods -o /dev/full calls.mprof
expect_status 1 "a full disk"

# DUCKDB names a directory with node_modules/@duckdb/node-api.
command -v node >/dev/null && test -n "${DUCKDB-}" || skip "node or DuckDB is missing: npm install @duckdb/node-api in DUCKDB"
cat >to_json.cjs <<'END'
const { DuckDBInstance } = require(process.env.DUCKDB + "/node_modules/@duckdb/node-api");
const fs = require("fs");

(async () => {
	const connection = await (await DuckDBInstance.create(":memory:")).connect();

	for (const file of fs.readdirSync("parquet"))
		await connection.run(`COPY (SELECT * FROM 'parquet/${file}') TO '${file}.json'`);
})().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
END
node to_json.cjs || fail "DuckDB cannot read a table"
cat >compare.py <<'END'
import csv
import glob
import json
import os

rows = 0
for name in glob.glob("csv/*.csv"):
	with open(name, newline="", encoding="utf-8") as file:
		wanted = list(csv.DictReader(file, strict=True))
	with open(os.path.basename(name).replace(".csv", ".parquet.json"), encoding="utf-8") as file:
		found = [json.loads(line) for line in file]
	assert len(found) == len(wanted), (name, len(found), len(wanted))
	for left, right in zip(found, wanted):
		assert list(left) == list(right), (name, list(left))
		for key, value in left.items():
			text = "" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
			same = float(right[key]) == value if isinstance(value, float) else text == right[key]
			assert same, (name, key, value, right[key])
	rows += len(found)
assert rows > 100, rows
END
python3 compare.py || fail "DuckDB finds other values than those in CSV"
