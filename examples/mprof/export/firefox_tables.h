/* SPDX-License-Identifier: MIT */
/**
 * \file export/firefox_tables.h
 * \brief The tables that the threads of a profile of Firefox share: strings, functions, frames and call stacks;
 * and its counters, whose values are differences to the previous ones and are kept until they are written.
 *
 * They grow with the number of distinct entries, not with that of events. Functions return #FIREFOX_NONE if out of
 * memory, and set firefox_tables::has_failed.
 */
#ifndef EXPORT_FIREFOX_TABLES_H
#define EXPORT_FIREFOX_TABLES_H

#include "common/input.h"
#include "common/json.h"
#include "export/intern.h"
#include "export/text_stream.h"
#include "report/report.h"

/** No call stack, or no other entry. */
#define FIREFOX_NONE UINT32_MAX

/** Indexes of the categories, which have a name and a color. */
typedef enum firefox_category {
	FIREFOX_OTHER, /**< Must be the first: the default of the viewer. */
	FIREFOX_MANAGED,
	FIREFOX_NATIVE,
	FIREFOX_RUNTIME,
	FIREFOX_COLLECTOR,
	FIREFOX_COMPILER,
	FIREFOX_LOCKS,
	FIREFOX_CLASSES,
	FIREFOX_CATEGORIES
} firefox_category;

/** A function and a frame of it: a frame in a line of a function follows that of the function without a line. */
typedef struct firefox_function {
	uint32_t name;     /**< Index of a string, like file. */
	uint32_t file;     /**< #FIREFOX_NONE if unknown. */
	uint32_t resource; /**< The assembly or native module; #FIREFOX_NONE if unknown. */
	uint32_t line;     /**< 0 if unknown. */
	uint32_t category; /**< A #firefox_category. */
	uint32_t function; /**< Of a frame in a line: the index of the function plus 1; else 0. */
	uint32_t at_line;  /**< Of a frame in a line: the line. */
	uint32_t depth;    /**< Of an inlined frame: how many frames outwards the one is that is not. */
} firefox_function;

/** A call stack: a frame, and the call stack of its caller. */
typedef struct firefox_stack {
	uint32_t frame;
	uint32_t caller; /**< Less than its own index, or #FIREFOX_NONE. */
} firefox_stack;

/** Initialized with 0 by firefox_tables_init(). */
typedef struct firefox_tables {
	const log_report *report;
	const log_input *input; /**< Where names are looked up. */
	intern_table strings;   /**< Valid UTF-8 without control characters. */
	intern_table libraries; /**< Assemblies and native modules; the indexes are those of resources, too. */
	intern_table files;     /**< Names of source files. */
	key_map frames;         /**< Indexes of functions by kind and ID. */
	key_map native_frames;  /**< Indexes of functions by name. */
	key_map line_frames;    /**< Indexes of frames by function, line and depth. */
	key_map stack_indexes;  /**< By caller and frame. */
	key_map sampled_stacks; /**< Indexes of call stacks by the stack ID of the log. */
	firefox_function *functions;
	size_t function_count;
	size_t function_capacity;
	firefox_stack *stacks;
	size_t stack_count;
	size_t stack_capacity;
	plain_buffer plain;
	int has_messages; /**< A marker is a #FIREFOX_MESSAGE. */
	int has_failed;   /**< Out of memory. */
} firefox_tables;

/** Both arguments are borrowed. */
void firefox_tables_init(firefox_tables *tables, const log_report *report, const log_input *input);
void firefox_tables_release(firefox_tables *tables);

/** The index of a text. */
uint32_t firefox_string(firefox_tables *tables, const char *text);

/** The index of the name of a class. */
uint32_t firefox_class_name(firefox_tables *tables, uint32_t class_id);

/** The call stack of a method, or of objects of a class, below that of its caller. */
uint32_t firefox_method_stack(firefox_tables *tables, uint32_t caller, uint32_t method);
uint32_t firefox_class_stack(firefox_tables *tables, uint32_t caller, uint32_t class_id);

/** The call stack of an event at a counter by its ID in the log. #FIREFOX_NONE if the log does not contain it. */
uint32_t firefox_logged_stack(firefox_tables *tables, uint64_t thread, uint32_t logged, uint64_t counter);

/** The call stack of a sample. */
uint32_t firefox_sampled_stack(firefox_tables *tables, uint64_t thread, const mprof_event *event);

/** Writes a text of the table as JSON. */
void firefox_write_string(const firefox_tables *tables, json_writer *json, const char *key, uint32_t string);

void firefox_write_categories(json_writer *json);
void firefox_write_libraries(const firefox_tables *tables, json_writer *json);

/** Writes all tables. No entry can be added any more, since strings of files are added here. */
void firefox_write_shared(firefox_tables *tables, json_writer *json);

/** What a marker is; each kind has fields of its own. */
typedef enum firefox_marker_kind {
	FIREFOX_EXCEPTION,
	FIREFOX_COMPILATION,
	FIREFOX_CLASS_LOAD,
	FIREFOX_FINALIZER,
	FIREFOX_WAIT,
	FIREFOX_COLLECTION,
	FIREFOX_WORLD_STOP,
	FIREFOX_USER_MARK,
	FIREFOX_LOSS,
	FIREFOX_METRIC,
	FIREFOX_DESCRIBED, /**< A span or another event that the program describes. */
	FIREFOX_MESSAGE,   /**< A message of the program, whose type is one of Firefox. */
	/** Samples of kinds that the log describes, by the unit of their weight; these have a call stack. */
	FIREFOX_SAMPLED_TIME,
	FIREFOX_SAMPLED_BYTES,
	FIREFOX_SAMPLED,
	FIREFOX_MARKER_KINDS
} firefox_marker_kind;

#define FIREFOX_MARKER_FIELDS 5

/** The end of a marker that has not ended. */
#define FIREFOX_OPEN UINT64_MAX

/** A marker. Times are nanoseconds from the start of the log. */
typedef struct firefox_marker {
	uint64_t start;
	uint64_t end;     /**< The same as the start if it has no duration; #FIREFOX_OPEN if it has not ended. */
	uint32_t name;    /**< Index of a string; #FIREFOX_NONE: the name of the kind. */
	uint32_t kind;    /**< A #firefox_marker_kind. */
	uint32_t stack;   /**< Index of a call stack plus 1; 0 if it has none. */
	uint32_t unknown; /**< Bit i: the field i is not known, so it is left out. */
	uint64_t values[FIREFOX_MARKER_FIELDS];
} firefox_marker;

/** Writes the descriptions of all kinds. */
void firefox_write_marker_schemas(const firefox_tables *tables, json_writer *json);

/** Writes the markers of a thread. */
void firefox_write_markers(firefox_tables *tables, json_writer *json, spool *spool, const spool_stream *markers);

/** Instead of the ID of a metric: the size of the heap. */
#define FIREFOX_HEAP_SIZE UINT64_MAX

typedef struct firefox_counter firefox_counter;

/** Initialized with 0. */
typedef struct firefox_counters {
	firefox_counter *first;
	spool spool;
	int has_failed; /**< Out of memory. */
} firefox_counters;

/** Adds the value of a counter at a time in nanoseconds. */
void firefox_counters_add(firefox_counters *counters, uint64_t id, const char *name, uint64_t time, uint64_t value);

/** Writes all counters. */
void firefox_counters_write(firefox_counters *counters, json_writer *json, plain_buffer *plain, const char *pid);
void firefox_counters_release(firefox_counters *counters);

#endif
