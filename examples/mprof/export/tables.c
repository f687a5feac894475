/* SPDX-License-Identifier: MIT */
/* Describes the tables that a log is exported as. */
#include "export/tables.h"

#include "common/arguments.h"

#include <stdio.h>
#include <string.h>

/* Columns whose values the rows of a profile do not have: table_logs.c adds them. */
#define ADDED(name, type)                                                                                              \
	{                                                                                                              \
		name, NULL, FIELD_NONE, COLUMN_##type                                                                  \
	}
/* A field of the row. The type follows from its unit. */
#define FIELD(name)                                                                                                    \
	{                                                                                                              \
		name, name, FIELD_VALUE, COLUMN_INTEGER                                                                \
	}
#define FIELD_AS(name, field)                                                                                          \
	{                                                                                                              \
		name, field, FIELD_VALUE, COLUMN_INTEGER                                                               \
	}
/* What a field of the row stands for. */
#define NAME(name, field, kind)                                                                                        \
	{                                                                                                              \
		name, field, FIELD_##kind, COLUMN_TEXT                                                                 \
	}
#define NOT(name, field)                                                                                               \
	{                                                                                                              \
		name, field, FIELD_NOT, COLUMN_BOOLEAN                                                                 \
	}
/* All fields that the other columns do not use, and that are not left out. */
#define REST                                                                                                           \
	{                                                                                                              \
		NULL, NULL, FIELD_REST, COLUMN_INTEGER                                                                 \
	}

typedef struct exported_column {
	const char *name;
	const char *field; /**< Of the row. */
	field_use use;
	column_type type; /**< Of a column that is not a field. */
} exported_column;

static const exported_column logs[] = {
	ADDED("host", TEXT),
	ADDED("build", TEXT),
	ADDED("start_us", INTEGER),
	ADDED("end_us", INTEGER),
	ADDED("file", TEXT),
	ADDED("program", TEXT),
	ADDED("runtime", TEXT),
	ADDED("dialect", TEXT),
	ADDED("version", INTEGER),
	ADDED("tool", TEXT),
	ADDED("complete", BOOLEAN),
	ADDED("valid_bytes", INTEGER),
	ADDED("size", INTEGER),
	ADDED("lost_events", INTEGER),
	ADDED("limited", BOOLEAN),
	ADDED("left_out", INTEGER),
	ADDED("counters_per_second", REAL),
	FIELD("events"),
	FIELD("wall_ns"),
	FIELD("calls"),
	FIELD("method_ns"),
	FIELD("samples"),
	FIELD("allocations"),
	FIELD("allocated_bytes"),
	FIELD("freed_objects"),
	FIELD("freed_bytes"),
	FIELD("jit_methods"),
	FIELD("jit_ns"),
	FIELD("collections"),
	FIELD("gc_ns"),
	FIELD("exceptions"),
	FIELD("contentions"),
	FIELD("contended_ns"),
	FIELD("handles_alive"),
};
static const exported_column damage[] = {ADDED("offset", INTEGER), ADDED("what", TEXT)};
static const exported_column losses[] = {ADDED("cause", TEXT), ADDED("events", INTEGER)};
static const exported_column methods[] = {
	FIELD_AS("method_id", "id"), ADDED("class", TEXT), ADDED("name", TEXT),    ADDED("assembly", TEXT),
	ADDED("wrapper", BOOLEAN),   ADDED("file", TEXT),  ADDED("line", INTEGER), REST,
};
static const exported_column classes[] = {
	FIELD_AS("class_id", "id"),
	ADDED("name", TEXT),
	ADDED("assembly", TEXT),
	REST,
};
static const exported_column threads[] = {
	FIELD_AS("thread", "id"),
	FIELD("name"),
	FIELD("events"),
	FIELD("self_ns"),
	FIELD("wall_ns"),
	FIELD("cpu_ns"),
	FIELD("ready_ns"),
	FIELD("samples"),
	FIELD_AS("lost_events", "lost"),
	REST,
};
static const exported_column call_tree[] = {
	ADDED("node", INTEGER),          ADDED("parent", INTEGER),
	FIELD_AS("method_id", "method"), NAME("method", "method", METHOD_NAME),
	ADDED("compilation", BOOLEAN),   REST,
};
static const exported_column samples[] = {
	ADDED("kind", TEXT),       ADDED("name", TEXT),    ADDED("module", TEXT),
	ADDED("inlined", BOOLEAN), ADDED("hits", INTEGER), ADDED("total", INTEGER),
};
static const exported_column sample_tree[] = {
	ADDED("node", INTEGER), ADDED("parent", INTEGER),  ADDED("kind", TEXT),    ADDED("name", TEXT),
	ADDED("module", TEXT),  ADDED("inlined", BOOLEAN), ADDED("hits", INTEGER), ADDED("total", INTEGER),
};
static const exported_column allocation_sites[] = {
	FIELD("class_id"),
	NAME("class", "class_id", CLASS_NAME),
	NAME("caller", "caller", METHOD_NAME),
	NAME("stack", "stack", FRAMES),
	REST,
};
static const exported_column memory_sites[] = {NAME("stack", "stack", FRAMES), REST};
static const exported_column collections[] = {
	FIELD("number"),
	FIELD("generation"),
	FIELD("start_ns"),
	FIELD("duration_ns"),
	FIELD("mark_ns"),
	FIELD("sweep_ns"),
	{"pause_ns", "pause_ns", FIELD_PAUSE, COLUMN_INTEGER},
	NOT("finished", "unfinished"),
	REST,
};
static const exported_column pauses[] = {
	ADDED("kind", TEXT),   ADDED("start_ns", INTEGER),   ADDED("duration_ns", INTEGER), ADDED("finished", BOOLEAN),
	ADDED("thread", TEXT), ADDED("collection", INTEGER), ADDED("generation", INTEGER),  ADDED("class", TEXT),
	ADDED("holder", TEXT), ADDED("stack", TEXT),
};
static const exported_column monitors[] = {FIELD("class_id"), NAME("class", "class_id", CLASS_NAME), REST};
static const exported_column monitor_sites[] = {
	FIELD("class_id"),
	NAME("class", "class_id", CLASS_NAME),
	NAME("stack", "stack", FRAMES),
	REST,
};
static const exported_column exception_sites[] = {
	FIELD("class_id"),
	NAME("class", "class_id", CLASS_NAME),
	NAME("stack", "stack", FRAMES),
	FIELD_AS("count", "exceptions"),
	REST,
};
static const exported_column metrics[] = {
	ADDED("section", TEXT),      ADDED("name", TEXT),       ADDED("thread", TEXT),    ADDED("unit", TEXT),
	ADDED("count", INTEGER),     ADDED("first", INTEGER),   ADDED("last", INTEGER),   ADDED("minimum", INTEGER),
	ADDED("maximum", INTEGER),   ADDED("first_real", REAL), ADDED("last_real", REAL), ADDED("minimum_real", REAL),
	ADDED("maximum_real", REAL), ADDED("last_ns", INTEGER),
};
static const exported_column histograms[] = {
	ADDED("section", TEXT),        ADDED("name", TEXT),           ADDED("thread", TEXT),
	ADDED("unit", TEXT),           ADDED("count", INTEGER),       ADDED("buckets", INTEGER),
	ADDED("min_above", INTEGER),   ADDED("min", INTEGER),         ADDED("p50_above", INTEGER),
	ADDED("p50", INTEGER),         ADDED("p90_above", INTEGER),   ADDED("p90", INTEGER),
	ADDED("p99_above", INTEGER),   ADDED("p99", INTEGER),         ADDED("max_above", INTEGER),
	ADDED("max", INTEGER),         ADDED("min_above_real", REAL), ADDED("min_real", REAL),
	ADDED("p50_above_real", REAL), ADDED("p50_real", REAL),       ADDED("p90_above_real", REAL),
	ADDED("p90_real", REAL),       ADDED("p99_above_real", REAL), ADDED("p99_real", REAL),
	ADDED("max_above_real", REAL), ADDED("max_real", REAL),       ADDED("last_ns", INTEGER),
};
static const exported_column messages[] = {FIELD("severity"), FIELD("source"), FIELD("count"), REST};
static const exported_column waits[] = {FIELD("kind"), FIELD("name"), NAME("stack", "stack", FRAMES), REST};
static const exported_column heap_snapshots[] = {
	ADDED("snapshot", INTEGER),    FIELD("number"),  FIELD("time_ns"),
	NOT("complete", "incomplete"), FIELD("objects"), FIELD("bytes"),
	FIELD("references"),           FIELD("roots"),   REST,
};
static const exported_column heap_snapshot_classes[] = {
	ADDED("snapshot", INTEGER), ADDED("class_id", INTEGER), ADDED("class", TEXT),
	ADDED("objects", INTEGER),  ADDED("bytes", INTEGER),
};
static const exported_column handles[] = {
	FIELD("class_id"),
	NAME("class", "class_id", CLASS_NAME),
	NAME("type", "type", HANDLE_TYPE),
	REST,
};
static const exported_column event_types[] = {
	FIELD("type"), NAME("form", "form", EVENT_FORM), FIELD("name"), FIELD("category"), REST,
};
static const exported_column timelines[] = {
	FIELD("thread"),
	FIELD("name"),
	NAME("kind", "kind", TIMELINE_KIND),
	REST,
};
static const exported_column clocks[] = {
	FIELD("id"),
	FIELD("name"),
	NAME("kind", "kind", CLOCK_KIND),
	REST,
};
static const exported_column lines[] = {
	ADDED("kind", TEXT), FIELD("id"), ADDED("name", TEXT), FIELD("file"), FIELD("line"), REST,
};
static const exported_column all_fields[] = {REST};

typedef struct exported_table {
	const char *name;
	const char *description;
	const exported_column *columns;
	size_t column_count;
	uint32_t source;      /**< An #mprof_profile_table; 0 for none. */
	const char *left_out; /**< Fields of the row that are no columns, each with a space after it. */
} exported_table;

#define TABLE(table, columns, source, left_out, text)                                                                  \
	{                                                                                                              \
#table, text, columns, sizeof(columns) / sizeof((columns)[0]), source, left_out                        \
	}

static const exported_table tables[TABLES] = {
	[TABLE_LOGS] = TABLE(logs, logs, MPROF_TABLE_TOTALS, "",
			     "one row for each log: where it is from, what is missing, totals"),
	[TABLE_PROPERTIES] = TABLE(properties, all_fields, MPROF_TABLE_PROPERTIES, "", "metadata of the recordings"),
	[TABLE_DAMAGE] = TABLE(damage, damage, 0, "", "damage by offset"),
	[TABLE_LOSSES] = TABLE(losses, losses, 0, "", "lost events by cause"),
	[TABLE_METHODS] = TABLE(methods, methods, MPROF_TABLE_METHODS, "", "calls, times and samples by method"),
	[TABLE_CLASSES] = TABLE(classes, classes, MPROF_TABLE_CLASSES, "samples allocations_error bytes_error ",
				"allocations and exceptions by class"),
	[TABLE_THREADS] = TABLE(threads, threads, MPROF_TABLE_THREADS, "voluntary_switches involuntary_switches kind ",
				"times by thread"),
	[TABLE_CALL_TREE] = TABLE(call_tree, call_tree, MPROF_TABLE_CALLS, "parent first_child next_sibling flags ",
				  "calls by call path; the parent of node 0 is empty"),
	[TABLE_SAMPLES] = TABLE(samples, samples, 0, "", "samples by method and native function"),
	[TABLE_SAMPLE_TREE] =
		TABLE(sample_tree, sample_tree, 0, "", "samples by call path; the parent of node 0 is empty"),
	[TABLE_ALLOCATION_SITES] = TABLE(allocation_sites, allocation_sites, MPROF_TABLE_ALLOCATION_SITES,
					 "flags call ", "allocated objects by class and call site"),
	[TABLE_MEMORY_SITES] = TABLE(memory_sites, memory_sites, MPROF_TABLE_MEMORY_SITES,
				     "is_folded peak_live shortest_ns longest_ns ", "native memory by call stack"),
	[TABLE_COLLECTIONS] = TABLE(collections, collections, MPROF_TABLE_COLLECTIONS, "is_counted has_pause ",
				    "garbage collections"),
	[TABLE_PAUSES] = TABLE(pauses, pauses, MPROF_TABLE_PAUSES, "", "stops of the world, and waits for monitors"),
	[TABLE_MONITORS] = TABLE(monitors, monitors, MPROF_TABLE_MONITORS, "", "waits for monitors by class"),
	[TABLE_MONITOR_SITES] = TABLE(monitor_sites, monitor_sites, MPROF_TABLE_MONITOR_SITES, "object call ",
				      "waits for monitors by class and call stack"),
	[TABLE_EXCEPTION_SITES] = TABLE(exception_sites, exception_sites, MPROF_TABLE_EXCEPTION_SITES, "call ",
					"exceptions by class and call stack"),
	[TABLE_METRICS] = TABLE(metrics, metrics, MPROF_TABLE_METRICS, "", "metrics of the runtime and the program"),
	[TABLE_MARKS] = TABLE(marks, all_fields, MPROF_TABLE_MARKS, "", "markers of the user"),
	[TABLE_EVENT_TYPES] = TABLE(event_types, event_types, MPROF_TABLE_EVENT_TYPES, "",
				    "events that the program describes, and durations of spans"),
	[TABLE_SPANS] = TABLE(spans, event_types, MPROF_TABLE_SPANS, "", "the longest spans, one by one"),
	[TABLE_LINES] = TABLE(lines, lines, MPROF_TABLE_LINES, "kind ", "samples and allocations by line of methods"),
	[TABLE_SAMPLE_KINDS] = TABLE(sample_kinds, all_fields, MPROF_TABLE_SAMPLE_KINDS, "",
				     "kinds of samples, and what their samples stand for"),
	[TABLE_SAMPLE_GROUPS] = TABLE(sample_groups, all_fields, MPROF_TABLE_SAMPLE_GROUPS, "",
				      "samples by kind, thread, processor and mode"),
	[TABLE_HEAP_SNAPSHOTS] =
		TABLE(heap_snapshots, heap_snapshots, MPROF_TABLE_HEAP_SHOTS,
		      "freed freed_bytes moved roots_by_kind classes ", "heap snapshots, counted from 1"),
	[TABLE_HEAP_SNAPSHOT_CLASSES] =
		TABLE(heap_snapshot_classes, heap_snapshot_classes, 0, "", "live objects by heap snapshot and class"),
	[TABLE_HANDLES] = TABLE(handles, handles, MPROF_TABLE_HANDLES, "", "handles by class and type"),
	[TABLE_PROCESSES] = TABLE(processes, all_fields, MPROF_TABLE_PROCESSES, "", "processes that the log describes"),
	[TABLE_TIMELINES] = TABLE(timelines, timelines, MPROF_TABLE_TIMELINES, "",
				  "threads that the log describes, such as queues of devices"),
	[TABLE_CLOCKS] = TABLE(clocks, clocks, MPROF_TABLE_CLOCKS, "", "clocks, and how they agree"),
	[TABLE_HISTOGRAMS] = TABLE(histograms, histograms, MPROF_TABLE_HISTOGRAMS, "",
				   "histograms, with the bounds of their percentiles"),
	[TABLE_MESSAGES] =
		TABLE(messages, messages, MPROF_TABLE_MESSAGES, "", "messages of the program by severity and source"),
	[TABLE_WAITS] = TABLE(waits, waits, MPROF_TABLE_WAITS, "call ", "waits by kind, name and call stack"),
	[TABLE_GC_GENERATIONS] = TABLE(gc_generations, all_fields, MPROF_TABLE_GC_GENERATIONS, "",
				       "generations before and after collections"),
	[TABLE_THREAD_STATES] = TABLE(thread_states, all_fields, MPROF_TABLE_THREAD_STATES, "",
				      "states of threads, and the time in them"),
	[TABLE_CODE_RANGES] =
		TABLE(code_ranges, all_fields, MPROF_TABLE_CODE_RANGES, "", "addresses of generated code, by time"),
};

static column_type type_of(const mprof_table_column *field)
{
	switch ((mprof_column_unit)field->unit) {
	case MPROF_UNIT_BOOLEAN:
		return COLUMN_BOOLEAN;
	case MPROF_UNIT_THREAD:
	case MPROF_UNIT_ADDRESS:
	case MPROF_UNIT_TEXT:
		return COLUMN_TEXT;
	default:
		return COLUMN_INTEGER;
	}
}

static const mprof_table_column *find_field(uint32_t table, const char *name)
{
	const mprof_table_column *field = NULL;

	for (size_t i = 0; name != NULL && (field = mprof_table_get_column(table, i)) != NULL; i++) {
		if (strcmp(field->name, name) == 0)
			return field;
	}
	return NULL;
}

static void add_column(table_description *to, const char *name, field_use use, column_type type,
		       const mprof_table_column *field)
{
	if (to->column_count == TABLE_COLUMNS_MAX)
		return;
	to->columns[to->column_count].name = name;
	to->columns[to->column_count].type = type;
	to->fields[to->column_count].field = field;
	to->fields[to->column_count].use = use;
	to->column_count++;
}

/* Whether a field is one of the other columns, or left out. */
static int is_used(const exported_table *table, const char *name)
{
	const char *found = strstr(table->left_out, name);
	const size_t length = strlen(name);

	for (; found != NULL; found = strstr(found + 1, name)) {
		if ((found == table->left_out || found[-1] == ' ') && found[length] == ' ')
			return 1;
	}
	for (size_t i = 0; i < table->column_count; i++) {
		if (table->columns[i].field != NULL && strcmp(table->columns[i].field, name) == 0)
			return 1;
	}
	return 0;
}

static void add_rest(table_description *to, const exported_table *table)
{
	const mprof_table_column *field;

	for (size_t i = 0; (field = mprof_table_get_column(table->source, i)) != NULL; i++) {
		if (!is_used(table, field->name))
			add_column(to, field->name, FIELD_VALUE, type_of(field), field);
	}
}

static void describe(table_description *to, const exported_table *table)
{
	to->name = table->name;
	to->description = table->description;
	to->source = table->source;
	for (size_t i = 0; i < table->column_count; i++) {
		const exported_column *column = &table->columns[i];
		const mprof_table_column *field = find_field(table->source, column->field);

		if (column->use == FIELD_REST)
			add_rest(to, table);
		else
			add_column(to, column->name, column->use,
				   column->use == FIELD_VALUE && field != NULL ? type_of(field) : column->type, field);
	}
}

const table_description *table_describe(table_id id)
{
	static table_description descriptions[TABLES];

	if (descriptions[id].name == NULL)
		describe(&descriptions[id], &tables[id]);
	return &descriptions[id];
}

size_t table_file_columns(table_id table, table_column columns[TABLE_FILE_COLUMNS_MAX])
{
	static const table_column origin[TABLE_ORIGIN_COLUMNS] = {
		{"log", COLUMN_INTEGER},
		{"host", COLUMN_TEXT},
		{"build", COLUMN_TEXT},
		{"start_us", COLUMN_INTEGER},
	};
	const table_description *description = table_describe(table);
	size_t count = table == TABLE_LOGS ? 1 : TABLE_ORIGIN_COLUMNS;

	memcpy(columns, origin, count * sizeof(*columns));
	memcpy(columns + count, description->columns, description->column_count * sizeof(*columns));
	return count + description->column_count;
}

table_id table_find(const char *name)
{
	nearest_name nearest;

	for (int id = 0; id < TABLES; id++) {
		if (strcmp(tables[id].name, name) == 0)
			return (table_id)id;
	}
	nearest_init(&nearest, name);
	for (int id = 0; id < TABLES; id++)
		nearest_offer_word(&nearest, tables[id].name, tables[id].name);
	fprintf(stderr, "mprof: --table: unknown table '%s'", name);
	if (nearest.found != NULL)
		fprintf(stderr, "; did you mean '%s'?", nearest.found);
	fputc('\n', stderr);
	nearest_release(&nearest);
	return TABLES;
}
