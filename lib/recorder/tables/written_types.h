/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/tables/written_types.h
 * \brief The texts, arguments and types of events, the clocks with their pairs, the timelines, the processes and the
 * ranges of code that are in the log, and the definitions that are not yet. Writer thread.
 *
 * Definitions are written at the end of the batch of messages with which they came, so they precede the events that use
 * them. Without memory they wait for the next batch; events of their types are lost until then.
 */
#ifndef RECORDER_TABLES_WRITTEN_TYPES_H
#define RECORDER_TABLES_WRITTEN_TYPES_H

#include <mprof/recorder.h>

#include "recorder/queues/message_queue.h"
#include "recorder/system/counter.h"
#include "recorder/tables/keys.h"
#include "recorder/tables/output.h"
#include "recorder/tables/stacks.h"

typedef struct written_types {
	mprof_allocator allocator;
	const mprof_allocator *messages; /**< The allocator of messages. */
	recorder_keys *keys;             /**< For methods of ranges of code. */
	position_store *positions;       /**< For their lines. */
	recorder_output *output;
	uint32_t texts; /**< How many are in the log, as all that follow. */
	uint32_t arguments;
	uint32_t types;
	uint32_t clocks;    /**< With that of the log, which precedes the first other one. */
	uint32_t timelines; /**< Of timelines and processes the writer thread assigns the IDs. */
	uint32_t processes;
	uint32_t codes; /**< Ranges of code. */
	const counter_source *counter;
	char counter_name[64]; /**< The name of the log's clock. */
	message *waiting;      /**< Definitions that are not in the log yet, the oldest first. */
	message **end;         /**< Where the next one is added. */
	message *written;      /**< Definitions that are in the log, which may not be committed yet. */
	mprof_record *records; /**< The records of a block. */
	size_t record_capacity;
} written_types;

void written_types_init(written_types *types, const mprof_allocator *allocator, const mprof_allocator *messages,
			recorder_keys *keys, position_store *positions, recorder_output *output,
			const counter_source *counter);
void written_types_destroy(written_types *types);

/** Adds a definition. The table owns the message from now on. */
void written_types_add(written_types *types, message *defined);

/**
 * Writes the definitions that wait. \p batch: the batch of messages, which becomes theirs; those that are still waiting
 * are in none, so recovery finds them.
 */
void written_types_write(written_types *types, uint64_t batch);

/** Releases definitions that were written. Call it after salvage_commit(). */
void written_types_release(written_types *types);

/** Whether a type is in the log. */
static inline int written_types_has(const written_types *types, uint64_t id)
{
	return id != 0 && id <= types->types;
}

#endif
