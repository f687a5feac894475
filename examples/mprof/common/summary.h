/* SPDX-License-Identifier: MIT */
/**
 * \file common/summary.h
 * \brief What a log is, and how much of what is in it.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "common/input.h"
#include "common/json.h"
#include "shared/kinds.h"

#define SUMMARY_BLOCK_KINDS 64

typedef struct log_summary {
	mprof_session
		session; /**< As far as the reader knows; complete and valid up to the first problem of any kind. */
	int is_closed;   /**< There is an END block. */
	uint64_t size;   /**< Bytes of the log; when compressed, as far as it could be read. */
	uint64_t threads;
	uint64_t classes;
	uint64_t methods;
	uint64_t events;
	uint64_t stacks;
	uint64_t modules;
	uint64_t functions;
	uint64_t locations;
	uint64_t roots;
	uint64_t metrics;
	uint64_t heap_shots;
	uint64_t ended_shots;      /**< Those whose last block is there. */
	uint64_t incomplete_shots; /**< Those that say so. */
	uint32_t incomplete_shot;  /**< The one that said so last. */
	uint64_t lost[KIND_ROOM];  /**< By cause. */
	uint64_t block_counts[SUMMARY_BLOCK_KINDS];
	uint64_t event_counts[KIND_ROOM];
} log_summary;

/** Counts one event. */
static inline void summary_count_event(log_summary *summary, const mprof_event *event)
{
	summary->event_counts[event->kind]++;
	summary->events++;
}

/** Counts one block, but for the events in it. */
void summary_count_block(log_summary *summary, const mprof_block *block);

/** Reads a whole log to count what is in it. Returns 0 after a message if there is no memory. */
int summary_read(log_summary *summary, log_input *input);

/** Fills in what the reader knows once the log was read. */
void summary_complete(log_summary *summary, const log_input *input);

/** The fields of a summary, into an object that is open. */
void summary_print_json(const log_summary *summary, const log_input *input, json_writer *json);

void summary_print_text(const log_summary *summary, const log_input *input, FILE *file);

#endif
