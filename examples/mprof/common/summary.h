/* SPDX-License-Identifier: MIT */
/**
 * \file common/summary.h
 * \brief A summary of a log: its session, and counts of its contents.
 */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "common/block_storage.h"
#include "common/input.h"
#include "common/json.h"
#include "common/precompiled.h"
#include "common/recording_filters.h"
#include "common/ring_span.h"
#include "common/sampling.h"
#include "shared/kinds.h"

#define SUMMARY_BLOCK_KINDS 64

typedef struct log_summary {
	mprof_session session; /**< From the reader, but complete and valid_bytes account for problems of all kinds. */
	uint64_t size;         /**< Size of the log in bytes; if it is compressed, of the part that could be read. */
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
	uint64_t ended_shots;      /**< Heap snapshots with a last block. */
	uint64_t incomplete_shots; /**< Heap snapshots that are marked as incomplete. */
	uint32_t incomplete_shot;  /**< Collection number of the last such snapshot. */
	precompiled_images precompiled;
	ring_span ring;
	char program[256];            /**< The recorded program, shortened if its name is long; "" if unknown. */
	uint64_t unrecorded_children; /**< Processes that fork() made and that were not recorded, as far as known. */
	char write_error[64];         /**< Why the log could not be written whole; "" if it could. */
	char unrecorded_memory[256];  /**< Why the program's own memory is not recorded; "" if it is. */
	sampling_facts sampling;
	recording_filters filters;
	int is_growing;           /**< A program is still writing the log. */
	uint64_t running_threads; /**< Threads that still ran when recording ended. */
	block_storage storage;
	uint64_t lost[KIND_ROOM]; /**< Lost events by cause. */
	uint64_t block_counts[SUMMARY_BLOCK_KINDS];
	uint64_t event_counts[KIND_ROOM];
} log_summary;

/** Counts one event. */
static inline void summary_count_event(log_summary *summary, const mprof_event *event)
{
	summary->event_counts[event->kind]++;
	summary->events++;
}

/** Counts one block without its events. */
void summary_count_block(log_summary *summary, const mprof_block *block);

/** Takes what the summary contains from a property of the session. */
void summary_take_property(log_summary *summary, const char *key, const char *value);

/** Reads the properties of a loaded SESSION block. */
void summary_read_properties(log_summary *summary, log_input *input);

/** Reads a whole log and counts its contents. Returns 0 after a message if out of memory. */
int summary_read(log_summary *summary, log_input *input);

/** Fills in the fields that the reader provides after the log was read. */
void summary_complete(log_summary *summary, const log_input *input);

/** Whether calls were recorded, but not those of images with ahead-of-time compiled code. */
int summary_lacks_calls(const log_summary *summary);

/** Prints the fields of a summary into an open object. */
void summary_print_json(const log_summary *summary, const log_input *input, json_writer *json);

/** Prints a summary as lines of a label and a value. */
void summary_print_text(const log_summary *summary, const log_input *input, FILE *file);

/** Writes that the wall clock was set while the log was recorded, if it was, and what that means for durations. */
void summary_print_steps(const mprof_session *session, FILE *file);

/**
 * Prints the most important facts on one line, and what is missing in the log on further lines. \p program: NULL if
 * unknown.
 */
void summary_print_header(const log_summary *summary, const log_input *input, const char *program, FILE *file);

#endif
