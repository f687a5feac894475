/* SPDX-License-Identifier: MIT */
/* Gives call stacks their IDs, and writes STACKS blocks. */
#include "recorder/tables/stacks.h"

#include <string.h>

/* The address in a native frame, without its flag bits. */
#define NATIVE_ADDRESS_MASK (~MPROF_FRAME_RETURN)

#define PENDING_SIZE (STACKS_PENDING_MAX * sizeof(mprof_record))

/* The bits that state what a frame is, in the key of a call stack. */
#define POSITION_KEY UINT64_C(3)

/* A call stack, the innermost frame first. */
typedef struct stack_frames {
	const mprof_frame *frames;
	const frame_line *lines; /* NULL: none has a line. */
	size_t count;
} stack_frames;

typedef struct remembered_stack {
	uint64_t counter;    /**< Counter for which it was interned. */
	uint32_t generation; /**< Generation of the native modules at that time. */
	uint32_t count;
	mprof_frame frames[MPROF_STACK_MAX]; /**< Outermost first. */
	frame_line lines[MPROF_STACK_MAX];   /**< Of the frames. */
	uint32_t stacks[MPROF_STACK_MAX];    /**< ID of the call stack up to each frame. */
} remembered_stack;

int stack_store_init(stack_store *stacks, recorder_shared *shared, recorder_keys *keys, const uint32_t *texts,
		     const mprof_recorder_options *options)
{
	const mprof_allocator *allocator = &shared->allocator;

	memset(stacks, 0, sizeof(*stacks));
	stacks->keys = keys;
	stacks->output = keys->output;
	stacks->allocator = *allocator;
	hash_map_init(&stacks->ids, allocator);
	position_store_init(&stacks->positions, allocator, keys->output, texts);
	stacks->pending = allocator_allocate(allocator, PENDING_SIZE);
	return native_code_init(&stacks->code, shared, keys->output, &keys->journal, options) &&
	       stacks->pending != NULL;
}

void stack_store_destroy(stack_store *stacks)
{
	/* All zero: it was never initialized. */
	if (stacks->allocator.release == NULL)
		return;
	hash_map_destroy(&stacks->ids);
	native_code_destroy(&stacks->code);
	position_store_destroy(&stacks->positions);
	stack_memory_destroy(&stacks->sample_memory, &stacks->allocator);
	allocator_release(&stacks->allocator, stacks->pending, PENDING_SIZE);
	stacks->pending = NULL;
}

void stack_memory_destroy(stack_memory *memory, const mprof_allocator *allocator)
{
	allocator_release(allocator, memory->last, sizeof(*memory->last));
	memory->last = NULL;
}

static const frame_line *line_of(const stack_frames *stack, size_t index)
{
	static const frame_line none = {0, 0, 0};

	return stack->lines != NULL ? &stack->lines[index] : &none;
}

static int is_same_line(const frame_line *one, const frame_line *other)
{
	return one->line == other->line && one->file == other->file;
}

/* The number of outermost frames that a call stack has in common with the last one, whose IDs are known. */
static size_t count_known_frames(const stack_store *stacks, const remembered_stack *last, uint32_t generation,
				 const stack_frames *stack, uint64_t counter)
{
	const mprof_frame *frames = stack->frames;
	const size_t count = stack->count;
	size_t shorter = count < last->count ? count : last->count;
	size_t common = 0;

	/* Equal keys are equal methods only on the same side of the last change. */
	if (last->generation != generation || last->counter < stacks->keys->methods_changed ||
	    counter < stacks->keys->methods_changed)
		return 0;
	while (common < shorter && last->frames[common] == frames[count - 1 - common] &&
	       is_same_line(&last->lines[common], line_of(stack, count - 1 - common)))
		common++;
	/* A native frame that is innermost in only one of them is a return address in the other. */
	if (common == shorter && common > 0 && count != last->count &&
	    (last->frames[common - 1] & MPROF_FRAME_NATIVE) != 0)
		common--;
	return common;
}

/* Finds the ID of the method or location of a frame. Returns 0 if out of memory. */
static int resolve_frame(stack_store *stacks, mprof_frame frame, int is_innermost, uint64_t counter, uint32_t *target,
			 int *is_final)
{
	*target = 0;
	if (frame == MPROF_FRAME_TRUNCATED)
		return 1;
	if ((frame & MPROF_FRAME_NATIVE) != 0)
		*target = native_code_location(&stacks->code, frame & NATIVE_ADDRESS_MASK,
					       !is_innermost || (frame & MPROF_FRAME_RETURN) == MPROF_FRAME_RETURN,
					       counter, is_final);
	else if (frame_method(frame) != 0)
		*target = keys_method_id(stacks->keys, frame_method(frame), counter);
	return *target != 0 || frame_method(frame) == 0;
}

/*
 * The ID of the call stack of a frame called by another one. \p position is 0 if it has none. Returns 0 if it is new
 * and cannot be stored.
 */
static uint32_t intern_frame(stack_store *stacks, uint32_t caller, mprof_frame frame, uint32_t target,
			     uint32_t position)
{
	const uint64_t target_key = position != 0 ? POSITION_KEY << 32 | position : frame >> 62 << 32 | target;
	uint64_t key = (uint64_t)caller << 34 | target_key;
	const uint64_t *known = hash_map_get(&stacks->ids, key);

	if (known != NULL)
		return (uint32_t)*known;
	if (stacks->count >= MAX_STACKS || !hash_map_put(&stacks->ids, key, stacks->count + 1))
		return 0;
	stacks->count++;
	salvage_journal_append(&stacks->keys->journal,
			       &(journal_entry){.kind = JOURNAL_STACK, .key = key, .id = stacks->count});
	if (stacks->pending_count == STACKS_PENDING_MAX)
		stacks_write(stacks);
	stacks->pending[stacks->pending_count++] = (mprof_record){
		.kind = MPROF_RECORD_STACK,
		.id = stacks->count,
		.as.stack.caller = caller,
		.as.stack.target = position == 0 ? target : 0,
		.as.stack.is_native = position == 0 && (frame & MPROF_FRAME_NATIVE) != 0,
		.as.stack.is_compiling =
			(frame & (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING)) == MPROF_FRAME_COMPILING,
		.as.stack.position = position,
	};
	return stacks->count;
}

/* A method that is being compiled is in no line. */
static uint32_t position_of(stack_store *stacks, const frame_line *line, mprof_frame frame, uint32_t target)
{
	const int is_native = (frame & MPROF_FRAME_NATIVE) != 0;

	if (!is_native && (frame & MPROF_FRAME_COMPILING) != 0)
		return 0;
	return positions_intern(&stacks->positions, line, target, is_native);
}

/* Interns the frames that the last call stack does not have. Returns 0 if one of them cannot be stored. */
static uint32_t intern_inner_frames(stack_store *stacks, remembered_stack *last, const stack_frames *whole,
				    uint64_t counter)
{
	const mprof_frame *frames = whole->frames;
	const size_t count = whole->count;
	uint32_t stack = last->count > 0 ? last->stacks[last->count - 1] : 0;
	int is_final = 1;

	for (size_t depth = last->count; depth < count; depth++) {
		const frame_line *line = line_of(whole, count - 1 - depth);
		mprof_frame frame = frames[count - 1 - depth];
		uint32_t position = 0;
		uint32_t target;

		/*
		 * The mark of a truncated stack is only valid as the outermost frame; elsewhere it is an unknown
		 * method.
		 */
		if (frame == MPROF_FRAME_TRUNCATED && depth > 0)
			frame = 0;
		if (!resolve_frame(stacks, frame, depth == count - 1, counter, &target, &is_final))
			return 0;
		if (line->line != 0 || line->file != 0)
			position = position_of(stacks, line, frame, target);
		stack = intern_frame(stacks, stack, frame, target, position);
		if (stack == 0)
			return 0;
		/* A frame that may resolve to another location the next time is not remembered, nor are the frames it
		 * calls. */
		if (!is_final)
			continue;
		last->frames[depth] = frame;
		last->lines[depth] = *line;
		last->stacks[depth] = stack;
		last->count++;
	}
	return stack;
}

uint32_t stacks_intern(stack_store *stacks, stack_memory *memory, const mprof_frame *frames, size_t count,
		       uint64_t counter)
{
	stack_frames whole = {frames, NULL, count < MPROF_STACK_MAX ? count : MPROF_STACK_MAX};
	remembered_stack *last = memory->last;
	uint32_t generation;
	size_t common;

	if (frames_have_lines(frames, whole.count)) {
		frames_split(&stacks->split, frames, whole.count);
		whole = (stack_frames){stacks->split.frames, stacks->split.lines, stacks->split.count};
	}
	if (whole.count == 0 || !output_is_writing(stacks->output))
		return 0;
	if (last == NULL)
		last = memory->last = allocator_allocate_zeroed(&stacks->allocator, sizeof(*last));
	if (last == NULL)
		return 0;
	generation = native_code_generation(&stacks->code);
	common = count_known_frames(stacks, last, generation, &whole, counter);
	last->counter = counter;
	last->generation = generation;
	last->count = (uint32_t)common;
	return intern_inner_frames(stacks, last, &whole, counter);
}

int stacks_recover(stack_store *stacks, const journal_entry *entry)
{
	if (entry->kind != JOURNAL_STACK)
		return native_code_recover(&stacks->code, entry);
	return entry->id > stacks->count || hash_map_put(&stacks->ids, entry->key, entry->id);
}

void stacks_write_journal(stack_store *stacks)
{
	const hash_map_entry *stack;
	size_t slot = 0;

	native_code_write_journal(&stacks->code);
	while ((stack = hash_map_next(&stacks->ids, &slot)) != NULL)
		salvage_journal_append(
			&stacks->keys->journal,
			&(journal_entry){.kind = JOURNAL_STACK, .key = stack->key, .id = (uint32_t)stack->value});
	if (stacks->ids.has_zero)
		salvage_journal_append(&stacks->keys->journal,
				       &(journal_entry){.kind = JOURNAL_STACK, .id = (uint32_t)stacks->ids.zero});
}

void stacks_write(stack_store *stacks)
{
	native_code_write(&stacks->code);
	positions_write(&stacks->positions);
	output_write_records(stacks->output, MPROF_BLOCK_STACKS, stacks->pending, stacks->pending_count);
	stacks->pending_count = 0;
}
