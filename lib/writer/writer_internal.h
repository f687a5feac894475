/* SPDX-License-Identifier: MIT */
/**
 * \file writer/writer_internal.h
 * \brief The struct of the writer, for the files of lib/writer only.
 *
 * open.c opens it. definitions.c, records.c, events.c, heap.c, samples.c and blocks.c write the blocks that clients
 * ask for, with what is needed from one block to the next in event_collector.c, heap_snapshot.c, stack_sections.c and
 * written_threads.c. put_block.c ends a block, compress.c compresses it, and log_index.c makes the index. failed_end.c
 * ends a log that cannot be continued, and errors.c reports errors.
 *
 * A block is built completely in writer->block and then written to the sink. Every call first checks its arguments, so
 * that an invalid argument leaves the log unchanged.
 */
#ifndef WRITER_WRITER_INTERNAL_H
#define WRITER_WRITER_INTERNAL_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "codec/codec.h"
#include "dictionary/definition_table.h"
#include "format/blocks/block_encode.h"
#include "format/blocks/statistical.h"
#include "format/events/event_columns_encode.h"
#include "format/events/events_encode.h"
#include "format/values/encode_buffer.h"
#include "io/sink.h"
#include "io/source.h"
#include "writer/compress.h"
#include "writer/heap_snapshot.h"
#include "writer/log_index.h"
#include "writer/stack_sections.h"
#include "writer/writer.h"
#include "writer/written_threads.h"

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
	id_map object_sizes; /**< Fixed object sizes by class, in bytes; empty without directive 18. */
	uint32_t defined[MPROF_RECORD_METRIC + 1]; /**< Last ID defined of each #mprof_record_kind, from 1. */
	id_map double_metrics;                     /**< Metrics whose values are doubles. */
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

/** Upper bound for the bytes of pending definitions, which keeps blocks below the length that readers accept. */
#define WRITER_MAX_WAITING ((size_t)4 << 20)

#endif
