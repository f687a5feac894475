/* SPDX-License-Identifier: MIT */
/**
 * \file format/blocks/records.h
 * \brief Decodes and encodes records, the lists of blocks such as STACKS, CODE, METRICS and TYPES, and finds the
 * metrics of single threads that the format defines (doc/format.md, 3.15).
 */
#ifndef FORMAT_BLOCKS_RECORDS_H
#define FORMAT_BLOCKS_RECORDS_H

#include <mprof/format.h>
#include <mprof/parser.h>

#include "base/id_map.h"
#include "format/values/content_cursor.h"
#include "format/values/encode_buffer.h"

#include <stdint.h>
#include <string.h>

/** The number of kinds of records up to the last one that defines IDs, including 0. */
#define RECORD_KIND_COUNT (MPROF_RECORD_CODE_RANGE + 1)

/** The maximum number of lists in a block. */
#define RECORD_MAX_LISTS 3

/** The #mprof_record_kind of a list by its index; 0 if the block has no such list or no records at all. */
static inline uint32_t record_list_kind(uint32_t block_kind, uint32_t list)
{
	static const uint8_t lists[][RECORD_MAX_LISTS] = {
		[MPROF_BLOCK_HEAP_SUMMARY] = {MPROF_RECORD_SUMMARY},
		[MPROF_BLOCK_STACKS] = {MPROF_RECORD_STACK},
		[MPROF_BLOCK_CODE] = {MPROF_RECORD_MODULE, MPROF_RECORD_FUNCTION, MPROF_RECORD_LOCATION},
		[MPROF_BLOCK_METRICS] = {MPROF_RECORD_METRIC, MPROF_RECORD_METRIC_VALUE},
		[MPROF_BLOCK_ROOTS] = {MPROF_RECORD_ROOT},
		[MPROF_BLOCK_FIELDS] = {MPROF_RECORD_FIELD},
		[MPROF_BLOCK_TYPES] = {MPROF_RECORD_ARGUMENT, MPROF_RECORD_TYPE},
		[MPROF_BLOCK_TEXTS] = {MPROF_RECORD_TEXT},
		[MPROF_BLOCK_TIMELINES] = {MPROF_RECORD_TIMELINE},
		[MPROF_BLOCK_PROCESSES] = {MPROF_RECORD_PROCESS},
		[MPROF_BLOCK_CLOCKS] = {MPROF_RECORD_CLOCK},
		[MPROF_BLOCK_CLOCK_PAIRS] = {MPROF_RECORD_CLOCK_PAIR},
		[MPROF_BLOCK_POSITIONS] = {MPROF_RECORD_POSITION},
		[MPROF_BLOCK_CODE_RANGES] = {MPROF_RECORD_CODE_RANGE, MPROF_RECORD_CODE_LINE, MPROF_RECORD_CODE_END},
		[MPROF_BLOCK_OBJECT_LABELS] = {MPROF_RECORD_LABEL, MPROF_RECORD_OBJECT_FLAGS},
		[MPROF_BLOCK_REFERENCE_NAMES] = {MPROF_RECORD_REFERENCE_NAME, MPROF_RECORD_WEAK_REFERENCE},
		[MPROF_BLOCK_REACHABILITY] = {MPROF_RECORD_MEMORY_SEARCH, MPROF_RECORD_MEMORY_BLOCK},
	};

	if (list >= RECORD_MAX_LISTS || block_kind >= sizeof(lists) / sizeof(lists[0]))
		return 0;
	return lists[block_kind][list];
}

/** Whether an argument of a kind may have an encoding (doc/format.md, 3.25). */
static inline int record_encoding_fits(uint32_t kind, uint32_t encoding)
{
	switch (kind) {
	case MPROF_ARGUMENT_TEXT:
	case MPROF_ARGUMENT_BYTES:
		return encoding == MPROF_ENCODING_BYTES;
	case MPROF_ARGUMENT_DOUBLE:
		return encoding == MPROF_ENCODING_FIXED;
	default:
		return encoding <= MPROF_ENCODING_BYTES;
	}
}

/** Whether a block of this kind consists of records. */
static inline int block_has_records(uint32_t block_kind)
{
	return record_list_kind(block_kind, 0) != 0;
}

/** Whether a block of this kind belongs to a heap snapshot, and states the snapshot's number before its records. */
static inline int block_has_heap_notes(uint32_t block_kind)
{
	return block_kind == MPROF_BLOCK_OBJECT_LABELS || block_kind == MPROF_BLOCK_REFERENCE_NAMES;
}

/** Whether a record of this kind is in a CODE_RANGES block. */
static inline int record_is_of_code_ranges(uint32_t record_kind)
{
	return record_kind >= MPROF_RECORD_CODE_RANGE && record_kind <= MPROF_RECORD_CODE_END;
}

/** Whether a record of this kind is about an object or a reference of a heap snapshot. */
static inline int record_is_heap_note(uint32_t record_kind)
{
	return record_kind >= MPROF_RECORD_LABEL && record_kind <= MPROF_RECORD_WEAK_REFERENCE;
}

/** Whether a record of this kind defines its ID; the IDs in a list of definitions are consecutive. */
static inline int record_is_definition(uint32_t record_kind)
{
	return (record_kind >= MPROF_RECORD_STACK && record_kind <= MPROF_RECORD_METRIC) ||
	       (record_kind >= MPROF_RECORD_ARGUMENT && record_kind <= MPROF_RECORD_PROCESS) ||
	       record_kind == MPROF_RECORD_POSITION || record_kind == MPROF_RECORD_CODE_RANGE;
}

/** The bits of #mprof_metric_flag. */
#define RECORD_METRIC_FLAGS                                                                                            \
	((uint32_t)(MPROF_METRIC_FLAG_DOUBLE | MPROF_METRIC_UNIT_MASK | MPROF_METRIC_FLAG_MONOTONIC |                  \
		    MPROF_METRIC_FLAG_CONSTANT | MPROF_METRIC_FLAG_THREAD | MPROF_METRIC_FLAG_HISTOGRAM))

/** The bits of #mprof_timeline_flag. */
#define RECORD_TIMELINE_FLAGS ((uint32_t)MPROF_TIMELINE_FLAG_ENDED)

/** A pointer to the name of a record, or to the file of a module; NULL if the kind has no name. */
static inline const char **record_name(mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		return &record->as.module.file;
	case MPROF_RECORD_FUNCTION:
		return &record->as.function.name;
	case MPROF_RECORD_ROOT:
		return &record->as.root.name;
	case MPROF_RECORD_METRIC:
		return &record->as.metric.name;
	case MPROF_RECORD_FIELD:
		return &record->as.field.name;
	case MPROF_RECORD_ARGUMENT:
		return &record->as.argument.name;
	case MPROF_RECORD_TYPE:
		return &record->as.type.name;
	case MPROF_RECORD_TEXT:
		return &record->as.text.text;
	case MPROF_RECORD_CLOCK:
		return &record->as.clock.name;
	case MPROF_RECORD_TIMELINE:
		return &record->as.timeline.name;
	case MPROF_RECORD_PROCESS:
		return &record->as.process.name;
	case MPROF_RECORD_LABEL:
		return &record->as.label.text;
	case MPROF_RECORD_CODE_RANGE:
		return &record->as.code_range.name;
	default:
		return NULL;
	}
}

/**
 * A pointer to the build ID of a module, the section of a metric, the unit of an argument, the source of a type or the
 * command line of a process; NULL for other kinds.
 */
static inline const char **record_second_text(mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		return &record->as.module.build_id;
	case MPROF_RECORD_METRIC:
		return &record->as.metric.section;
	case MPROF_RECORD_ARGUMENT:
		return &record->as.argument.unit_name;
	case MPROF_RECORD_PROCESS:
		return &record->as.process.command;
	case MPROF_RECORD_TYPE:
		return &record->as.type.source;
	default:
		return NULL;
	}
}

/** The name of a record, or the file of a module; "" if the kind has no name. */
static inline const char *record_get_name(const mprof_record *record)
{
	const char **name = record_name((mprof_record *)record);

	return name != NULL ? *name : "";
}

/** As record_second_text(); "" for other kinds. */
static inline const char *record_get_second_text(const mprof_record *record)
{
	const char **text = record_second_text((mprof_record *)record);

	return text != NULL ? *text : "";
}

/** The unit of a metric; NULL for other kinds. */
static inline const char **record_third_text(mprof_record *record)
{
	return record->kind == MPROF_RECORD_METRIC ? &record->as.metric.unit : NULL;
}

/** Replaces strings that are NULL by "". */
static inline void record_complete(mprof_record *record)
{
	const char **texts[] = {record_name(record), record_second_text(record), record_third_text(record)};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i] != NULL && *texts[i] == NULL)
			*texts[i] = "";
	}
}

/** Initializes a record: all numbers are 0, all strings "". */
static inline void record_clear(mprof_record *record, uint32_t kind)
{
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record_complete(record);
}

/** What the addresses and indices of a list are relative to; all 0 at its start. */
typedef struct record_position {
	uint64_t address; /**< The last address. */
	uint64_t object;  /**< The last object that has a reference, ... */
	uint32_t index;   /**< ... and the index after the last one. */
} record_position;

/** Iterates over the lists of one block. */
typedef struct record_cursor {
	content_cursor content; /**< After all lists when at_end is set. */
	uint32_t block_kind;
	uint32_t list;      /**< Index of the list. */
	uint32_t last_id;   /**< The last ID in the list; 0 at its start. */
	uint32_t remaining; /**< STACKS: number of call stacks that follow. */
	uint32_t shift;     /**< Of addresses (section 2.6). */
	record_position position;
	uint64_t counter;      /**< METRICS: that of the first clock pair. */
	int has_sized_metrics; /**< METRICS: the records have a length (directive 38). */
	int at_end;
} record_cursor;

/**
 * Starts at the first list of the block. \p directives are those in force, as #MPROF_DIRECTIVE_BIT; \p counter is that
 * of the first clock pair of the block.
 */
void record_cursor_init(record_cursor *cursor, const content_cursor *content, uint32_t block_kind, uint64_t directives,
			uint64_t counter);

/** Decodes the next record. Returns 1, or 0 at the end of all lists or on a fault. */
int record_cursor_next(record_cursor *cursor, mprof_record *record);

/** What the encoding of a block of records depends on. */
typedef struct record_encoding {
	const id_map *double_metrics; /**< Metrics whose values are doubles. */
	uint64_t counter;             /**< That of the first clock pair of the block. */
	uint32_t first_stack;         /**< STACKS: the ID of the first call stack. */
	int has_sized_metrics;        /**< METRICS: the records have a length (directive 38). */
} record_encoding;

/**
 * Appends all lists of a block. Records of different lists may be in any order; those of one list are in the order of
 * the block. The caller has checked them.
 */
void records_encode(encode_buffer *buffer, uint32_t block_kind, const record_encoding *encoding,
		    const mprof_record *records, size_t count);

/** Whether a metric or a value of one can be encoded only with directive 38. */
int record_needs_sized_metrics(const mprof_record *record);

/**
 * Receives the definitions of a block in their order, before the rest of the block is checked: whether the block
 * is valid is known only after its last definition. The texts of a definition point into the content of the block.
 */
typedef struct definition_sink {
	/** Receives a class or a method of a MAPPING block. */
	void (*mapping)(void *user, const mprof_mapping *mapping);
	/** Receives a record of a block that has records. */
	void (*record)(void *user, const mprof_record *record);
	void *user;
} definition_sink;

/** What a metric of a thread measures. All values start at 0 when the thread is attached. */
typedef enum thread_metric {
	THREAD_WALL_TIME,    /**< Time in which it existed. */
	THREAD_CPU_TIME,     /**< Time in which it ran. */
	THREAD_READY_TIME,   /**< Time in which it waited for a processor. */
	THREAD_YIELDS,       /**< Context switches because it blocked or yielded. */
	THREAD_PREEMPTIONS,  /**< Context switches because the system ran another thread in its place. */
	THREAD_METRIC_COUNT, /**< Number of metrics. */
	THREAD_METRIC_NONE = THREAD_METRIC_COUNT /**< Any other metric. */
} thread_metric;

/** How a metric is defined in a log. */
typedef struct thread_metric_definition {
	const char *name;
	uint32_t flags; /**< Of mprof_metric_record. */
} thread_metric_definition;

/** The section that the metrics are defined in. */
#define THREAD_METRIC_SECTION "thread"

/** The definitions, by #thread_metric. */
extern const thread_metric_definition thread_metrics[THREAD_METRIC_COUNT];

/** Finds what a metric of a log measures, by its definition; #THREAD_METRIC_NONE if the format does not define it. */
thread_metric thread_metric_find(uint32_t flags, const char *section, const char *name);

#endif
