/* SPDX-License-Identifier: MIT */
/*
 * The gist of mprof-decoder, which came with Mono's first profilers, for logs of every dialect: what was allocated,
 * where time went, what was compiled, what samples hit, and the collections. `mprof decode` prints all of it.
 *
 *     ./decoder app.mprof
 */
#include <mprof/profile.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A line of a section. */
typedef struct line {
	uint64_t value; /* What the lines are sorted by. */
	uint64_t count;
	uint32_t kind; /* An mprof_sample_kind. */
	uint32_t id;
} line;

typedef struct section {
	line *lines;
	size_t count;
	uint64_t sum; /* Of the values. */
} section;

static mprof_profile *profile;
static mprof_reader *reader;

/* A section that has room for the rows of a table. */
static section begin_section(uint32_t table)
{
	section begun = {.lines = calloc(mprof_profile_get_row_count(profile, table) + 1, sizeof(line))};

	if (begun.lines == NULL)
		exit(1);
	return begun;
}

static void add_line(section *filled, uint64_t value, uint64_t count, uint32_t kind, uint32_t id)
{
	if (value > 0)
		filled->lines[filled->count++] = (line){.value = value, .count = count, .kind = kind, .id = id};
	filled->sum += value;
}

/* The largest first. */
static int compare_lines(const void *left, const void *right)
{
	const line *a = left;
	const line *b = right;

	return a->value != b->value ? (a->value < b->value ? 1 : -1) : (a->id > b->id) - (a->id < b->id);
}

static void print_name(const line *named)
{
	mprof_mapping definition;
	mprof_record record;
	char text[1024];

	if (named->kind == MPROF_SAMPLE_METHOD) {
		mprof_reader_format_method(reader, named->id, text, sizeof(text));
		printf("%s\n", text);
	} else if (named->kind == MPROF_SAMPLE_CLASS &&
		   mprof_reader_lookup_class(reader, named->id, &definition, sizeof(definition)) == MPROF_OK) {
		printf("%.*s\n", (int)definition.name_length, definition.name);
	} else if (named->kind == MPROF_SAMPLE_FUNCTION &&
		   mprof_reader_lookup_record(reader, MPROF_RECORD_FUNCTION, named->id, &record, sizeof(record)) ==
			   MPROF_OK) {
		printf("%s\n", record.as.function.name);
	} else {
		puts("(unknown)");
	}
}

/* The unit divides values; "" leaves the count out. */
static void print_section(section *printed, double unit, int decimals, const char *unit_name, const char *count_name)
{
	qsort(printed->lines, printed->count, sizeof(line), compare_lines);
	for (size_t i = 0; i < printed->count; i++) {
		const line *row = &printed->lines[i];

		printf("%5.2f%% (%.*f%s", 100.0 * (double)row->value / (double)printed->sum, decimals,
		       (double)row->value / unit, unit_name);
		if (count_name[0] != '\0')
			printf(", %" PRIu64 "%s", row->count, count_name);
		fputs(") ", stdout);
		print_name(row);
	}
	free(printed->lines);
}

static void print_allocations(void)
{
	section classes = begin_section(MPROF_TABLE_CLASSES);
	mprof_class_stats row = {.struct_size = sizeof(row)};

	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_CLASSES, i, &row) == MPROF_OK; i++)
		add_line(&classes, row.bytes, row.allocations, MPROF_SAMPLE_CLASS, row.id);
	printf("\nReporting allocations (on %zu classes)\n", classes.count);
	print_section(&classes, 1, 0, " bytes", " instances");
}

/* The time of each method, with what it calls, and of its compilation. */
static void print_methods(void)
{
	section times = begin_section(MPROF_TABLE_METHODS);
	section compilations = begin_section(MPROF_TABLE_METHODS);
	mprof_method_stats row = {.struct_size = sizeof(row)};

	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_METHODS, i, &row) == MPROF_OK; i++) {
		add_line(&times, row.total_ns, row.calls, MPROF_SAMPLE_METHOD, row.id);
		add_line(&compilations, row.jit_ns, 1, MPROF_SAMPLE_METHOD, row.id);
	}
	printf("\nReporting execution time (on %zu methods)\n", times.count);
	print_section(&times, 1e9, 6, "s", " calls");
	printf("\nReporting jit time (on %zu methods)\n", compilations.count);
	print_section(&compilations, 1e6, 3, "ms", "");
}

static void print_samples(void)
{
	section hits = begin_section(MPROF_TABLE_SAMPLES);
	mprof_sample_stats row = {.struct_size = sizeof(row)};

	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_SAMPLES, i, &row) == MPROF_OK; i++)
		add_line(&hits, row.self, row.total, row.kind, row.id);
	printf("\nReporting statistical hits (%" PRIu64 " hits recorded)\n", hits.sum);
	print_section(&hits, 1, 0, "", " with callees");
}

static void print_collections(void)
{
	mprof_collection row = {.struct_size = sizeof(row)};

	printf("\nReporting GC statistics for %" PRIu64 " collections\n",
	       mprof_profile_get_row_count(profile, MPROF_TABLE_COLLECTIONS));
	for (size_t i = 0; mprof_profile_get_row(profile, MPROF_TABLE_COLLECTIONS, i, &row) == MPROF_OK; i++)
		printf("[%" PRIu64 "] Collection starting at %.3fs (generation %" PRIu32 "): duration %.3fms\n",
		       row.number, (double)row.start_ns / 1e9, row.generation, (double)row.duration_ns / 1e6);
}

int main(int argc, char **argv)
{
	int failed = argc != 2 || mprof_reader_open_path(argv[1], NULL, &reader) != MPROF_OK ||
		     mprof_profile_create(NULL, &profile) != MPROF_OK;

	if (!failed) {
		/* A damaged log has a profile of what is left of it. */
		failed = mprof_profile_read(profile, reader, NULL, NULL) != MPROF_OK;
		failed |= mprof_profile_finish(profile, reader) != MPROF_OK;
		print_allocations();
		print_methods();
		print_samples();
		print_collections();
	}
	mprof_profile_destroy(profile);
	mprof_reader_destroy(reader);
	return failed;
}
