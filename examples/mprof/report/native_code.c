/* SPDX-License-Identifier: MIT */
/*
 * Prints how much code was compiled at run time and how much was loaded precompiled: all of it, that of each assembly,
 * and that of the methods with the most code.
 */
#include "report/native_code.h"

#include "report/filters.h"
#include "report/parts.h"
#include "shared/kinds.h"
#include "shared/text.h"

#include <inttypes.h>
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

static int fetch_code(const log_report *report, size_t index, void *row)
{
	mprof_method_code *code = row;

	code->struct_size = sizeof(*code);
	mprof_profile_get_row(report->profile, MPROF_TABLE_METHOD_CODES, index, code);
	return code->method != 0 ? report_wants_method(report, code->method) : report_wants_all(report);
}

uint64_t report_code_count(const log_report *report, uint32_t origin)
{
	size_t rows = mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHOD_CODES);
	uint64_t count = 0;

	for (size_t i = 0; i < rows; i++) {
		mprof_method_code code = {.struct_size = sizeof(code)};

		if (mprof_profile_get_row(report->profile, MPROF_TABLE_METHOD_CODES, i, &code) == MPROF_OK &&
		    code.method != 0 && code.origin == origin)
			count += code.count;
	}
	return count;
}

static int compare_code(const void *left, const void *right)
{
	const mprof_method_code *a = left;
	const mprof_method_code *b = right;
	int order = report_larger_first(a->bytes, b->bytes);

	order = order != 0 ? order : report_larger_first(b->method, a->method);
	return order != 0 ? order : report_larger_first(b->origin, a->origin);
}

/* The rows of all methods, those with the most code first. */
static mprof_method_code *collect_code(const log_report *report, size_t *count)
{
	mprof_method_code *rows =
		report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHOD_CODES),
			       sizeof(mprof_method_code), fetch_code, compare_code, count);

	report_apply_order(report, ORDER_CODE, rows, *count, sizeof(*rows));
	return rows;
}

static int fetch_sum(const log_report *report, size_t index, void *row)
{
	code_sum *sum = row;
	mprof_method_code code;
	method_name name = {.assembly_id = 0};

	if (!fetch_code(report, index, &code))
		return 0;
	if (code.method != 0)
		names_method(report->input.reader, code.method, &name);
	*sum = (code_sum){name.assembly_id, code.origin, code.method != 0, code.count, code.bytes, code.compile_ns};
	return 1;
}

static int compare_groups(const void *left, const void *right)
{
	const code_sum *a = left;
	const code_sum *b = right;
	int order = report_larger_first(b->assembly_id, a->assembly_id);

	return order != 0 ? order : report_larger_first(b->origin, a->origin);
}

static int compare_origins(const void *left, const void *right)
{
	return report_larger_first(((const code_sum *)right)->origin, ((const code_sum *)left)->origin);
}

static int compare_sums(const void *left, const void *right)
{
	int order = report_larger_first(((const code_sum *)left)->bytes, ((const code_sum *)right)->bytes);

	return order != 0 ? order : compare_groups(left, right);
}

/*
 * The sums of neighbours that \p compare finds equal. Returns their number. The sums replace the rows, which are sorted
 * by \p compare.
 */
static size_t add_up(code_sum *rows, size_t count, int (*compare)(const void *, const void *))
{
	size_t sums = 0;

	for (size_t i = 0; i < count; i++) {
		code_sum row = rows[i];

		if (sums == 0 || compare(&rows[sums - 1], &row) != 0) {
			rows[sums++] = row;
			continue;
		}
		rows[sums - 1].methods += row.methods;
		rows[sums - 1].count += row.count;
		rows[sums - 1].bytes += row.bytes;
		rows[sums - 1].compile_ns += row.compile_ns;
	}
	return sums;
}

/* Sums by \p compare, the largest first. The caller frees the array. */
static code_sum *collect_sums(const log_report *report, int (*compare)(const void *, const void *), size_t *count)
{
	code_sum *sums = report_collect(report, mprof_profile_get_row_count(report->profile, MPROF_TABLE_METHOD_CODES),
					sizeof(*sums), fetch_sum, compare, count);

	if (sums == NULL)
		return NULL;
	*count = add_up(sums, *count, compare);
	qsort(sums, *count, sizeof(*sums), compare_sums);
	return sums;
}

static void print_sum(const code_sum *sum)
{
	char bytes[TEXT_NUMBER_SIZE];
	char methods[TEXT_NUMBER_SIZE];
	char time[TEXT_NUMBER_SIZE];

	printf("  %10s %10s %10s  ", text_bytes(bytes, sum->bytes), text_count(methods, sum->methods),
	       text_duration(time, sum->compile_ns));
}

static void print_totals(const log_report *report)
{
	size_t count;
	code_sum *sums = collect_sums(report, compare_origins, &count);

	if (count > 0) {
		report_title(report, "Code by origin", count, count, TABLE_CODE_TOTALS);
		printf("  %10s %10s %10s  %s\n", "bytes", "methods", "compiling", "origin");
	}
	for (size_t i = 0; i < count; i++) {
		print_sum(&sums[i]);
		puts(kind_of_code(sums[i].origin));
	}
	free(sums);
}

static void print_assemblies(const log_report *report)
{
	size_t count;
	code_sum *sums = collect_sums(report, compare_groups, &count);
	size_t shown = report_rows(report, count);

	if (count > 0) {
		report_title(report, "Code by assembly", shown, count, TABLE_CODE_ASSEMBLIES);
		printf("  %10s %10s %10s  %-11s  %s\n", "bytes", "methods", "compiling", "origin", "assembly");
	}
	for (size_t i = 0; i < shown; i++) {
		print_sum(&sums[i]);
		printf("%-11s  ", kind_of_code(sums[i].origin));
		if (sums[i].origin == MPROF_CODE_TRAMPOLINE && sums[i].assembly_id == 0)
			puts("(none)");
		else
			report_name(assembly_names_get(&report->assemblies, sums[i].assembly_id));
	}
	free(sums);
}

static void print_methods(const log_report *report)
{
	size_t count;
	mprof_method_code *rows = collect_code(report, &count);
	size_t shown = report_rows(report, count);
	char bytes[TEXT_NUMBER_SIZE];
	char times[TEXT_NUMBER_SIZE];
	char compiling[TEXT_NUMBER_SIZE];

	if (count > 0) {
		report_title(report, "Largest code by method", shown, count, TABLE_CODE_METHODS);
		printf("  %10s %10s %10s  %-11s  %s\n", "bytes", "times", "compiling", "origin", "method");
	}
	for (size_t i = 0; i < shown; i++) {
		printf("  %10s %10s %10s  %-11s  ", text_bytes(bytes, rows[i].bytes), text_count(times, rows[i].count),
		       text_duration(compiling, rows[i].compile_ns), kind_of_code(rows[i].origin));
		if (rows[i].method != 0)
			report_method(report, rows[i].method);
		else
			puts("(no method)");
	}
	free(rows);
}

void report_code_text(const log_report *report)
{
	print_totals(report);
	print_assemblies(report);
	print_methods(report);
}

static void print_sums_json(const log_report *report, json_writer *json, const char *key,
			    int (*compare)(const void *, const void *), int has_assembly)
{
	size_t count;
	code_sum *sums = collect_sums(report, compare, &count);

	json_begin_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_begin_object(json, NULL);
		if (has_assembly)
			json_string(json, "assembly", assembly_names_get(&report->assemblies, sums[i].assembly_id));
		json_string(json, "origin", kind_of_code(sums[i].origin));
		json_unsigned(json, "methods", sums[i].methods);
		json_unsigned(json, "count", sums[i].count);
		json_unsigned(json, "bytes", sums[i].bytes);
		json_unsigned(json, "compile_ns", sums[i].compile_ns);
		json_end_object(json);
	}
	json_end_array(json);
	free(sums);
}

/* Estimated size of a row in JSON, with names of average length. */
#define ROW_SIZE 160

static void print_methods_json(log_report *report, json_writer *json)
{
	size_t count;
	mprof_method_code *rows = collect_code(report, &count);
	size_t shown = report_rows(report, count);
	uint64_t room = report_room(report);
	size_t i;

	json_begin_array(json, "code_methods");
	for (i = 0; i < shown && report_takes_room(&room, ROW_SIZE); i++) {
		json_begin_object(json, NULL);
		json_string(json, "method",
			    rows[i].method != 0 ? names_full_method(report->input.names, rows[i].method) : NULL);
		json_string(json, "origin", kind_of_code(rows[i].origin));
		json_unsigned(json, "count", rows[i].count);
		json_unsigned(json, "bytes", rows[i].bytes);
		json_unsigned(json, "compile_ns", rows[i].compile_ns);
		json_end_object(json);
	}
	json_end_array(json);
	report->left_out.code_methods = shown - i;
	free(rows);
}

void report_code_json(log_report *report, json_writer *json)
{
	print_sums_json(report, json, "code_totals", compare_origins, 0);
	print_sums_json(report, json, "code_assemblies", compare_groups, 1);
	print_methods_json(report, json);
}
