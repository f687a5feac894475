/* SPDX-License-Identifier: MIT */
/* Gives call stacks their IDs, and writes STACKS blocks. */
#include "recorder/stacks.h"

#include <string.h>

/* What is left of a frame of native code without its marks. */
#define NATIVE_ADDRESS_MASK (~MPROF_FRAME_RETURN)

#define PENDING_SIZE (STACKS_PENDING_MAX * sizeof(mprof_record))

typedef struct remembered_chain {
	uint64_t counter;    /**< For which it was looked up. */
	uint32_t generation; /**< Of the native modules, as of then. */
	uint32_t count;
	mprof_frame frames[MPROF_STACK_MAX]; /**< The outermost first. */
	uint32_t stacks[MPROF_STACK_MAX];    /**< The chain that ends with the frame. */
} remembered_chain;

int stack_store_init(stack_store *stacks, recorder_shared *shared, recorder_keys *keys, int with_symbols)
{
	const mprof_allocator *allocator = &shared->allocator;

	memset(stacks, 0, sizeof(*stacks));
	stacks->keys = keys;
	stacks->output = keys->output;
	stacks->allocator = *allocator;
	hash_map_init(&stacks->chains, allocator);
	native_code_init(&stacks->code, shared, keys->output, with_symbols);
	stacks->pending = allocator_allocate(allocator, PENDING_SIZE);
	return stacks->pending != NULL;
}

void stack_store_destroy(stack_store *stacks)
{
	/* All zero: it was never made. */
	if (stacks->allocator.release == NULL)
		return;
	hash_map_destroy(&stacks->chains);
	native_code_destroy(&stacks->code);
	stack_memory_destroy(&stacks->sample_memory, &stacks->allocator);
	allocator_release(&stacks->allocator, stacks->pending, PENDING_SIZE);
	stacks->pending = NULL;
}

void stack_memory_destroy(stack_memory *memory, const mprof_allocator *allocator)
{
	allocator_release(allocator, memory->last, sizeof(*memory->last));
	memory->last = NULL;
}

/* Counts the frames at the outer end that the chain shares with the last one, whose chains are known. */
static size_t common_frames(const stack_store *stacks, const remembered_chain *last, uint32_t generation,
			    const mprof_frame *frames, size_t count, uint64_t counter)
{
	size_t shorter = count < last->count ? count : last->count;
	size_t common = 0;

	/* Equal keys are equal methods only on the same side of the last change. */
	if (last->generation != generation || last->counter < stacks->keys->methods_changed ||
	    counter < stacks->keys->methods_changed)
		return 0;
	while (common < shorter && last->frames[common] == frames[count - 1 - common])
		common++;
	/* A native frame that is innermost in one of them only is an address to return to in the other. */
	if (common == shorter && common > 0 && count != last->count &&
	    (last->frames[common - 1] & MPROF_FRAME_NATIVE) != 0)
		common--;
	return common;
}

/* The ID of what a frame is in. Returns 0 if there is no memory for one. */
static int resolve_frame(stack_store *stacks, mprof_frame frame, int is_innermost, uint64_t counter, uint32_t *target,
			 int *settled)
{
	*target = 0;
	if ((frame & MPROF_FRAME_NATIVE) != 0)
		*target = native_code_location(&stacks->code, frame & NATIVE_ADDRESS_MASK,
					       !is_innermost || (frame & MPROF_FRAME_RETURN) == MPROF_FRAME_RETURN,
					       counter, settled);
	else if (frame_method(frame) != 0)
		*target = keys_method_id(stacks->keys, frame_method(frame), counter);
	return *target != 0 || frame_method(frame) == 0;
}

/* The chain of a frame on top of another. Returns 0 if it is new and there is no room for it. */
static uint32_t chain_on(stack_store *stacks, uint32_t caller, mprof_frame frame, uint32_t target)
{
	uint64_t key = (uint64_t)caller << 34 | frame >> 62 << 32 | target;
	const uint64_t *known = hash_map_get(&stacks->chains, key);

	if (known != NULL)
		return (uint32_t)*known;
	if (stacks->count >= STACKS_MAX || !hash_map_put(&stacks->chains, key, stacks->count + 1))
		return 0;
	stacks->count++;
	if (stacks->pending_count == STACKS_PENDING_MAX)
		stacks_write(stacks);
	stacks->pending[stacks->pending_count++] = (mprof_record){
		.kind = MPROF_RECORD_STACK,
		.id = stacks->count,
		.as.stack.caller = caller,
		.as.stack.target = target,
		.as.stack.is_native = (frame & MPROF_FRAME_NATIVE) != 0,
		.as.stack.is_compiling =
			(frame & (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING)) == MPROF_FRAME_COMPILING,
	};
	return stacks->count;
}

/* Adds the frames that are not in common with the last chain to it. Returns 0 if there is no room. */
static uint32_t extend_chain(stack_store *stacks, remembered_chain *last, const mprof_frame *frames, size_t count,
			     uint64_t counter)
{
	uint32_t stack = last->count > 0 ? last->stacks[last->count - 1] : 0;
	int settled = 1;

	for (size_t place = last->count; place < count; place++) {
		mprof_frame frame = frames[count - 1 - place];
		uint32_t target;

		if (!resolve_frame(stacks, frame, place == count - 1, counter, &target, &settled))
			return 0;
		stack = chain_on(stacks, stack, frame, target);
		if (stack == 0)
			return 0;
		/* What may be another place the next time is not kept, nor what is on top of it. */
		if (!settled)
			continue;
		last->frames[place] = frame;
		last->stacks[place] = stack;
		last->count++;
	}
	return stack;
}

uint32_t stacks_intern(stack_store *stacks, stack_memory *memory, const mprof_frame *frames, size_t count,
		       uint64_t counter)
{
	remembered_chain *last = memory->last;
	uint32_t generation;
	size_t common;

	if (count == 0 || !output_is_writing(stacks->output))
		return 0;
	if (last == NULL)
		last = memory->last = allocator_allocate_zeroed(&stacks->allocator, sizeof(*last));
	if (last == NULL)
		return 0;
	if (count > MPROF_STACK_MAX)
		count = MPROF_STACK_MAX;
	generation = native_code_generation(&stacks->code);
	common = common_frames(stacks, last, generation, frames, count, counter);
	last->counter = counter;
	last->generation = generation;
	last->count = (uint32_t)common;
	return extend_chain(stacks, last, frames, count, counter);
}

void stacks_write(stack_store *stacks)
{
	native_code_write(&stacks->code);
	output_write_records(stacks->output, MPROF_BLOCK_STACKS, stacks->pending, stacks->pending_count);
	stacks->pending_count = 0;
}
