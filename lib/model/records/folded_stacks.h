/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/folded_stacks.h
 * \brief Call stacks without recursion: of a frame that is called again, the first call stands for all.
 */
#ifndef MODEL_RECORDS_FOLDED_STACKS_H
#define MODEL_RECORDS_FOLDED_STACKS_H

#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/record_table.h"

/** There was no memory. */
#define FOLDED_STACK_NONE UINT32_MAX

typedef struct folded_stacks {
	memory_budget *budget;
	hash_map known;    /**< Numbers of folded call stacks by stack ID. */
	site_table frames; /**< key.call: number of the caller; key.detail, key.other: the frame. value: a stack ID. */
	uint32_t *path;    /**< Stack IDs whose folded call stacks are being made. */
	size_t path_capacity;
} folded_stacks;

/** \p budget must outlive the call stacks. */
void folded_stacks_init(folded_stacks *stacks, memory_budget *budget);
void folded_stacks_destroy(folded_stacks *stacks);

/**
 * The number of a folded call stack: 0 for the stack ID 0 and for one that is not defined, otherwise from 1.
 * #FOLDED_STACK_NONE if there is no memory.
 */
uint32_t folded_stacks_get(folded_stacks *stacks, const mprof_reader *reader, uint32_t stack);

/** The first stack ID that a number was made from; 0 for 0. */
uint32_t folded_stacks_id(const folded_stacks *stacks, uint32_t number);

/** The innermost frame of a number from 1 on. Returns the number of its caller, 0 if none. */
uint32_t folded_stacks_frame(const folded_stacks *stacks, uint32_t number, mprof_stack_frame *frame);

#endif
