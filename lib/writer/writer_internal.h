/* SPDX-License-Identifier: MIT */
/**
 * \file writer/writer_internal.h
 * \brief The struct of the writer, for the files of lib/writer only.
 *
 * writer.c opens and closes it, also a log that cannot be continued. blocks.c, events.c, heap.c and samples.c write the
 * blocks that clients ask for, events.c also those whose events other threads have encoded.
 * put_block.c ends a block and compresses it, and log_index.c makes the index. errors.c reports errors.
 *
 * A block is built completely in writer->block and then written to the sink. Every call first checks its arguments, so
 * that an invalid argument leaves the log unchanged.
 */
#ifndef WRITER_WRITER_INTERNAL_H
#define WRITER_WRITER_INTERNAL_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "base/thread_map.h"
#include "codec/packer.h"
#include "dictionary/definition_table.h"
#include "format/blocks/block_encode.h"
#include "format/blocks/statistical.h"
#include "format/events/events_encode.h"
#include "format/values/encode_buffer.h"
#include "io/sink.h"
#include "writer/log_index.h"
#include "writer/writer.h"

typedef struct written_thread {
	uint64_t base;    /**< Base counter of its last block. */
	uint64_t reached; /**< Counter of the last event with a time, or the base. */
	int has_block;    /**< 0: there was no block yet. */
	int has_stack;    /**< 1: later events without a stack section have a stack. */
} written_thread;

/**
 * The state at the end of the last EVENTS block of each thread, which the next one depends on in the dialects of Mono.
 */
typedef struct written_threads {
	mprof_allocator allocator;
	thread_map positions; /**< Positions of threads in the array below. */
	written_thread *threads;
	size_t count;
	size_t capacity;
	size_t current; /**< Index of the thread of the block being written. */
} written_threads;

static inline written_thread *written_threads_current(written_threads *table)
{
	return &table->threads[table->current];
}

/** Frames as sections have them, innermost first: method << 1, with bit 0 set if the method is being compiled. */
typedef struct stack_frames {
	uint32_t *frames;
	size_t count;
	size_t capacity;
} stack_frames;

/**
 * Call stacks as stack sections, which logs of Mono have before allocation and monitor events. A section specifies how
 * many of the outermost frames stay, and which frames are pushed on them. The original readers change the same stack at
 * enters, leaves and compilations too, so the first section after such an event repeats all frames. So does the first
 * section of a block, because a block can be read by itself.
 */
typedef struct stack_sections {
	const definition_table *definitions; /**< Contains the interned call stacks. Borrowed. */
	mprof_allocator allocator;
	uint32_t stack;        /**< Stack ID of the frames written last; 0 if they are not valid any more. */
	int is_partial;        /**< 1: frames of that stack were left out. */
	int wanted_is_partial; /**< The same for the next stack. */
	int is_in_force;       /**< 1: readers attach a stack to events without a section. */
	stack_frames written;  /**< The frames of stack. */
	stack_frames wanted;   /**< The frames of the next stack, while its section is encoded. */
} stack_sections;

/** Whether an event with this stack ID, 0 if it has none, needs a section before it. */
static inline int stack_sections_needs(const stack_sections *sections, uint32_t stack)
{
	return stack == 0 ? sections->is_in_force : stack != sections->stack;
}

/** Invalidates the frames written last. */
static inline void stack_sections_invalidate(stack_sections *sections)
{
	sections->stack = 0;
	sections->written.count = 0;
}

/** Begins an EVENTS block. \p is_in_force: a stack was in force at the end of the thread's previous block. */
static inline void stack_sections_begin(stack_sections *sections, int is_in_force)
{
	stack_sections_invalidate(sections);
	sections->is_in_force = is_in_force;
}

/** The object whose references are not complete yet. */
typedef struct heap_snapshot_object {
	uint64_t address;
	uint32_t class_id;
	uint32_t size;
	uint32_t reference_count;
	int is_there; /**< 0: there is no such object. */
} heap_snapshot_object;

/**
 * The contents of a heap snapshot, collected until it is written as one block, as in logs of Mono. In these logs an
 * object is followed by all its references, however many calls deliver them.
 */
typedef struct heap_snapshot {
	encode_buffer items;      /**< The items before the object below. */
	encode_buffer references; /**< The references of that object. */
	heap_snapshot_object object;
	mprof_writer_stats *stats; /**< Counts what is left out or shortened. Borrowed. */
	int lossy;
	int is_open;
	mprof_clock start; /**< When the scan of the heap began. Set by the owner. */
	uint32_t number;   /**< The number passed by the caller. Set by the owner. */
	uint64_t count;    /**< Objects, alive or dead, since it was last set to 0 by the owner. */
} heap_snapshot;

/** Whether blocks of these dialects can represent events of a kind. */
static inline int heap_snapshot_has(uint32_t kind)
{
	return kind == MPROF_EVENT_HEAP_OBJECT || kind == MPROF_EVENT_HEAP_FREE || kind == MPROF_EVENT_HEAP_REFERENCES;
}

/** The bytes collected so far. */
static inline size_t heap_snapshot_length(const heap_snapshot *snapshot)
{
	return snapshot->items.length + snapshot->references.length;
}

/** A part of a block that is compressed. */
typedef struct packed_middle {
	const uint8_t *bytes;
	size_t length;          /**< 0: there is none. */
	size_t unpacked_length; /**< If the part of the block has another length, this is not used. */
} packed_middle;

typedef enum writer_state {
	WRITER_BETWEEN_BLOCKS,
	WRITER_IN_EVENTS, /**< writer->block contains an EVENTS block that is not ended. */
	WRITER_CLOSED
} writer_state;

/** What the writer had written before a block. */
typedef struct writer_mark {
	uint64_t bytes;
	uint64_t blocks;
	uint64_t events;
} writer_mark;

/** How many blocks can be removed from the end of a log. */
#define WRITER_MARKS 16

struct mprof_writer {
	mprof_allocator allocator;
	block_encoding encoding;
	log_sink sink;
	mprof_clock_function clock;
	void *clock_user;
	uint64_t max_name_length;
	int lossy;
	writer_state state;
	uint32_t first_checksum; /**< See writer_first_checksum(). */
	uint64_t header_counter; /**< Counter when the last block was written, in dialects with counter deltas. */
	encode_buffer block;     /**< The block being built. Its memory is reused for the next one. */
	codec_packer packer;
	packed_middle middle;  /**< Of the block, if it was compressed already. Borrowed. */
	encode_buffer packed;  /**< The block as a COMPRESSED block. */
	encode_buffer classes; /**< Pending definitions, encoded as in MAPPING. */
	encode_buffer methods;
	source_files sources;      /**< Source files of methods; empty without directive 22. */
	int definitions_shortened; /**< 1: the dialect cannot represent all of the pending definitions. */
	id_set class_ids;          /**< IDs defined, whether written or pending. */
	id_set method_ids;
	id_map object_sizes;                 /**< Fixed object sizes by class, in bytes; empty without directive 18. */
	uint32_t defined[RECORD_KIND_COUNT]; /**< Last ID defined of each #mprof_record_kind, from 1. */
	id_map double_metrics;               /**< Metrics whose values are doubles. */
	type_shapes shapes;                  /**< The arguments of the types that this writer wrote. */
	event_encoder events;
	event_columns columns;     /**< The events of the block, if they are written in columns. */
	uint64_t thread;           /**< Thread of the EVENTS block. */
	uint64_t base_counter;     /**< Base counter of the EVENTS block. */
	memory_budget code_budget; /**< Without a limit: the caller decides how much it defines. */
	name_table code_names;     /**< The names in code. */
	definition_table code;     /**< For dialects that define call stacks and native code at their first use. */
	uint32_t modules_written;  /**< Last module of the table that is in the log. */
	statistical_encoder statistical; /**< Appends to block. */
	int has_placeholder_module;      /**< The log contains the module that stands for no module. */
	uint32_t functions_written;      /**< Functions in the log, for dialects that number them. */
	id_map function_numbers;
	heap_snapshot snapshot;     /**< For dialects in which a snapshot is one block. */
	uint64_t heap_process;      /**< The process of heap data, with directive 39; 0 if none. */
	size_t max_snapshot_length; /**< In bytes. */
	written_threads threads;    /**< For dialects that repeat base counters. */
	int has_sections;           /**< Call stacks are written as #stack_sections. */
	stack_sections sections;
	log_index index;                 /**< Unused unless the caller asks for it. */
	uint64_t max_bytes;              /**< Maximum length of the log, as stored; 0: no limit. */
	uint64_t kept_bytes;             /**< Bytes of it reserved for the blocks that must follow. */
	int is_full;                     /**< A block was refused because of the limit. */
	uint64_t refused_events;         /**< Events of snapshots that were refused because of the limit. */
	writer_mark marks[WRITER_MARKS]; /**< Of the last blocks, oldest first. */
	uint32_t mark_count;
	mprof_writer_stats stats;
	mprof_error error;
};

/** The arguments of types, for the columns of a block; NULL if events of types are not in columns. */
static inline const type_shapes *writer_shapes(const mprof_writer *writer)
{
	return (writer->encoding.directives & TYPED_COLUMNS_DIRECTIVES) == TYPED_COLUMNS_DIRECTIVES ? &writer->shapes
												    : NULL;
}

/**
 * The number of the collection of a snapshot or a summary; \p input is what the caller passed. 0 stands for an unknown
 * number. If the caller does not number collections, the writer does, and snapshots and summaries belong to the last
 * collection.
 */
static inline uint32_t writer_collection_number(const mprof_writer *writer, uint32_t input)
{
	if (!writer->encoding.rules->counts_collections)
		return input;
	return writer->events.has_counted || input == 0 ? writer->events.collection : input;
}

/** Upper bound for the bytes of pending definitions, which keeps blocks below the length that readers accept. */
#define WRITER_MAX_WAITING ((size_t)4 << 20)

#endif
