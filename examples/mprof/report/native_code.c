/* SPDX-License-Identifier: MIT */
/*
 * Prints how much code was compiled at run time and how much was loaded precompiled: all of it, that of each assembly,
 * that of the methods with the most code, and where generated code was.
 */
#include "report/contents.h"

#include "report/filters.h"
#include "report/parts.h"
#include "shared/kinds.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Code of one origin, of one assembly or of all. */
typedef struct code_sum {
	uint32_t assembly_id; /* 0 if unknown or none. */
	uint32_t origin;
	uint64_t methods;
	uint64_t count;
	uint64_t bytes;
	uint64_t compile_ns;
} code_sum;

static const mprof_table_column sum_fields[] = {
	{"assembly_id", MPROF_TYPE_UINT32, MPROF_UNIT_NUMBER, offsetof(code_sum, assembly_id), 1, 0, 0},
	{"origin", MPROF_TYPE_UINT32, MPROF_UNIT_KIND, offsetof(code_sum, origin), 1, 0, 0},
	{"methods", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(code_sum, methods), 1, 0, 0},
	{"count", MPROF_TYPE_UINT64, MPROF_UNIT_COUNT, offsetof(code_sum, count), 1, 0, 0},
	{"bytes", MPROF_TYPE_UINT64, MPROF_UNIT_BYTES, offsetof(code_sum, bytes), 1, 0, 0},
	{"compile_ns", MPROF_TYPE_UINT64, MPROF_UNIT_NANOSECONDS, offsetof(code_sum, compile_ns), 1, 0, 0},
	{.name = NULL},
};

static int keep_code(const log_report *report, const void *row)
{
	const mprof_method_code *code = row;

	return code->method != 0 ? report_wants_method(report, code->method) : report_wants_all(report);
}

static int compare_groups(const void *left, const void *right)
{
	const code_sum *a = left;
	const code_sum *b = right;
	int order = report_larger_first(b->assembly_id, a->assembly_id);

	return order != 0 ? order : report_larger_first(b->origin, a->origin);
}

static void add_sum(code_sum *into, const code_sum *row)
{
	into->methods += row->methods;
	into->count += row->count;
	into->bytes += row->bytes;
	into->compile_ns += row->compile_ns;
}

/* The code of all methods that pass the filters, one row for each. */
static code_sum *read_codes(const log_report *report, int by_assembly, size_t *count)
{
	const size_t all = mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHOD_CODES);
	code_sum *rows = report_view_allocate(all, sizeof(*rows));

	*count = 0;
	for (size_t i = 0; rows != NULL && i < all; i++) {
		mprof_method_code code = {.struct_size = sizeof(code)};
		method_name name = {.assembly_id = 0};

		mprof_profile_get_row(report->profile, MPROF_TABLE_METHOD_CODES, i, &code);
		if (!keep_code(report, &code))
			continue;
		if (by_assembly && code.method != 0)
			names_method(report->input.reader, code.method, &name);
		rows[(*count)++] = (code_sum){name.assembly_id, code.origin, code.method != 0,
					      code.count,       code.bytes,  code.compile_ns};
	}
	return rows;
}

static void *read_sums(const log_report *report, int by_assembly, size_t *count)
{
	size_t all;
	code_sum *rows = read_codes(report, by_assembly, &all);

	*count = 0;
	if (all > 1)
		qsort(rows, all, sizeof(*rows), compare_groups);
	for (size_t i = 0; i < all; i++) {
		const code_sum row = rows[i];

		if (*count > 0 && compare_groups(&rows[*count - 1], &row) == 0)
			add_sum(&rows[*count - 1], &row);
		else
			rows[(*count)++] = row;
	}
	return rows;
}

static void *read_origins(const log_report *report, size_t *count)
{
	return read_sums(report, 0, count);
}

static void *read_assemblies(const log_report *report, size_t *count)
{
	return read_sums(report, 1, count);
}

static void print_assembly(const log_report *report, const void *row)
{
	const code_sum *sum = row;

	fputs("  ", stdout);
	if (sum->origin == MPROF_CODE_TRAMPOLINE && sum->assembly_id == 0)
		puts("(none)");
	else
		report_name(assembly_names_get(&report->assemblies, sum->assembly_id));
}

static void print_method(const log_report *report, const void *row)
{
	const mprof_method_code *code = row;

	fputs("  ", stdout);
	if (code->method != 0)
		report_method(report, code->method);
	else
		puts("(no method)");
}

static void write_assembly(const log_report *report, json_writer *json, const void *row, uint64_t id)
{
	(void)row;
	json_string(json, "assembly", assembly_names_get(&report->assemblies, (uint32_t)id));
}

#define SUM_ROWS                                                                                                       \
	.row_size = sizeof(code_sum), .fields = sum_fields, .order = "bytes <assembly_id <origin", .has_all_rows = 1
#define AMOUNTS                                                                                                        \
	VIEW_COLUMN(10, "bytes", "bytes"), VIEW_COLUMN(10, "methods", "methods"),                                      \
		VIEW_COLUMN(10, "compiling", "compile_ns")
#define SUM_FIELDS                                                                                                     \
	VIEW_KIND(origin, "origin", kind_of_code), VIEW_FIELD(methods), VIEW_FIELD(count), VIEW_FIELD(bytes),          \
		VIEW_FIELD(compile_ns)

const report_view code_by_origin = {
	SUM_ROWS,
	.table = REPORT_TABLE_CODE_TOTALS,
	.read = read_origins,
	.title = "Code by origin",
	.shows_all = 1,
	.columns = {AMOUNTS, VIEW_COLUMN_BY(0, "origin", .field = "origin", .kind = kind_of_code)},
	.json = {SUM_FIELDS},
};

const report_view code_by_assembly = {
	SUM_ROWS,
	.table = REPORT_TABLE_CODE_ASSEMBLIES,
	.read = read_assemblies,
	.title = "Code by assembly",
	.columns = {AMOUNTS, VIEW_COLUMN_BY(-11, "origin", .field = "origin", .kind = kind_of_code),
		    VIEW_COLUMN_BY(0, "assembly", .print = print_assembly)},
	.json = {VIEW_JOIN(assembly_id, write_assembly), SUM_FIELDS},
};

const report_view code_by_method = {
	.table = REPORT_TABLE_CODE_METHODS,
	.source = MPROF_TABLE_METHOD_CODES,
	.keep = keep_code,
	.order = "bytes <method <origin",
	.sorts = {{"bytes", "bytes", NULL}, {"times", "count", NULL}, {"compiling", "compile_ns", NULL}},
	.title = "Largest code by method",
	.columns = {VIEW_COLUMN(10, "bytes", "bytes"), VIEW_COLUMN(10, "times", "count"),
		    VIEW_COLUMN(10, "compiling", "compile_ns"),
		    VIEW_COLUMN_BY(-11, "origin", .field = "origin", .kind = kind_of_code),
		    VIEW_COLUMN_BY(0, "method", .print = print_method)},
	.json = {VIEW_NAME(method, "method"), VIEW_KIND(origin, "origin", kind_of_code), VIEW_ALL_OTHERS},
	.row_bytes = 160,
	.left_out = LEFT_OUT_CODE_METHODS,
};

static const char *format_place_end(const log_report *report, const void *row, uint64_t number,
				    char text[TEXT_NUMBER_SIZE])
{
	const mprof_code_range_stats *stats = row;

	(void)report;
	(void)number;
	snprintf(text, TEXT_NUMBER_SIZE, "%.3f s", (double)stats->end_ns / 1e9);
	return text;
}

static const char *format_address(const log_report *report, const void *row, uint64_t number,
				  char text[TEXT_NUMBER_SIZE])
{
	(void)report;
	(void)row;
	snprintf(text, TEXT_NUMBER_SIZE, "0x%" PRIx64, number);
	return text;
}

static void print_range(const log_report *report, const void *row)
{
	const mprof_code_range_stats *stats = row;

	fputs("  ", stdout);
	text_name(stdout, stats->method != 0 ? names_full_method(report->input.names, stats->method) : stats->name);
	putchar('\n');
}

/* Most logs with ranges have thousands of them. */
static int is_range_chosen(const log_report *report, const void *row)
{
	(void)row;
	return report->options.sections.sections != 0;
}

const report_view code_by_range = {
	.table = REPORT_TABLE_CODE_RANGES,
	.source = MPROF_TABLE_CODE_RANGES,
	.filters = "method",
	.keep_text = is_range_chosen,
	.sorts = {{"size", "size", NULL}, {"address", "address", NULL}},
	.title = "Generated code",
	.columns = {VIEW_COLUMN_BY(18, "address", .field = "address", .text = format_address),
		    VIEW_COLUMN_BY(9, "process", .field = "process", .needs = "process", .otherwise = "-"),
		    VIEW_COLUMN(10, "bytes", "size"),
		    VIEW_COLUMN_BY(12, "start", .field = "start_ns", .format = VIEW_SECONDS),
		    VIEW_COLUMN_BY(12, "end", .text = format_place_end, .needs = "has_end", .otherwise = "-"),
		    VIEW_COLUMN_BY(-11, "kind", .field = "kind", .kind = kind_of_code_range),
		    VIEW_COLUMN_BY(0, "name", .print = print_range)},
	.json = {VIEW_FIELD(id), VIEW_KIND(kind, "kind", kind_of_code_range), VIEW_NAME(method, "method"),
		 VIEW_FIELD(name), VIEW_FIELD(address), VIEW_FIELD(size), VIEW_FIELD(start_ns),
		 VIEW_FIELD_NEEDS(end_ns, has_end), VIEW_WITHOUT(has_end), VIEW_FIELD(process), VIEW_ALL_OTHERS},
	.row_bytes = 150,
	.left_out = LEFT_OUT_CODE_RANGES,
};
