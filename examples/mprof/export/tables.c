/* SPDX-License-Identifier: MIT */
/* Describes the tables that a log is exported as. */
#include "export/tables.h"

#include "common/nearest.h"

#include <stdio.h>
#include <string.h>

#define INTEGER(name)                                                                                                  \
	{                                                                                                              \
		name, COLUMN_INTEGER                                                                                   \
	}
#define BOOLEAN(name)                                                                                                  \
	{                                                                                                              \
		name, COLUMN_BOOLEAN                                                                                   \
	}
#define REAL(name)                                                                                                     \
	{                                                                                                              \
		name, COLUMN_REAL                                                                                      \
	}
#define TEXT(name)                                                                                                     \
	{                                                                                                              \
		name, COLUMN_TEXT                                                                                      \
	}

static const table_column logs[] = {
	TEXT("host"),
	TEXT("build"),
	INTEGER("start_us"),
	INTEGER("end_us"),
	TEXT("file"),
	TEXT("program"),
	TEXT("runtime"),
	TEXT("dialect"),
	INTEGER("version"),
	TEXT("tool"),
	BOOLEAN("complete"),
	INTEGER("valid_bytes"),
	INTEGER("size"),
	INTEGER("lost_events"),
	BOOLEAN("limited"),
	INTEGER("left_out"),
	REAL("counters_per_second"),
	INTEGER("events"),
	INTEGER("wall_ns"),
	INTEGER("calls"),
	INTEGER("method_ns"),
	INTEGER("samples"),
	INTEGER("allocations"),
	INTEGER("allocated_bytes"),
	INTEGER("freed_objects"),
	INTEGER("freed_bytes"),
	INTEGER("jit_methods"),
	INTEGER("jit_ns"),
	INTEGER("collections"),
	INTEGER("gc_ns"),
	INTEGER("exceptions"),
	INTEGER("contentions"),
	INTEGER("contended_ns"),
	INTEGER("handles_alive"),
};
static const table_column properties[] = {
	TEXT("key"),
	TEXT("value"),
};
static const table_column damage[] = {
	INTEGER("offset"),
	TEXT("what"),
};
static const table_column losses[] = {
	TEXT("cause"),
	INTEGER("events"),
};
static const table_column methods[] = {
	INTEGER("method_id"),     TEXT("class"),      TEXT("name"),      TEXT("assembly"),
	BOOLEAN("wrapper"),       TEXT("file"),       INTEGER("line"),   INTEGER("calls"),
	INTEGER("total_ns"),      INTEGER("self_ns"), INTEGER("jit_ns"), INTEGER("samples"),
	INTEGER("samples_total"),
};
static const table_column classes[] = {
	INTEGER("class_id"), TEXT("name"),           TEXT("assembly"),      INTEGER("allocations"), INTEGER("bytes"),
	INTEGER("freed"),    INTEGER("freed_bytes"), INTEGER("exceptions"), INTEGER("load_ns"),
};
static const table_column threads[] = {
	TEXT("thread"),    TEXT("name"),        INTEGER("events"),  INTEGER("self_ns"),     INTEGER("wall_ns"),
	INTEGER("cpu_ns"), INTEGER("ready_ns"), INTEGER("samples"), INTEGER("lost_events"),
};
static const table_column call_tree[] = {
	INTEGER("node"),  INTEGER("parent"),   INTEGER("method_id"), TEXT("method"),         BOOLEAN("compilation"),
	INTEGER("calls"), INTEGER("total_ns"), INTEGER("self_ns"),   INTEGER("allocations"), INTEGER("bytes"),
};
static const table_column samples[] = {
	TEXT("kind"), TEXT("name"), TEXT("module"), BOOLEAN("inlined"), INTEGER("hits"), INTEGER("total"),
};
static const table_column sample_tree[] = {
	INTEGER("node"), INTEGER("parent"),  TEXT("kind"),    TEXT("name"),
	TEXT("module"),  BOOLEAN("inlined"), INTEGER("hits"), INTEGER("total"),
};
static const table_column allocation_sites[] = {
	INTEGER("class_id"),    TEXT("class"),    TEXT("caller"),     TEXT("stack"),
	INTEGER("allocations"), INTEGER("bytes"), INTEGER("samples"), INTEGER("allocations_error"),
	INTEGER("bytes_error"),
};
static const table_column memory_sites[] = {
	TEXT("stack"),         INTEGER("allocations"), INTEGER("bytes"),       INTEGER("frees"),       INTEGER("live"),
	INTEGER("live_bytes"), INTEGER("peak_bytes"),  INTEGER("temporaries"), INTEGER("lifetime_ns"),
};
static const table_column collections[] = {
	INTEGER("number"),  INTEGER("generation"), INTEGER("start_ns"), INTEGER("duration_ns"),
	INTEGER("mark_ns"), INTEGER("sweep_ns"),   INTEGER("pause_ns"), BOOLEAN("finished"),
};
static const table_column pauses[] = {
	TEXT("kind"),          INTEGER("start_ns"),   INTEGER("duration_ns"), BOOLEAN("finished"), TEXT("thread"),
	INTEGER("collection"), INTEGER("generation"), TEXT("class"),          TEXT("holder"),      TEXT("stack"),
};
static const table_column monitors[] = {
	INTEGER("class_id"), TEXT("class"),           INTEGER("contentions"), INTEGER("acquired"),
	INTEGER("failures"), INTEGER("contended_ns"), INTEGER("unfinished"),
};
static const table_column monitor_sites[] = {
	INTEGER("class_id"),     TEXT("class"),       TEXT("stack"),         INTEGER("contentions"),
	INTEGER("contended_ns"), INTEGER("failures"), INTEGER("unfinished"),
};
static const table_column exception_sites[] = {
	INTEGER("class_id"),
	TEXT("class"),
	TEXT("stack"),
	INTEGER("count"),
};
static const table_column metrics[] = {
	TEXT("section"),   TEXT("name"),         TEXT("thread"),       TEXT("unit"),       INTEGER("count"),
	INTEGER("first"),  INTEGER("last"),      INTEGER("minimum"),   INTEGER("maximum"), REAL("first_real"),
	REAL("last_real"), REAL("minimum_real"), REAL("maximum_real"), INTEGER("last_ns"),
};
static const table_column marks[] = {
	INTEGER("time_ns"),
	TEXT("thread"),
	TEXT("text"),
};
static const table_column heap_snapshots[] = {
	INTEGER("snapshot"), INTEGER("number"), INTEGER("time_ns"),    BOOLEAN("complete"),
	INTEGER("objects"),  INTEGER("bytes"),  INTEGER("references"), INTEGER("roots"),
};
static const table_column heap_snapshot_classes[] = {
	INTEGER("snapshot"), INTEGER("class_id"), TEXT("class"), INTEGER("objects"), INTEGER("bytes"),
};
static const table_column handles[] = {
	INTEGER("class_id"), TEXT("class"), TEXT("type"), INTEGER("created"), INTEGER("alive"), INTEGER("deleted"),
};

#define DESCRIBE(table, text)                                                                                          \
	{                                                                                                              \
#table, text, table, sizeof(table) / sizeof((table)[0])                                                \
	}

static const table_description descriptions[TABLES] = {
	[TABLE_LOGS] = DESCRIBE(logs, "one row for each log: where it is from, what is missing, totals"),
	[TABLE_PROPERTIES] = DESCRIBE(properties, "metadata of the recordings"),
	[TABLE_DAMAGE] = DESCRIBE(damage, "damage by offset"),
	[TABLE_LOSSES] = DESCRIBE(losses, "lost events by cause"),
	[TABLE_METHODS] = DESCRIBE(methods, "calls, times and samples by method"),
	[TABLE_CLASSES] = DESCRIBE(classes, "allocations and exceptions by class"),
	[TABLE_THREADS] = DESCRIBE(threads, "times by thread"),
	[TABLE_CALL_TREE] = DESCRIBE(call_tree, "calls by call path; the parent of node 0 is empty"),
	[TABLE_SAMPLES] = DESCRIBE(samples, "samples by method and native function"),
	[TABLE_SAMPLE_TREE] = DESCRIBE(sample_tree, "samples by call path; the parent of node 0 is empty"),
	[TABLE_ALLOCATION_SITES] = DESCRIBE(allocation_sites, "allocated objects by class and call site"),
	[TABLE_MEMORY_SITES] = DESCRIBE(memory_sites, "native memory by call stack"),
	[TABLE_COLLECTIONS] = DESCRIBE(collections, "garbage collections"),
	[TABLE_PAUSES] = DESCRIBE(pauses, "stops of the world, and waits for monitors"),
	[TABLE_MONITORS] = DESCRIBE(monitors, "waits for monitors by class"),
	[TABLE_MONITOR_SITES] = DESCRIBE(monitor_sites, "waits for monitors by class and call stack"),
	[TABLE_EXCEPTION_SITES] = DESCRIBE(exception_sites, "exceptions by class and call stack"),
	[TABLE_METRICS] = DESCRIBE(metrics, "metrics of the runtime"),
	[TABLE_MARKS] = DESCRIBE(marks, "markers of the user"),
	[TABLE_HEAP_SNAPSHOTS] = DESCRIBE(heap_snapshots, "heap snapshots, counted from 1"),
	[TABLE_HEAP_SNAPSHOT_CLASSES] = DESCRIBE(heap_snapshot_classes, "live objects by heap snapshot and class"),
	[TABLE_HANDLES] = DESCRIBE(handles, "handles by class and type"),
};

const table_description *table_describe(table_id id)
{
	return &descriptions[id];
}

table_id table_find(const char *name)
{
	nearest_name nearest;

	for (int id = 0; id < TABLES; id++) {
		if (strcmp(descriptions[id].name, name) == 0)
			return (table_id)id;
	}
	nearest_init(&nearest, name);
	for (int id = 0; id < TABLES; id++)
		nearest_offer_word(&nearest, descriptions[id].name, descriptions[id].name);
	fprintf(stderr, "mprof: --table: unknown table '%s'", name);
	if (nearest.found != NULL)
		fprintf(stderr, "; did you mean '%s'?", nearest.found);
	fputc('\n', stderr);
	nearest_release(&nearest);
	return TABLES;
}
