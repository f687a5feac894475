/* SPDX-License-Identifier: MIT */
/* Call stacks without recursion. */
#include "model/records/folded_stacks.h"

#include "base/allocator.h"

#include <string.h>

/* Number of frames among which an equal one is searched: reading a log takes linear time, whatever its stacks are. */
#define SEARCHED_FRAMES 1024

#define FRAME_IS_NATIVE 1
#define FRAME_IS_COMPILING 2

void folded_stacks_init(folded_stacks *stacks, memory_budget *budget)
{
	memset(stacks, 0, sizeof(*stacks));
	stacks->budget = budget;
	hash_map_init(&stacks->known, &budget->paths);
	site_table_init(&stacks->frames, &budget->paths);
}

void folded_stacks_destroy(folded_stacks *stacks)
{
	const mprof_allocator *allocator = &stacks->budget->paths;

	hash_map_destroy(&stacks->known);
	site_table_destroy(&stacks->frames);
	allocator_release(allocator, stacks->path, stacks->path_capacity * sizeof(*stacks->path));
	stacks->path = NULL;
	stacks->path_capacity = 0;
}

static int is_frame(const site_key *key, const mprof_stack_frame *frame, uint64_t flags)
{
	return key->detail == frame->id && key->other == flags;
}

/* The folded call stack of a frame that a folded call stack calls. */
static uint32_t fold_frame(folded_stacks *stacks, uint32_t caller, const mprof_stack_frame *frame, uint32_t stack)
{
	const uint64_t flags =
		(frame->is_native ? FRAME_IS_NATIVE : 0) | (frame->is_compiling ? FRAME_IS_COMPILING : 0);
	site_key key = {.call = caller, .detail = frame->id, .other = flags};
	uint32_t outer = caller;
	size_t created;

	for (size_t i = 0; outer != 0 && i < SEARCHED_FRAMES; i++) {
		const site_key *known = &stacks->frames.records[outer - 1].key;

		if (is_frame(known, frame, flags))
			return outer;
		outer = known->call;
	}
	created = site_table_get(&stacks->frames, &key);
	if (created == SITE_TABLE_NONE)
		return FOLDED_STACK_NONE;
	if (stacks->frames.records[created].value == 0)
		stacks->frames.records[created].value = stack;
	return (uint32_t)created + 1;
}

/* Stores a stack ID and its callers in the path, innermost first, up to one that is known. Returns 0 without memory. */
static int find_unknown(folded_stacks *stacks, const mprof_reader *reader, uint32_t stack, size_t *length,
			uint32_t *outer)
{
	mprof_stack_frame frame;
	uint32_t caller;

	*length = 0;
	for (*outer = 0; stack != 0; stack = caller < stack ? caller : 0) {
		const uint64_t *number = hash_map_get(&stacks->known, stack);
		void *path = stacks->path;

		if (number != NULL) {
			*outer = (uint32_t)*number;
			return 1;
		}
		if (mprof_reader_lookup_caller(reader, stack, &frame, sizeof(frame), &caller) != MPROF_OK)
			return 1;
		if (!array_reserve(&stacks->budget->paths, &path, &stacks->path_capacity, *length + 1,
				   sizeof(*stacks->path)))
			return 0;
		stacks->path = path;
		stacks->path[(*length)++] = stack;
	}
	return 1;
}

uint32_t folded_stacks_get(folded_stacks *stacks, const mprof_reader *reader, uint32_t stack)
{
	const uint64_t *known = hash_map_get(&stacks->known, stack);
	uint32_t number;
	size_t length;

	if (stack == 0)
		return 0;
	if (known != NULL)
		return (uint32_t)*known;
	if (!find_unknown(stacks, reader, stack, &length, &number))
		return FOLDED_STACK_NONE;
	while (length > 0) {
		uint32_t next = stacks->path[--length];
		mprof_stack_frame frame;
		uint32_t caller;

		if (mprof_reader_lookup_caller(reader, next, &frame, sizeof(frame), &caller) != MPROF_OK)
			return 0;
		number = fold_frame(stacks, number, &frame, next);
		if (number == FOLDED_STACK_NONE || !hash_map_put(&stacks->known, next, number))
			return FOLDED_STACK_NONE;
	}
	return number;
}

uint32_t folded_stacks_id(const folded_stacks *stacks, uint32_t number)
{
	return number != 0 ? (uint32_t)stacks->frames.records[number - 1].value : 0;
}

uint32_t folded_stacks_frame(const folded_stacks *stacks, uint32_t number, mprof_stack_frame *frame)
{
	const site_key *key = &stacks->frames.records[number - 1].key;

	memset(frame, 0, sizeof(*frame));
	frame->id = key->detail;
	frame->is_native = (key->other & FRAME_IS_NATIVE) != 0;
	frame->is_compiling = (key->other & FRAME_IS_COMPILING) != 0;
	return key->call;
}
