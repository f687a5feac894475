/* SPDX-License-Identifier: MIT */
/**
 * \file convert/merge_names.h
 * \brief What the logs that are merged share: definitions with the same content, and numbers that no two of them use.
 */
#ifndef CONVERT_MERGE_NAMES_H
#define CONVERT_MERGE_NAMES_H

#include "base/hash_map.h"
#include "format/values/encode_buffer.h"

typedef struct shared_definition shared_definition;

/** The definitions of the merged log by their content, which is bytes that the caller encodes. */
typedef struct shared_definitions {
	mprof_allocator allocator;
	hash_map first; /**< The first definition of each hash, as a pointer. */
} shared_definitions;

void shared_definitions_init(shared_definitions *all, const mprof_allocator *allocator);
void shared_definitions_destroy(shared_definitions *all);

/** A hash of a content, which is not 0. */
uint64_t shared_definitions_hash(const encode_buffer *content);

/** The ID of the definition with a content, or 0. */
uint32_t shared_definitions_find(const shared_definitions *all, const encode_buffer *content);

/** Adds a definition. Returns 0, changing nothing, if there is no memory. */
int shared_definitions_add(shared_definitions *all, const encode_buffer *content, uint32_t id);

/** Numbers of one kind that are used in the merged log. */
typedef struct used_numbers {
	hash_map used;
	uint64_t next; /**< The first number to try when one has to be made up. */
	uint64_t limit;
} used_numbers;

/** \p first: the first number that is made up. \p limit: the greatest one. */
void used_numbers_init(used_numbers *all, const mprof_allocator *allocator, uint64_t first, uint64_t limit);
void used_numbers_destroy(used_numbers *all);

/**
 * Takes a number: the one that is wanted if it is free and not 0, else one that is made up. Returns 0 if there is no
 * memory or no number is left.
 */
uint64_t used_numbers_take(used_numbers *all, uint64_t wanted);

/** Makes a number free. */
void used_numbers_release(used_numbers *all, uint64_t number);

/** The numbers of one log, and what they are in the merged log. */
typedef struct own_numbers {
	used_numbers *used;
	hash_map moved;
} own_numbers;

void own_numbers_init(own_numbers *own, const mprof_allocator *allocator, used_numbers *used);
void own_numbers_destroy(own_numbers *own);

/** The number in the merged log, which is taken at first; 0 for 0, or if there is no memory. is_new may be NULL. */
uint64_t own_numbers_get(own_numbers *own, uint64_t number, int *is_new);

/** Sets the number in the merged log of one that has none yet. Returns 0 if there is no memory. */
int own_numbers_set(own_numbers *own, uint64_t number, uint64_t merged);

/** Whether a number has one in the merged log. */
int own_numbers_has(const own_numbers *own, uint64_t number);

/** Forgets a number and makes the one of the merged log free. */
void own_numbers_end(own_numbers *own, uint64_t number);

#endif
