/* SPDX-License-Identifier: MIT */
/**
 * \file writer/writer_internal.h
 * \brief What the files of the writer share.
 *
 * A block is built whole in writer->block and given to the sink at once. Calls check everything that the caller may
 * have got wrong first, so that an error leaves the log as it was.
 */
#ifndef WRITER_WRITER_INTERNAL_H
#define WRITER_WRITER_INTERNAL_H

#include <mprof/writer.h>

#include "base/id_map.h"
#include "base/id_set.h"
#include "format/block_encode.h"
#include "format/encode_buffer.h"
#include "format/events_encode.h"
#include "format/hits_encode.h"
#include "dictionary/definition_table.h"
#include "writer/heap_shot.h"
#include "io/sink.h"
#include "io/source_files.h"
#include "writer/stack_sections.h"
#include "writer/writer.h"
#include "writer/written_threads.h"

typedef enum writer_state {
	WRITER_BETWEEN_BLOCKS,
	WRITER_IN_EVENTS, /**< writer->block holds an EVENTS block that is not ended. */
	WRITER_CLOSED
} writer_state;

struct mprof_writer {
	mprof_allocator allocator;
	block_encoding encoding;
	log_sink sink;
	mprof_clock_function clock;
	void *clock_user;
	uint64_t max_name_length;
	int lossy;
	writer_state state;
	uint64_t header_counter; /**< When the last block was written; in dialects whose headers tell. */
	encode_buffer block;     /**< The block being built; memory stays for the next one. */
	encode_buffer classes;   /**< Definitions that wait, as they will stand in MAPPING. */
	encode_buffer methods;
	source_files sources;      /**< Files of methods; empty without directive 22. */
	int definitions_shortened; /**< 1: of those that wait, something cannot be said. */
	id_set class_ids;          /**< Defined, whether written or waiting. */
	id_set method_ids;
	id_map object_sizes; /**< Of classes whose objects all have one; empty without directive 18. */
	uint32_t defined[MPROF_RECORD_METRIC + 1]; /**< How many of each mprof_record_kind are defined: 1 to so many. */
	id_map double_metrics;                     /**< Metrics whose values are doubles. */
	event_encoder events;
	uint64_t base_counter;      /**< Of the EVENTS block. */
	memory_budget code_budget;  /**< Without a limit: what a program defines is the caller's business. */
	name_table code_names;      /**< Of the table below. */
	definition_table code;      /**< Of dialects that say call chains and native code where these are used. */
	uint32_t modules_written;   /**< Of those in the table: 1 to so many stand in the log. */
	hits_encoder hits;          /**< Appends to the block. */
	int tells_no_module;        /**< The one that stands for none stands in the log. */
	uint32_t functions_written; /**< Functions that stand in the log, where they have numbers of their own. */
	id_map function_numbers;
	heap_shot shot;          /**< In dialects in which it is one block. */
	size_t max_shot_length;  /**< In bytes. */
	written_threads threads; /**< In dialects that repeat base counters. */
	int has_sections;        /**< Stacks are told by #stack_sections. */
	stack_sections sections;
	uint64_t max_bytes;      /**< The longest that the log may be, as stored; 0: no limit. */
	uint64_t kept_bytes;     /**< What must stay free of that after a block. */
	int is_full;             /**< A block was refused for it. */
	uint64_t refused_events; /**< Of shots that were refused for it. */
	mprof_writer_stats stats;
	mprof_error error;
};

/** Definitions that wait do so in no more than so many bytes, which keeps blocks below what readers load. */
#define WRITER_MOST_WAITING ((size_t)4 << 20)

#endif
