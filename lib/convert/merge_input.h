/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_input.h
 * \brief The state of a log that is merged with others, and what all of them share.
 *
 * A log is merged by a converter of its own (converter_internal.h). It translates what the log numbers to numbers of
 * the merged log, and this is where they are chosen.
 */
#ifndef CONVERT_MERGE_INPUT_H
#define CONVERT_MERGE_INPUT_H

#include <mprof/convert.h>

#include "base/hash_map.h"
#include "base/id_map.h"
#include "format/blocks/records.h"
#include "format/values/encode_buffer.h"

/** The definitions of the merged log by their content, which is bytes that the caller encodes. */
typedef struct shared_definitions {
	mprof_allocator allocator;
	hash_map first; /**< The first definition of each hash, as a pointer. */
} shared_definitions;

/** Numbers of one kind that are used in the merged log. */
typedef struct used_numbers {
	hash_map used;
	uint64_t next; /**< The first number to try when one has to be made up. */
	uint64_t limit;
} used_numbers;

/**
 * Takes a number: the one that is wanted if it is free and not 0, else one that is made up. Returns 0 if there is no
 * memory or no number is left.
 */
uint64_t used_numbers_take(used_numbers *all, uint64_t wanted);

/** The numbers of one log, and what they are in the merged log. */
typedef struct own_numbers {
	used_numbers *used;
	hash_map moved;
} own_numbers;

/** The number in the merged log, which is taken at first; 0 for 0, or if there is no memory. is_new may be NULL. */
uint64_t own_numbers_get(own_numbers *numbers, uint64_t number, int *is_new);

/** Sets the number in the merged log of one that has none yet. Returns 0 if there is no memory. */
int own_numbers_set(own_numbers *numbers, uint64_t number, uint64_t merged);

/** Whether a number has one in the merged log. */
int own_numbers_has(const own_numbers *numbers, uint64_t number);

/** Forgets a number and makes the one of the merged log free. */
void own_numbers_end(own_numbers *numbers, uint64_t number);

/** What each log numbers independently, apart from records. */
typedef enum merge_number {
	MERGE_METHOD,
	MERGE_CLASS,
	MERGE_CODE_UNIT,
	MERGE_COLLECTION,
	MERGE_SNAPSHOT,
	MERGE_THREAD,
	MERGE_PROCESS,
	MERGE_CALL_STACK, /**< Stacks that threads switch to. */
	MERGE_NUMBER_COUNT
} merge_number;

/** Properties that are sums over the logs. */
enum { MERGE_SUMS = 11 };

/** Properties that the merged log states only if all logs have the same. */
enum { MERGE_DIFFERING = 2 };

/** What a log has stated in SESSION, or the merged log. */
typedef struct merge_properties {
	uint64_t sums[MERGE_SUMS];   /**< See merge_blocks.c. */
	uint64_t sample_period;      /**< Nanoseconds that the samples that follow stand for; 0: not stated. */
	uint64_t alloc_sample_bytes; /**< Of the allocations that follow; 0: all of them have a call stack. */
	uint64_t rate_span;          /**< Counters in which the rate was measured that was stated last. */
} merge_properties;

/** Shared by the logs. */
typedef struct merge_state {
	mprof_allocator allocator;
	shared_definitions definitions;
	used_numbers used[MERGE_NUMBER_COUNT];
	uint32_t defined[RECORD_KIND_COUNT];    /**< The last ID of the merged log, by #mprof_record_kind. */
	id_map fields;                          /**< The log whose FIELDS apply to a class, as its index plus 1. */
	encode_buffer content;                  /**< The content of a definition that is searched for. */
	merge_properties stated;                /**< By the merged log. */
	const char *differing[MERGE_DIFFERING]; /**< Keys of properties that the merged log does not state; NULL. */
} merge_state;

typedef struct merge_input {
	merge_state *shared;
	size_t index;
	own_numbers numbers[MERGE_NUMBER_COUNT];
	hash_map occurrences;    /**< How often the log has defined something, by the hash of its content. */
	id_map unit_contents;    /**< Numbers of the contents of code units, by ID. */
	merge_properties stated; /**< By the log. */
	uint64_t start;          /**< Counter of its start. */
	uint64_t process;        /**< Its number in the merged log. */
	uint64_t process_thread; /**< The thread of the merged log for what concerns the process; 0: not needed yet. */
	uint64_t *new_threads;   /**< Threads of the merged log that are not described yet. */
	size_t new_thread_count;
	size_t new_thread_capacity;
} merge_input;

void merge_state_init(merge_state *state, const mprof_allocator *allocator);
void merge_state_destroy(merge_state *state);

void merge_input_init(merge_input *input, merge_state *shared, size_t index, uint64_t process);
void merge_input_destroy(merge_input *input);

/** A number of the log in the merged log; 0 for 0, or if there is no memory. */
static inline uint64_t merge_number_get(merge_input *input, merge_number kind, uint64_t number)
{
	return own_numbers_get(&input->numbers[kind], number, NULL);
}

/** Translates an ID of 32 bits. Returns 0 if there is no memory. */
static inline int merge_translate_id(merge_input *input, merge_number kind, uint32_t *id)
{
	const uint32_t merged = (uint32_t)merge_number_get(input, kind, *id);

	if (merged == 0 && *id != 0)
		return 0;
	*id = merged;
	return 1;
}

/**
 * A thread of the log in the merged log. At first it is one of those that have to be described as threads of the
 * process. 0 for 0, or if there is no memory.
 */
uint64_t merge_thread(merge_input *input, uint64_t thread);

/** The thread for what concerns the process as a whole; 0 if there is no memory. */
uint64_t merge_process_thread(merge_input *input);

/**
 * The ID in the merged log of the definition whose content is in merge_state::content, or 0 if the log is the first one
 * with it; then merge_input_share() adds it. With \p stays_apart, definitions with the same content in one log stay
 * apart, and a number that distinguishes them is added to the content. Sets merge_state::content.status if there is no
 * memory.
 */
uint32_t merge_input_find(merge_input *input, int stays_apart);

/** Shares the definition in merge_state::content with logs that define the same. Returns 0 if there is no memory. */
int merge_input_share(merge_input *input, uint32_t id);

#endif
