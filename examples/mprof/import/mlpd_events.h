/* SPDX-License-Identifier: MIT */
/**
 * \file import/mlpd_events.h
 * \brief The header, the buffers and the events of a file of Mono's profiler "log", data versions 16 and 17.
 */
#ifndef IMPORT_MLPD_EVENTS_H
#define IMPORT_MLPD_EVENTS_H

#include <stddef.h>
#include <stdint.h>

/** The first byte of events: a type and what is added to it. */
enum {
	MLPD_ALLOC = 0x00,
	MLPD_ALLOC_STACK = 0x10,
	MLPD_GC_EVENT = 0x11,
	MLPD_GC_RESIZE = 0x21,
	MLPD_GC_MOVES = 0x31,
	MLPD_HANDLE_CREATED = 0x41,
	MLPD_HANDLE_DELETED = 0x51,
	MLPD_HANDLE_CREATED_STACK = 0x61,
	MLPD_HANDLE_DELETED_STACK = 0x71,
	MLPD_FINALIZE_START = 0x81,
	MLPD_FINALIZE_END = 0x91,
	MLPD_FINALIZE_OBJECT_START = 0xa1,
	MLPD_FINALIZE_OBJECT_END = 0xb1,
	MLPD_METADATA = 0x02,
	MLPD_METADATA_LOAD = 0x22,
	MLPD_METADATA_UNLOAD = 0x42,
	MLPD_LEAVE = 0x13,
	MLPD_ENTER = 0x23,
	MLPD_LEAVE_EXCEPTION = 0x33,
	MLPD_JIT = 0x43,
	MLPD_THROW = 0x04,
	MLPD_CLAUSE = 0x14,
	MLPD_THROW_STACK = 0x84,
	MLPD_MONITOR = 0x05,
	MLPD_MONITOR_STACK = 0x85,
	MLPD_HEAP_START = 0x06,
	MLPD_HEAP_END = 0x16,
	MLPD_HEAP_OBJECT = 0x26,
	MLPD_HEAP_ROOTS = 0x36,
	MLPD_ROOT_ADDED = 0x46,
	MLPD_ROOT_REMOVED = 0x56,
	MLPD_HIT = 0x07,
	MLPD_SYMBOL = 0x17,
	MLPD_COUNTERS = 0x37,
	MLPD_COUNTER_VALUES = 0x47,
	MLPD_HELPER = 0x18,
	MLPD_SYNC = 0x0a,
	MLPD_AOT_ID = 0x1a
};

/** The second byte of metadata. */
enum { MLPD_CLASS = 1, MLPD_IMAGE, MLPD_ASSEMBLY, MLPD_DOMAIN, MLPD_THREAD, MLPD_CONTEXT, MLPD_VTABLE };

/** Types of counters. Values of numbers are differences from the value before. */
enum {
	MLPD_COUNTER_UNSIGNED = 1,
	MLPD_COUNTER_LONG = 3,
	MLPD_COUNTER_UNSIGNED_LONG = 4,
	MLPD_COUNTER_DOUBLE = 5,
	MLPD_COUNTER_TEXT = 6,
	MLPD_COUNTER_INTERVAL = 7
};

/** What mlpd_event::list has of a counter, and of a value of one. */
enum { MLPD_SECTION, MLPD_SECTION_NAME, MLPD_NAME, MLPD_TYPE, MLPD_UNIT, MLPD_VARIANCE, MLPD_INDEX, MLPD_COUNTER_SIZE };
enum { MLPD_VALUE_INDEX, MLPD_VALUE_TYPE, MLPD_VALUE, MLPD_VALUE_SIZE };

enum { MLPD_MAX_FIELDS = 6 };

/** An event. Lists are valid until the next one is decoded. */
typedef struct mlpd_event {
	uint8_t type;
	uint64_t time;
	uint64_t fields[MLPD_MAX_FIELDS]; /**< Numbers and addresses, in order. */
	size_t field_count;
	const char *text; /**< The first text, "" if it has none. */
	/**
	 * Addresses of a hit; pairs of old and new, offset and object, root and object; counters, with the addresses
	 * of their texts; values of counters.
	 */
	uint64_t *list;
	size_t list_count; /**< Elements, so twice the number of pairs. */
	uint64_t *frames;  /**< Methods, the innermost first. */
	size_t frame_count;
	int lacks_memory; /**< A list or the frames are not complete. */
} mlpd_event;

/** A buffer: events of one thread. */
typedef struct mlpd_buffer {
	const uint8_t *at, *end; /**< The next event, and where the buffer ends. */
	uint64_t thread, time;
	uint64_t pointer_base, object_base, method;
	int is_cut; /**< The file ends within the buffer. */
} mlpd_buffer;

/** A file in memory. */
typedef struct mlpd_file {
	const uint8_t *bytes, *at, *end;
	const uint8_t *skipped;      /**< What was skipped to find the last buffer or the end, or NULL. */
	uint64_t start_ms, start_ns; /**< When the program started: since 1970, and by the clock of the events. */
	uint32_t pid, version;
	char arguments[256];
} mlpd_file;

/** Reads the header. Returns NULL, or why it is not such a file. */
const char *mlpd_open(mlpd_file *file, const uint8_t *bytes, size_t size);

/** Reads the header of the next buffer. Returns 1, or 0 at the end. */
int mlpd_next_buffer(mlpd_file *file, mlpd_buffer *buffer);

/** After an event that cannot be decoded: looks for a buffer from there on if none begins where this one ends. */
void mlpd_skip(mlpd_file *file, const mlpd_buffer *buffer);

/** Decodes the next event. Returns 1, 0 at the end of the buffer, or -1 if the rest of it cannot be decoded. */
int mlpd_next_event(mlpd_buffer *buffer, mlpd_event *event);

#endif
