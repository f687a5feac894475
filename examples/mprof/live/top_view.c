/* SPDX-License-Identifier: MIT */
/* Collects the rows of a live view, and prints them as text and as JSON as the views of their tables describe it. */
#include "live/top_view.h"

#include "common/json.h"
#include "common/name_cut.h"
#include "common/names.h"
#include "common/table_view.h"
#include "shared/text.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define HOTTEST 3

/* What a value of a row is, in the order of documents: the row of the window has one name for it in all tables. */
typedef enum row_value { VALUE_NONE, VALUE_COUNT, VALUE_SELF, VALUE_TOTAL, VALUE_UNFINISHED, VALUES } row_value;

typedef struct top_column {
	int width;
	const char *heading;
	row_value value; /* VALUE_NONE: the share of the own values. */
	int is_rate;     /* Per second. */
} top_column;

typedef struct top_table {
	uint32_t table;
	const char *key;          /* In documents. */
	const char *subject;      /* Heading of the names. */
	top_column columns[4];    /* As text. */
	const char *keys[VALUES]; /* Of values in documents; NULL: the names of the columns of the profile. */
	/* Prints what rows are those of; NULL: the ID and the name. */
	void (*print)(const live_profile *live, json_writer *json, const top_row *row);
} top_table;

/*
 * Rows.
 */

static uint64_t key_of(const mprof_live_row *row, top_sort sort)
{
	return sort == TOP_SORT_SELF ? row->self : sort == TOP_SORT_TOTAL ? row->total : row->count;
}

/* Rows with equal keys stay in the order of the table, so that they do not move on the screen. */
static size_t insert_row(top_row *rows, size_t count, size_t capacity, const top_row *added, top_sort sort)
{
	const uint64_t key = key_of(&added->values, sort);
	size_t position = count < capacity ? count : capacity;

	while (position > 0 && key_of(&rows[position - 1].values, sort) < key)
		position--;
	if (position == capacity)
		return count;
	if (count < capacity)
		count++;
	memmove(&rows[position + 1], &rows[position], (count - 1 - position) * sizeof(*rows));
	rows[position] = *added;
	return count;
}

size_t top_view_collect(const live_profile *live, uint32_t table, top_sort sort, top_row *rows, size_t capacity)
{
	const size_t available = mprof_live_window_get_row_count(live->window, table);
	size_t count = 0;
	top_row row;

	if (capacity == 0)
		return 0;
	row.values.struct_size = sizeof(row.values);
	for (row.index = 0; row.index < available; row.index++) {
		if (mprof_live_window_get_row(live->window, table, row.index, &row.values) != MPROF_OK)
			break;
		if (row.values.count == 0 && row.values.self == 0 && row.values.total == 0)
			continue;
		count = insert_row(rows, count, capacity, &row, sort);
	}
	return count;
}

uint32_t top_view_hot_table(const live_profile *live)
{
	return live->totals.calls == 0 && live->totals.samples > 0 ? MPROF_TABLE_SAMPLES : MPROF_TABLE_METHODS;
}

static const char *name_of_thread(const live_profile *live, const top_row *row)
{
	static char unnamed[32];
	mprof_thread_stats stats = {.struct_size = sizeof(stats)};

	if (mprof_profile_get_row(live->profile, MPROF_TABLE_THREADS, row->index, &stats) == MPROF_OK &&
	    stats.name != NULL)
		return stats.name;
	snprintf(unnamed, sizeof(unnamed), "0x%" PRIx64, row->values.id);
	return unnamed;
}

const char *top_view_name(const live_profile *live, uint32_t table, const top_row *row)
{
	static class_name class;
	const log_input *input = &live->log.input;
	const char *name;

	switch (table) {
	case MPROF_TABLE_METHODS:
		return names_full_method(input->names, (uint32_t)row->values.id);
	case MPROF_TABLE_SAMPLES:
		name = names_sample(input->names, row->values.kind, (uint32_t)row->values.id);
		break;
	case MPROF_TABLE_THREADS:
		return name_of_thread(live, row);
	default:
		name = names_class_or_none(input->reader, (uint32_t)row->values.id, &class);
		break;
	}
	return name != NULL ? name : "(unknown)";
}

/* The sum that the own values of the rows of a hot table are parts of: nanoseconds or samples. */
static uint64_t whole_of(const live_profile *live, uint32_t table)
{
	mprof_live_row row = {.struct_size = sizeof(row)};
	uint64_t sum = 0;

	if (table == MPROF_TABLE_SAMPLES)
		return live->recent.samples;
	for (size_t i = 0; i < mprof_live_window_get_row_count(live->window, MPROF_TABLE_THREADS); i++) {
		if (mprof_live_window_get_row(live->window, MPROF_TABLE_THREADS, i, &row) == MPROF_OK)
			sum += row.self;
	}
	return sum;
}

static uint64_t unfinished_waits(const live_profile *live, const top_row *row)
{
	mprof_monitor_stats stats = {.struct_size = sizeof(stats)};

	return mprof_profile_get_row(live->profile, MPROF_TABLE_MONITORS, row->index, &stats) == MPROF_OK
		       ? stats.unfinished
		       : 0;
}

/* Collections of the window. */
typedef struct top_collections {
	size_t first; /* Index of the first one in the profile. */
	size_t end;   /* Index after the last one. */
	uint64_t time_ns;
	uint64_t longest_ns;
	uint64_t pause_ns; /* Time that the world was stopped for them, as far as it is in the log. */
} top_collections;

static void find_collections(const live_profile *live, top_collections *found)
{
	const int64_t start = live_profile_end_ns(live) - (int64_t)live->window_ns;
	mprof_collection collection = {.struct_size = sizeof(collection)};

	memset(found, 0, sizeof(*found));
	found->end = mprof_profile_get_row_count(live->profile, MPROF_TABLE_COLLECTIONS);
	for (found->first = found->end; found->first > 0; found->first--) {
		if (mprof_profile_get_row(live->profile, MPROF_TABLE_COLLECTIONS, found->first - 1, &collection) !=
			    MPROF_OK ||
		    collection.start_ns < start)
			break;
		found->time_ns += collection.duration_ns;
		found->pause_ns += collection.pause_ns;
		if (collection.duration_ns > found->longest_ns)
			found->longest_ns = collection.duration_ns;
	}
}

/*
 * The tables.
 */

static void print_method(const live_profile *live, json_writer *json, const top_row *row)
{
	method_name name;

	names_method(live->log.input.reader, (uint32_t)row->values.id, &name);
	json_unsigned(json, "id", row->values.id);
	json_string(json, "class", name.class_name);
	json_string(json, "name", name.name);
	json_string(json, "symbol", name.name != name.symbol ? name.symbol : NULL);
}

static void print_sample(const live_profile *live, json_writer *json, const top_row *row)
{
	json_string(json, "kind", row->values.kind == MPROF_SAMPLE_METHOD ? "managed" : "native");
	json_string(json, "name", top_view_name(live, MPROF_TABLE_SAMPLES, row));
	json_string(json, "symbol", names_symbol(live->log.input.names, row->values.kind, (uint32_t)row->values.id));
}

static void print_thread(const live_profile *live, json_writer *json, const top_row *row)
{
	json_hexadecimal(json, "id", row->values.id);
	json_string(json, "name", top_view_name(live, MPROF_TABLE_THREADS, row));
}

static void print_monitor(const live_profile *live, json_writer *json, const top_row *row)
{
	json_string(json, "class", top_view_name(live, MPROF_TABLE_MONITORS, row));
}

static const top_table tables[] = {
	{MPROF_TABLE_METHODS,
	 "methods",
	 "method",
	 {{7, "self", VALUE_NONE, 0},
	  {12, "self", VALUE_SELF, 0},
	  {12, "total", VALUE_TOTAL, 0},
	  {13, "calls", VALUE_COUNT, 0}},
	 {NULL},
	 print_method},
	{MPROF_TABLE_SAMPLES,
	 "samples",
	 "method or function",
	 {{7, "self", VALUE_NONE, 0}, {12, "samples", VALUE_SELF, 0}, {13, "with callees", VALUE_TOTAL, 0}},
	 {[VALUE_SELF] = KEY_SAMPLES_SELF, [VALUE_TOTAL] = KEY_SAMPLES_TOTAL},
	 print_sample},
	{MPROF_TABLE_CLASSES,
	 "classes",
	 "class",
	 {{12, "bytes/s", VALUE_SELF, 1}, {13, "objects/s", VALUE_COUNT, 1}, {13, "exceptions", VALUE_TOTAL, 0}},
	 {NULL},
	 NULL},
	{MPROF_TABLE_THREADS,
	 "threads",
	 "thread",
	 {{12, "self", VALUE_SELF, 0}, {13, "events", VALUE_COUNT, 0}, {13, "samples", VALUE_TOTAL, 0}},
	 {NULL},
	 print_thread},
	{MPROF_TABLE_MONITORS,
	 "monitors",
	 "class",
	 {{12, "waited", VALUE_SELF, 0},
	  {13, "waits", VALUE_COUNT, 0},
	  {13, "failures", VALUE_TOTAL, 0},
	  {12, "not ended", VALUE_UNFINISHED, 0}},
	 {NULL},
	 print_monitor},
};

#define TABLES (sizeof(tables) / sizeof(tables[0]))
#define COLUMNS (sizeof(tables[0].columns) / sizeof(tables[0].columns[0]))

static const top_table *find_table(uint32_t number)
{
	size_t i = 0;

	while (i + 1 < TABLES && tables[i].table != number)
		i++;
	return &tables[i];
}

static uint64_t value_of(const live_profile *live, const top_row *row, row_value value)
{
	switch (value) {
	case VALUE_SELF:
		return row->values.self;
	case VALUE_TOTAL:
		return row->values.total;
	case VALUE_COUNT:
		return row->values.count;
	default:
		return unfinished_waits(live, row);
	}
}

/*
 * Text.
 */

static const char *state_text(const live_profile *live)
{
	switch (live_profile_state(live)) {
	case LIVE_RECORDING:
		return live->is_behind ? "recording, catching up" : "recording";
	case LIVE_ENDED:
		return "ended";
	default:
		return "the program is gone, the log has no end";
	}
}

static uint64_t per_second(const live_profile *live, uint64_t number)
{
	const uint64_t length_us = live->recent.length_ns / 1000;

	return length_us > 0 ? (uint64_t)((double)number * 1e6 / (double)length_us + 0.5) : 0;
}

static void print_state(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char lost[TEXT_NUMBER_SIZE];
	char recent[TEXT_NUMBER_SIZE];
	char processes[TEXT_NUMBER_SIZE + 16] = "";
	char damage[64] = "";
	const size_t process_count = mprof_profile_get_row_count(live->profile, MPROF_TABLE_PROCESSES);

	if (live->log.input.problem_count > 0)
		snprintf(damage, sizeof(damage), ", %zu problems in the log", live->log.input.problem_count);
	if (live->recent.left_out > 0 || live->totals.limited || live->is_failed)
		snprintf(damage, sizeof(damage), ", memory is short: figures are incomplete");
	/* Their rows are sums. */
	if (process_count > 1)
		snprintf(processes, sizeof(processes), "%zu processes, ", process_count);
	snprintf(line, TOP_LINE_SIZE, "%s: %s, %swindow %.1f s, lag %.1f s, lost events: %s in the window, %s in all%s",
		 live->log.input.name, state_text(live), processes, (double)live->recent.length_ns / 1e9,
		 (double)live_profile_lag_ms(live) / 1e3, text_count(recent, live->recent.lost_events),
		 text_count(lost, live->totals.lost_events), damage);
}

static void print_rates(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char events[TEXT_NUMBER_SIZE];
	char calls[TEXT_NUMBER_SIZE];
	char samples[TEXT_NUMBER_SIZE];
	char exceptions[TEXT_NUMBER_SIZE];

	snprintf(line, TOP_LINE_SIZE, "per second: %s events, %s calls, %s samples, %s exceptions",
		 text_count(events, per_second(live, live->recent.events)),
		 text_count(calls, per_second(live, live->recent.calls)),
		 text_count(samples, per_second(live, live->recent.samples)),
		 text_count(exceptions, per_second(live, live->recent.exceptions)));
}

static mprof_memory_stats memory_of(const live_profile *live)
{
	mprof_memory_stats memory = {.struct_size = sizeof(memory)};

	(void)mprof_profile_get_row(live->profile, MPROF_TABLE_MEMORY, 0, &memory);
	return memory;
}

static void print_memory(const mprof_memory_stats *memory, char line[TOP_LINE_SIZE])
{
	char text[5][TEXT_NUMBER_SIZE];

	snprintf(line, TOP_LINE_SIZE, "native memory: %s in %s blocks, at most %s; allocated in all: %s in %s blocks",
		 text_bytes(text[0], memory->live_bytes), text_count(text[1], memory->live),
		 text_bytes(text[2], memory->peak_bytes), text_bytes(text[3], memory->bytes),
		 text_count(text[4], memory->allocations));
}

static void print_allocations(const live_profile *live, char line[TOP_LINE_SIZE])
{
	const mprof_memory_stats memory = memory_of(live);
	char objects[TEXT_NUMBER_SIZE];
	char bytes[TEXT_NUMBER_SIZE];
	char waits[TEXT_NUMBER_SIZE];
	char waited[TEXT_NUMBER_SIZE];

	if (memory.allocations > 0 && live->totals.allocations == 0) {
		print_memory(&memory, line);
		return;
	}
	snprintf(line, TOP_LINE_SIZE, "allocated per second: %s objects, %s; waits for monitors: %s, %s",
		 text_count(objects, per_second(live, live->recent.allocations)),
		 text_bytes(bytes, per_second(live, live->recent.allocated_bytes)),
		 text_count(waits, live->recent.contentions), text_duration(waited, live->recent.contended_ns));
}

static void print_collected(const live_profile *live, char line[TOP_LINE_SIZE])
{
	char time[TEXT_NUMBER_SIZE];
	char longest[TEXT_NUMBER_SIZE];
	char paused[TEXT_NUMBER_SIZE];
	top_collections found;

	find_collections(live, &found);
	snprintf(line, TOP_LINE_SIZE, "collections: %zu, %s, the longest %s, world stopped for %s",
		 found.end - found.first, text_duration(time, found.time_ns), text_duration(longest, found.longest_ns),
		 text_duration(paused, found.pause_ns));
}

static void print_hottest(const live_profile *live, char line[TOP_LINE_SIZE])
{
	const uint32_t table = top_view_hot_table(live);
	const uint64_t whole = whole_of(live, table);
	top_row rows[HOTTEST];
	const size_t count = top_view_collect(live, table, TOP_SORT_SELF, rows, HOTTEST);
	int length = snprintf(line, TOP_LINE_SIZE, "hottest:%s", count == 0 ? " nothing" : "");

	for (size_t i = 0; i < count && length < TOP_LINE_SIZE; i++) {
		char percent[TEXT_NUMBER_SIZE];

		length += snprintf(line + length, (size_t)(TOP_LINE_SIZE - length), "%s %s %.100s", i > 0 ? "," : "",
				   text_percent(percent, rows[i].values.self, whole),
				   top_view_name(live, table, &rows[i]));
	}
}

void top_view_header(const live_profile *live, char lines[TOP_HEADER_LINES][TOP_LINE_SIZE])
{
	print_state(live, lines[0]);
	print_rates(live, lines[1]);
	print_allocations(live, lines[2]);
	print_collected(live, lines[3]);
	print_hottest(live, lines[4]);
}

/* The column of the profile that has a value; NULL if the table has none. */
static const mprof_table_column *column_of(const top_table *table, row_value value)
{
	static const char unfinished[] = "unfinished";
	const mprof_table_column *column;

	switch (value) {
	case VALUE_COUNT:
		return mprof_table_get_measure(table->table, MPROF_MEASURE_COUNT);
	case VALUE_SELF:
		return mprof_table_get_measure(table->table, MPROF_MEASURE_SELF);
	case VALUE_TOTAL:
		column = mprof_table_get_measure(table->table, MPROF_MEASURE_TOTAL);
		return column != NULL ? column : mprof_table_get_measure(table->table, MPROF_MEASURE_FURTHER);
	case VALUE_UNFINISHED:
		return table_column_find(mprof_table_get_column, table->table, unfinished, strlen(unfinished));
	default:
		return NULL;
	}
}

static const char *format_cell(const live_profile *live, const top_table *table, const top_column *column,
			       const top_row *row, char text[TEXT_NUMBER_SIZE])
{
	uint64_t value;

	if (column->value == VALUE_NONE)
		return text_percent(text, row->values.self, whole_of(live, table->table));
	value = value_of(live, row, column->value);
	if (column->is_rate)
		value = per_second(live, value);
	return table_column_format(column_of(table, column->value), value, text);
}

/* Formats the columns, or their titles for a row that is NULL. */
static void format_line(const live_profile *live, const top_table *table, const top_row *row, char line[TOP_LINE_SIZE])
{
	size_t length = 0;

	line[0] = '\0';
	for (size_t i = 0; i < COLUMNS && table->columns[i].width > 0; i++) {
		const top_column *column = &table->columns[i];
		char text[TEXT_NUMBER_SIZE];
		const char *cell = row != NULL ? format_cell(live, table, column, row, text) : column->heading;

		length += (size_t)snprintf(line + length, TOP_LINE_SIZE - length, "%s%*s", i > 0 ? " " : "",
					   column->width, cell);
	}
	snprintf(line + length, TOP_LINE_SIZE - length, "  %s", row != NULL ? "" : table->subject);
}

void top_view_titles(uint32_t table, char line[TOP_LINE_SIZE])
{
	format_line(NULL, find_table(table), NULL, line);
}

void top_view_row(const live_profile *live, uint32_t table, const top_row *row, char line[TOP_LINE_SIZE])
{
	format_line(live, find_table(table), row, line);
}

static top_row rows[TOP_ROWS_MAX];

static size_t collect_rows(const live_profile *live, uint32_t table, top_sort sort, size_t count)
{
	return top_view_collect(live, table, table == top_view_hot_table(live) ? sort : TOP_SORT_SELF, rows, count);
}

static void print_table(const live_profile *live, uint32_t table, top_sort sort, size_t count)
{
	char line[TOP_LINE_SIZE];

	count = collect_rows(live, table, sort, count < TOP_ROWS_MAX ? count : TOP_ROWS_MAX);
	if (count == 0)
		return;
	top_view_titles(table, line);
	printf("\n%s\n", line);
	for (size_t i = 0; i < count; i++) {
		top_view_row(live, table, &rows[i], line);
		fputs(line, stdout);
		name_print(top_view_name(live, table, &rows[i]));
		putchar('\n');
	}
}

void top_view_print_text(const live_profile *live, top_sort sort, size_t count)
{
	const uint32_t hot = top_view_hot_table(live);
	char lines[TOP_HEADER_LINES][TOP_LINE_SIZE];

	top_view_header(live, lines);
	for (int i = 0; i < TOP_HEADER_LINES; i++) {
		text_name(stdout, lines[i]);
		putchar('\n');
	}
	for (size_t i = 0; i < TABLES; i++) {
		if (tables[i].table != MPROF_TABLE_METHODS || hot == MPROF_TABLE_METHODS)
			print_table(live, tables[i].table, sort, count);
	}
}

/*
 * JSON.
 */

static void print_totals(const live_profile *live, json_writer *json)
{
	static const struct {
		const char *key;
		size_t offset;
	} recent[] = {
		{"events", offsetof(mprof_live_totals, events)},
		{"calls", offsetof(mprof_live_totals, calls)},
		{"sample_count", offsetof(mprof_live_totals, samples)},
		{"allocations", offsetof(mprof_live_totals, allocations)},
		{"bytes", offsetof(mprof_live_totals, allocated_bytes)},
		{"exceptions", offsetof(mprof_live_totals, exceptions)},
		{"contentions", offsetof(mprof_live_totals, contentions)},
		{"contended_ns", offsetof(mprof_live_totals, contended_ns)},
	};
	static const char *const states[] = {"recording", "ended", "stopped"};

	json_string(json, "file", live->log.input.name);
	json_string(json, "state", states[live_profile_state(live)]);
	json_signed(json, "time_ns", live_profile_end_ns(live));
	json_unsigned(json, "processes", mprof_profile_get_row_count(live->profile, MPROF_TABLE_PROCESSES));
	json_unsigned(json, "lag_ms", live_profile_lag_ms(live));
	json_double(json, "window_s", (double)live->recent.length_ns / 1e9);
	json_unsigned(json, "lost_events", live->totals.lost_events);
	json_unsigned(json, "lost_events_in_window", live->recent.lost_events);
	json_unsigned(json, "damage", live->log.input.problem_count);
	json_boolean(json, "incomplete",
		     live->is_failed || live->totals.limited || live->totals.left_out > 0 || live->recent.left_out > 0);
	for (size_t i = 0; i < sizeof(recent) / sizeof(recent[0]); i++) {
		uint64_t value;

		memcpy(&value, (const unsigned char *)&live->recent + recent[i].offset, sizeof(value));
		json_unsigned(json, recent[i].key, value);
	}
	json_unsigned(json, "unfinished_waits", live->totals.unfinished_waits);
}

static void print_memory_json(const live_profile *live, json_writer *json)
{
	static const uint32_t measures[] = {MPROF_MEASURE_COUNT, MPROF_MEASURE_SELF, MPROF_MEASURE_LIVE_COUNT,
					    MPROF_MEASURE_LIVE, MPROF_MEASURE_PEAK};
	const mprof_memory_stats memory = memory_of(live);

	if (memory.allocations == 0) {
		json_null(json, "memory");
		return;
	}
	json_begin_object(json, "memory");
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
		const mprof_table_column *column = mprof_table_get_measure(MPROF_TABLE_MEMORY, measures[i]);

		table_column_json(json, column->name, column, &memory);
	}
	json_end_object(json);
}

/* Samples whose innermost frame is a method, and those in which it is any frame. */
static void print_samples_of(const live_profile *live, json_writer *json, uint64_t method)
{
	mprof_live_row row = {.struct_size = sizeof(row)};
	uint64_t self = 0;
	uint64_t total = 0;

	for (size_t i = 0; i < mprof_live_window_get_row_count(live->window, MPROF_TABLE_SAMPLES); i++) {
		if (mprof_live_window_get_row(live->window, MPROF_TABLE_SAMPLES, i, &row) == MPROF_OK &&
		    row.kind == MPROF_SAMPLE_METHOD && row.id == method) {
			self = row.self;
			total = row.total;
		}
	}
	json_unsigned(json, "samples", self);
	json_unsigned(json, KEY_SAMPLES_TOTAL, total);
}

static void write_row(const live_profile *live, json_writer *json, const top_table *table, const top_row *row)
{
	json_begin_object(json, NULL);
	if (table->print != NULL) {
		table->print(live, json, row);
	} else {
		json_unsigned(json, "id", row->values.id);
		json_string(json, "name", top_view_name(live, table->table, row));
	}
	for (row_value value = VALUE_COUNT; value < VALUES; value++) {
		const mprof_table_column *column = column_of(table, value);

		if (column != NULL)
			json_unsigned(json, table->keys[value] != NULL ? table->keys[value] : column->name,
				      value_of(live, row, value));
	}
	if (table->table == MPROF_TABLE_METHODS)
		print_samples_of(live, json, row->values.id);
	json_end_object(json);
}

static void write_table(const live_profile *live, json_writer *json, const top_table *table, top_sort sort,
			size_t count)
{
	count = top_view_collect(live, table->table, sort, rows, count);
	json_begin_array(json, table->key);
	for (size_t i = 0; i < count; i++)
		write_row(live, json, table, &rows[i]);
	json_end_array(json);
}

static void write_collections(const live_profile *live, json_writer *json)
{
	mprof_collection collection = {.struct_size = sizeof(collection)};
	top_collections found;

	find_collections(live, &found);
	json_begin_array(json, "collections");
	for (size_t i = found.first; i < found.end; i++) {
		if (mprof_profile_get_row(live->profile, MPROF_TABLE_COLLECTIONS, i, &collection) != MPROF_OK)
			break;
		json_begin_object(json, NULL);
		json_unsigned(json, "number", collection.number);
		json_unsigned(json, "generation", collection.generation);
		json_signed(json, "start_ns", collection.start_ns);
		json_unsigned(json, "duration_ns", collection.duration_ns);
		json_unsigned(json, "pause_ns", collection.pause_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

void top_view_print_json(const live_profile *live, top_sort sort, size_t count, int is_line)
{
	json_writer json;

	json_init(&json, stdout, is_line);
	json_begin_document(&json);
	print_totals(live, &json);
	print_memory_json(live, &json);
	for (size_t i = 0; i < TABLES; i++)
		write_table(live, &json, &tables[i], tables[i].table == MPROF_TABLE_METHODS ? sort : TOP_SORT_SELF,
			    count);
	write_collections(live, &json);
	json_end_object(&json);
}

/*
 * Callers and callees.
 */

#define MAX_MEMORY (UINT64_C(256) << 20)

typedef struct chosen_frame {
	uint32_t kind;
	uint32_t id;
} chosen_frame;

static uint32_t choose_frame(void *user, uint32_t kind, uint32_t id)
{
	const chosen_frame *chosen = user;

	return kind == chosen->kind && id == chosen->id ? MPROF_FRAME_SELECT : 0;
}

static size_t insert(top_related *related, size_t count, const mprof_frame_stats *stats)
{
	const top_related added = {stats->kind, stats->id, stats->self, stats->total, stats->count};
	size_t position = count;

	while (position > 0 && related[position - 1].total < added.total)
		position--;
	if (position == TOP_CALLERS_MAX)
		return count;
	if (count < TOP_CALLERS_MAX)
		count++;
	memmove(&related[position + 1], &related[position], (count - 1 - position) * sizeof(*related));
	related[position] = added;
	return count;
}

int top_view_find_callers(const live_profile *live, uint32_t table, const top_row *row, top_callers *found)
{
	chosen_frame chosen = {table == MPROF_TABLE_SAMPLES ? row->values.kind : MPROF_SAMPLE_METHOD,
			       (uint32_t)row->values.id};
	mprof_frame_stats stats = {.struct_size = sizeof(stats)};
	mprof_frame_tree_options options;
	mprof_frame_tree *tree;

	mprof_frame_tree_options_init(&options, sizeof(options));
	options.max_memory = MAX_MEMORY;
	options.source = table == MPROF_TABLE_SAMPLES ? MPROF_FRAME_SOURCE_SAMPLES : MPROF_FRAME_SOURCE_CALLS;
	options.choose = choose_frame;
	options.user = &chosen;
	found->caller_count = 0;
	found->callee_count = 0;
	if (mprof_frame_tree_create(live->profile, live->log.input.reader, &options, &tree) != MPROF_OK)
		return 0;
	for (size_t i = 0; i < mprof_frame_tree_get_caller_count(tree); i++) {
		if (mprof_frame_tree_get_caller(tree, i, &stats) == MPROF_OK)
			found->caller_count = insert(found->callers, found->caller_count, &stats);
	}
	for (size_t i = 0; i < mprof_frame_tree_get_callee_count(tree); i++) {
		if (mprof_frame_tree_get_callee(tree, i, &stats) == MPROF_OK)
			found->callee_count = insert(found->callees, found->callee_count, &stats);
	}
	mprof_frame_tree_destroy(tree);
	return 1;
}

void top_view_related(const top_related *related, uint32_t table, char line[TOP_LINE_SIZE])
{
	char self[TEXT_NUMBER_SIZE];
	char total[TEXT_NUMBER_SIZE];
	char count[TEXT_NUMBER_SIZE];

	if (table == MPROF_TABLE_SAMPLES)
		snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s  ", text_count(self, related->self),
			 text_count(total, related->total), "");
	else
		snprintf(line, TOP_LINE_SIZE, "%12s %13s %13s  ", text_duration(self, related->self),
			 text_duration(total, related->total), text_count(count, related->count));
}

const char *top_view_related_name(const live_profile *live, const top_related *related)
{
	const char *name;

	if (related->kind == 0)
		return "(start of a thread)";
	name = names_sample(live->log.input.names, related->kind, related->id);
	return name != NULL ? name : "(unknown)";
}
