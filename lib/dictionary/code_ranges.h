/* SPDX-License-Identifier: MIT */
/**
 * \file dictionary/code_ranges.h
 * \brief Which range of generated code held an address at a time (doc/format.md, 3.36).
 */
#ifndef DICTIONARY_CODE_RANGES_H
#define DICTIONARY_CODE_RANGES_H

#include <mprof/format.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"

#include <stddef.h>
#include <stdint.h>

/** A place of a range: from one counter up to another. A range that moves has several. */
typedef struct code_claim {
	uint64_t process; /**< Number of the process that has the addresses. */
	uint64_t first;   /**< Address of the first byte. */
	uint64_t last;    /**< Address of the last byte. */
	uint64_t start;   /**< Counter from which on. */
	uint64_t end;     /**< Counter up to which, exclusive; UINT64_MAX: it has not ended. */
	uint32_t range;   /**< ID of the range. */
} code_claim;

/** An address of a process. */
typedef struct code_address {
	uint64_t process;
	uint64_t address;
} code_address;

/** A position of a range. */
typedef struct code_line {
	uint64_t offset;
	uint32_t position;
} code_line;

/** The positions of a range, by offset: a part of code_ranges::lines, which may have room for more. */
typedef struct code_line_list {
	uint32_t range;
	uint32_t mark; /**< code_ranges::marks when it was changed last. */
	size_t first;
	size_t count;
	size_t capacity;
} code_line_list;

/**
 * Claims with consecutive numbers, by address: a segment tree, whose leaves are the addresses between two bounds. Each
 * claim is in a few nodes, and the claims of a node are in the order of their starts, so that a search looks at one
 * claim of each node on the path from a leaf.
 */
typedef struct claim_tree {
	size_t first_claim;
	size_t claim_count;
	code_address *bounds;
	size_t bound_count;
	uint32_t *node_ends; /**< By node: the end of its claims in claims; they begin where those before it end. */
	uint32_t *claims;    /**< Numbers of claims. */
	size_t claim_room;
} claim_tree;

/** Each tree has more than twice as many claims as the next one, and a claim has a number of 32 bits. */
#define CODE_RANGES_MAX_TREES 33

typedef struct code_ranges {
	memory_budget *budget; /**< Borrowed. */
	code_claim *claims;    /**< By number. */
	size_t claim_count;
	size_t claim_capacity;
	hash_map latest;  /**< By ID of a range: the number of its latest claim, until it was freed. */
	code_line *lines; /**< The lists of all ranges. */
	size_t line_count;
	size_t line_capacity;
	hash_map list_of;      /**< By ID of a range: the index of its list. */
	code_line_list *lists; /**< In the order of the first lines of ranges. */
	size_t list_count;
	size_t list_capacity;
	code_line_list *list_undo; /**< What lists were before they changed since the last code_ranges_mark(). */
	size_t list_undo_count;
	size_t list_undo_capacity;
	uint32_t marks; /**< How often code_ranges_mark() was called. */
	claim_tree trees[CODE_RANGES_MAX_TREES];
	size_t tree_count;
	struct code_undo *undo; /**< What ends have changed since the last code_ranges_mark(). */
	size_t undo_count;
	size_t undo_capacity;
	uint32_t version; /**< Changes whenever an answer may change. */
} code_ranges;

/** How much the table contained at one time. */
typedef struct code_mark {
	size_t claim_count;
	size_t line_count;
	size_t list_count;
} code_mark;

/** What code_ranges_find() found. */
typedef struct code_answer {
	uint32_t range;   /**< ID of the range; 0 if none held the address. */
	uint64_t address; /**< Where the range began then. */
	uint64_t from;    /**< The answer is the same from this counter on ... */
	uint64_t until;   /**< ... up to this one, exclusive. */
} code_answer;

/** \p budget covers all memory. */
void code_ranges_init(code_ranges *ranges, memory_budget *budget);
void code_ranges_destroy(code_ranges *ranges);

/**
 * Adds a record of a CODE_RANGES block. Ends of ranges that are not known or were freed have no effect, nor have
 * lines before an earlier one of their range. Returns #MPROF_OK; #MPROF_ERR_LIMIT if the budget is exceeded;
 * #MPROF_ERR_MEMORY if the allocator refused.
 */
mprof_status code_ranges_add(code_ranges *ranges, const mprof_record *record);

/** Returns a mark for code_ranges_roll_back(), which undoes what was added since the latest one. */
code_mark code_ranges_mark(code_ranges *ranges);
void code_ranges_roll_back(code_ranges *ranges, const code_mark *mark);

/** Whether ranges were added. */
static inline int code_ranges_has_any(const code_ranges *ranges)
{
	return ranges->claim_count > 0;
}

/**
 * Finds the range that held an address at a counter. Returns #MPROF_OK, also if there is none; #MPROF_ERR_LIMIT or
 * #MPROF_ERR_MEMORY if there is no memory for the index.
 */
mprof_status code_ranges_find(code_ranges *ranges, code_address address, uint64_t counter, code_answer *answer);

/** The positions of an instruction of a range, the innermost first. Returns how many there are. */
size_t code_ranges_lines(const code_ranges *ranges, uint32_t range, uint64_t offset, const code_line **lines);

/** The lowest counter at which one of the claims from a number on begins; UINT64_MAX if there are none. */
uint64_t code_ranges_first_start(const code_ranges *ranges, size_t first_claim);

#endif
