/* SPDX-License-Identifier: MIT */
/* Prints the tables of "mprof export --to=clickhouse" as SQL: examples/fleet/schema.sql. */
#include "export/tables.h"

#include <stdio.h>

static const char *type_of(const table_column *column, size_t index)
{
	static const char *const types[] = {
		[COLUMN_INTEGER] = "Int64",
		[COLUMN_BOOLEAN] = "UInt8",
		[COLUMN_REAL] = "Float64",
		[COLUMN_TEXT] = "String",
	};
	static const char *const optional_types[] = {
		[COLUMN_INTEGER] = "Nullable(Int64)",
		[COLUMN_BOOLEAN] = "UInt8",
		[COLUMN_REAL] = "Nullable(Float64)",
		[COLUMN_TEXT] = "Nullable(String)",
	};

	return index < TABLE_ORIGIN_COLUMNS ? types[column->type] : optional_types[column->type];
}

int main(void)
{
	puts("-- SPDX-License-Identifier: MIT\n"
	     "-- The tables of \"mprof export --to=clickhouse\" on each shard. "
	     "The columns are in the order of the files.\n"
	     "-- \"make update-tables\" writes this file.");
	for (int table = 0; table < TABLES; table++) {
		table_column columns[TABLE_FILE_COLUMNS_MAX];
		const size_t count = table_file_columns((table_id)table, columns);

		printf("\nCREATE TABLE %s (\n", table_describe((table_id)table)->name);
		for (size_t i = 0; i < count; i++)
			printf("\t%s %s%s\n", columns[i].name, type_of(&columns[i], i), i + 1 < count ? "," : "");
		puts(") ENGINE = MergeTree\n"
		     "PARTITION BY toYYYYMMDD(toDateTime(intDiv(start_us, 1000000)))\n"
		     "ORDER BY (host, start_us, log);");
	}
	return fflush(stdout) == 0 ? 0 : 1;
}
