/* SPDX-License-Identifier: MIT */
/* Seeks by time, finds the calls that were open at a time, and the clock of the whole log. */
#include "reader/reader.h"

#include "base/caller_structs.h"
#include "base/error.h"
#include "parser/parser.h"
#include "reader/blocks.h"
#include "reader/errors.h"
#include "reader/index.h"
#include "reader/open_frames.h"
#include "reader/reader_internal.h"

#include <string.h>

#define EVENT_BATCH 512

static mprof_status refuse_call(mprof_reader *reader, mprof_status status, const char *what)
{
	return error_set(&reader->error, status, MPROF_SEVERITY_NONE, what);
}

mprof_status mprof_reader_get_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter)
{
	if (reader == NULL || counter == NULL)
		return MPROF_ERR_ARGUMENT;
	return time_scale_invert(&reader->scale, nanoseconds, counter) ? MPROF_OK : MPROF_AGAIN;
}

/*
 * Whether a block matches its index entry. An index built by this reader always matches; that of INDEX blocks may be
 * wrong.
 */
static mprof_status check_block(mprof_reader *reader, const index_block *expected, int *matches)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status;
	index_block found;

	*matches = 1;
	if (!reader->has_loaded_index)
		return MPROF_OK;
	*matches = 0;
	status = reader_next(reader, UINT64_MAX, &block);
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO || status == MPROF_ERR_INTERRUPTED)
		return status;
	found = block_index_describe(&block);
	*matches = status == MPROF_OK && found.offset == expected->offset && found.kind == expected->kind &&
		   found.length == expected->length && found.thread == expected->thread &&
		   found.start_counter == expected->start_counter;
	return *matches ? mprof_reader_seek(reader, expected->offset) : MPROF_OK;
}

/* Discards a loaded index that does not match the log, and builds a new one. */
static mprof_status rebuild_index(mprof_reader *reader)
{
	reader_discard_index(reader);
	reader->distrusts_index = 1;
	return mprof_reader_build_index(reader);
}

/* Seeks to a block of the index. If the index does not match the log, it is built again and *matches is 0. */
static mprof_status seek_to_block(mprof_reader *reader, const index_block *block, int *matches)
{
	mprof_status status = mprof_reader_seek(reader, block->offset);

	*matches = 1;
	if (status == MPROF_OK)
		status = check_block(reader, block, matches);
	if (status == MPROF_OK && !*matches)
		status = rebuild_index(reader);
	return status;
}

/* Seeks to the first block of a thread that may have events from a counter on. Sets *found to 0 if none. */
static mprof_status seek_to_counter(mprof_reader *reader, uint64_t thread, uint64_t counter, int *found)
{
	mprof_status status;
	int matches;

	do {
		const index_list *list = block_index_thread(&reader->index, thread);
		size_t number = list != NULL ? block_index_from(&reader->index, list, counter) : SIZE_MAX;
		index_block block;

		*found = number != SIZE_MAX;
		if (!*found)
			return MPROF_OK;
		block = reader->index.blocks[number];
		status = seek_to_block(reader, &block, &matches);
	} while (status == MPROF_OK && !matches);
	return status;
}

mprof_status mprof_reader_seek_time(mprof_reader *reader, int64_t nanoseconds, uint64_t thread)
{
	uint64_t counter;
	mprof_status status;
	int found;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!reader->has_index)
		return refuse_call(reader, MPROF_ERR_STATE,
				   "mprof_reader_seek_time() needs an index: call mprof_reader_build_index() first");
	/* If no two different clock pairs were read, counters are taken as nanoseconds. */
	(void)time_scale_invert(&reader->scale, nanoseconds, &counter);
	status = seek_to_counter(reader, thread, counter, &found);
	return status == MPROF_OK && !found ? mprof_reader_seek(reader, reader->index.end) : status;
}

/* The caller's array of frames. */
typedef struct frame_array {
	mprof_stack_frame *frames;
	size_t frame_size;
	size_t capacity;
	size_t *count;
} frame_array;

/* Copies a stack to the caller's array, innermost frame first. */
static void copy_frames(const open_stack *stack, const frame_array *array)
{
	const size_t depth = stack->calls.depth;
	const size_t count = depth + (stack->calls.base != CALL_BASE_EMPTY);
	mprof_stack_frame frame;

	*array->count = count;
	for (size_t i = 0; i < count && i < array->capacity; i++) {
		memset(&frame, 0, sizeof(frame));
		frame.id = i < depth ? open_stack_frames(stack)[depth - 1 - i].method : 0;
		element_put(array->frames, array->frame_size, i, &frame, sizeof(frame));
	}
}

static mprof_status copy_node(mprof_reader *reader, uint32_t node, const frame_array *array)
{
	open_stack stack;
	mprof_status status;

	memset(&stack, 0, sizeof(stack));
	status = open_frames_restore(&reader->frames.open, &stack, node);
	if (status == MPROF_OK)
		copy_frames(&stack, array);
	open_stack_destroy(&stack, &reader->allocator);
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for call stacks") : status;
}

/* Follows the events of the block up to a counter. */
static mprof_status follow_until(mprof_reader *reader, uint64_t counter)
{
	mprof_event events[EVENT_BATCH];
	mprof_status status = reader_frames_begin(reader);
	open_frames *open = &reader->frames.open;
	size_t followed = 0;
	size_t count = 0;

	while (status == MPROF_OK && followed == count) {
		status = mprof_parser_next_events(reader->parser, events, EVENT_BATCH, &count);
		followed = 0;
		while (followed < count && (int64_t)(events[followed].counter - counter) <= 0)
			followed++;
		if (status == MPROF_OK)
			status = open_frames_follow(open, events, followed, 1);
	}
	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for call stacks");
	/* Damage in the block only means that the events after it cannot be followed. */
	return status == MPROF_ERR_LIMIT ? status : MPROF_OK;
}

/* The stack that a thread is on after its events until a counter. */
typedef struct stack_at {
	uint64_t number; /* Of the stack; 0: the thread's own. */
	/* If it is another one: node of the thread's own stack; 0 if the block does not touch that. */
	uint32_t own_node;
} stack_at;

static mprof_status describe_stack(open_frames *open, stack_at *at)
{
	open_slot *slot = &open->threads[open->current].initial;

	at->number = open_frames_slot(open, open->current)->number;
	at->own_node = 0;
	if (at->number == 0 || slot->generation != open->generation)
		return MPROF_OK;
	return open_frames_keep(open, &slot->stack, &at->own_node);
}

static mprof_status copy_frames_at(mprof_reader *reader, uint64_t counter, const frame_array *frames, stack_at *at)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_next(reader, MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS), &block);
	open_frames *open = &reader->frames.open;

	if (!parser_has_content(reader->parser) || block.kind != MPROF_BLOCK_EVENTS)
		return status != MPROF_OK ? status : MPROF_ERR_STATE;
	reader->frames.follows_all = 1;
	status = follow_until(reader, counter);
	if (status == MPROF_OK) {
		copy_frames(&open_frames_slot(open, open->current)->stack, frames);
		status = describe_stack(open, at);
	}
	reader->frames.is_done = 1;
	reader->frames.follows_all = 0;
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for call stacks") : status;
}

/*
 * Finds the latest event of the block, where the reader is, that is not after a counter. \p has_any is 0 if its first
 * event is later: its base counter may be that of an earlier block of the thread.
 */
static mprof_status find_latest_event(mprof_reader *reader, uint64_t counter, uint64_t *latest, int *has_any)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_next(reader, MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS), &block);
	mprof_event events[EVENT_BATCH];
	size_t followed = 0;
	size_t count = 0;

	*has_any = 0;
	if (!parser_has_content(reader->parser) || block.kind != MPROF_BLOCK_EVENTS)
		return status != MPROF_OK ? status : MPROF_ERR_STATE;
	status = MPROF_OK;
	while (status == MPROF_OK && followed == count) {
		status = mprof_parser_next_events(reader->parser, events, EVENT_BATCH, &count);
		for (followed = 0; followed < count && (int64_t)(events[followed].counter - counter) <= 0; followed++) {
			*latest = events[followed].counter;
			*has_any = 1;
		}
	}
	reader->frames.is_done = 1;
	return status == MPROF_ERR_MEMORY ? status : MPROF_OK;
}

/* A block that may have been left, or be, the last one that a thread was in at a counter. */
typedef struct open_block {
	index_block block;
	uint64_t latest; /* Counter of its latest event until then. */
	int is_known;    /* 0: no block had an event until then. */
} open_block;

/*
 * Compares a block of the thread, which does not begin after the counter, with the best one found among later blocks.
 * Of blocks with events until the counter, the one with the latest event is the right one.
 */
static mprof_status compare_block(mprof_reader *reader, const index_block *block, uint64_t counter, open_block *best,
				  int *matches)
{
	uint64_t latest = block->end_counter;
	mprof_status status = MPROF_OK;
	int has_any = 1;

	*matches = 1;
	/* A block without events ends where it begins. */
	if (block_index_ends_after(&reader->index, block, counter) || block->end_counter == block->start_counter) {
		status = seek_to_block(reader, block, matches);
		if (status == MPROF_OK && *matches)
			status = find_latest_event(reader, counter, &latest, &has_any);
	}
	if (status != MPROF_OK || !*matches)
		return status;
	/* If there is none, the first block has the calls that were open before it. */
	if (has_any ? !best->is_known || (int64_t)(latest - best->latest) > 0 : !best->is_known) {
		best->block = *block;
		best->latest = latest;
		best->is_known = has_any;
	}
	return MPROF_OK;
}

/*
 * Finds the block of a thread that has the last event until a counter. Base counters do not show which one that is:
 * blocks may repeat the one of an earlier block, and thread IDs may be reused by blocks that are not in order.
 */
static mprof_status search_open_block(mprof_reader *reader, const index_list *list, uint64_t counter, open_block *best,
				      int *found, int *matches)
{
	mprof_status status = MPROF_OK;

	for (size_t i = list->count; i-- > 0 && status == MPROF_OK && *matches;) {
		const index_block block = reader->index.blocks[list->entries[i].number];

		/* No earlier block has a later event. */
		if (best->is_known && list->entries[i].latest <= (int64_t)(best->latest - reader->index.origin))
			break;
		if (block.kind != MPROF_BLOCK_EVENTS || block_index_starts_after(&reader->index, &block, counter))
			continue;
		status = compare_block(reader, &block, counter, best, matches);
		*found = 1;
	}
	return status;
}

/* Finds the block, and seeks to it. Sets *found to 0 if none. */
static mprof_status find_open_block(mprof_reader *reader, uint64_t thread, uint64_t counter, open_block *best,
				    int *found)
{
	mprof_status status;
	int matches;

	do {
		const index_list *list = block_index_thread(&reader->index, thread);

		memset(best, 0, sizeof(*best));
		*found = 0;
		matches = 1;
		if (list == NULL)
			return MPROF_OK;
		status = search_open_block(reader, list, counter, best, found, &matches);
		if (status == MPROF_OK && matches && *found)
			status = seek_to_block(reader, &best->block, &matches);
	} while (status == MPROF_OK && !matches);
	return status;
}

/*
 * Finds whether the block, where the reader is, takes a stack from the thread that is on it, or ends it, after one
 * counter and not after another.
 */
static mprof_status find_taking_event(mprof_reader *reader, uint64_t stack, uint64_t after, uint64_t until, int *found)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_next(reader, MPROF_BLOCK_BIT(MPROF_BLOCK_EVENTS), &block);
	mprof_event events[EVENT_BATCH];
	size_t count = 0;

	if (!parser_has_content(reader->parser) || block.kind != MPROF_BLOCK_EVENTS)
		return status != MPROF_OK ? status : MPROF_ERR_STATE;
	status = MPROF_OK;
	while (status == MPROF_OK && !*found) {
		status = mprof_parser_next_events(reader->parser, events, EVENT_BATCH, &count);
		for (size_t i = 0; status == MPROF_OK && i < count; i++)
			*found |= (events[i].kind == MPROF_EVENT_STACK_SWITCH ||
				   events[i].kind == MPROF_EVENT_STACK_END) &&
				  events[i].value == stack && (int64_t)(events[i].counter - after) > 0 &&
				  (int64_t)(events[i].counter - until) <= 0;
	}
	reader->frames.is_done = 1;
	return status == MPROF_ERR_MEMORY ? status : MPROF_OK;
}

/* The node of a stack when a block of the index first touches it; 0 if it does not. */
static uint32_t node_touched(const mprof_reader *reader, size_t number, uint64_t stack)
{
	const index_block *block = &reader->index.blocks[number];
	const open_switch *switches = reader->frames.open.switches;

	if (block->stack == stack)
		return block->frames != 0 ? block->frames : CALL_BASE_UNKNOWN;
	for (size_t i = number > 0 ? (size_t)block[-1].switch_end : 0; i < block->switch_end; i++) {
		if (switches[i].number == stack)
			return switches[i].node != 0 ? switches[i].node : CALL_BASE_UNKNOWN;
	}
	return 0;
}

/* Finds whether another thread took the stack that the thread of a block is on, or ended it, until a counter. */
static mprof_status find_taker(mprof_reader *reader, const open_block *from, uint64_t stack, uint64_t until, int *found)
{
	const block_index *index = &reader->index;
	mprof_status status = MPROF_OK;

	*found = 0;
	/* The events of a stack are in the log in order of time (doc/format.md, 4.8). */
	for (size_t i = block_index_find(index, from->block.offset); i < index->count && !*found; i++) {
		const index_block *block = &index->blocks[i];

		if (block->kind != MPROF_BLOCK_EVENTS || block->thread == from->block.thread ||
		    block_index_starts_after(index, block, until) ||
		    !block_index_ends_after(index, block, from->latest) || node_touched(reader, i, stack) == 0)
			continue;
		status = mprof_reader_seek(reader, block->offset);
		if (status == MPROF_OK)
			status = find_taking_event(reader, stack, from->latest, until, found);
		if (status != MPROF_OK)
			break;
	}
	return status;
}

/*
 * The node of a thread's own stack while it is on another one, from a block on that does not touch it: the thread's
 * next block that does has it.
 */
static uint32_t find_own_node(const mprof_reader *reader, const index_block *from)
{
	const open_frames *open = &reader->frames.open;
	const block_index *index = &reader->index;
	const size_t thread = thread_map_get(&open->by_thread, from->thread);
	uint32_t node = 0;

	for (size_t i = block_index_find(index, from->offset) + 1; i < index->count && node == 0; i++) {
		if (index->blocks[i].kind == MPROF_BLOCK_EVENTS && index->blocks[i].thread == from->thread)
			node = node_touched(reader, i, 0);
	}
	if (node == 0)
		node = open_frames_end_node(open, &open->threads[thread].initial);
	return node != 0 ? node : CALL_BASE_UNKNOWN;
}

/*
 * Gets the frames after the thread's events until a counter, which are in a block. \p is_whole is 0 if the answer
 * depends on switches between stacks that the loaded index lacks.
 */
static mprof_status get_frames(mprof_reader *reader, const open_block *from, uint64_t counter,
			       const frame_array *frames, int *is_whole)
{
	stack_at at = {0, 0};
	mprof_status status = copy_frames_at(reader, counter, frames, &at);
	int is_taken = 0;

	*is_whole = status != MPROF_OK || at.number == 0 || !reader->has_loaded_index;
	if (status != MPROF_OK || at.number == 0 || !*is_whole)
		return status;
	status = find_taker(reader, from, at.number, counter, &is_taken);
	/* The thread has then returned to its own stack, without an event. */
	if (status == MPROF_OK && is_taken)
		status =
			copy_node(reader, at.own_node != 0 ? at.own_node : find_own_node(reader, &from->block), frames);
	return status;
}

/* What the functions that return frames begin with. */
static mprof_status begin_frames(mprof_reader *reader, const frame_array *array, size_t frame_size)
{
	if (array->count != NULL)
		*array->count = 0;
	if (reader == NULL || array->count == NULL || (array->frames == NULL && array->capacity > 0) ||
	    frame_size < SIZE_UP_TO(mprof_stack_frame, is_compiling))
		return MPROF_ERR_ARGUMENT;
	if (!reader->has_index || reader->skips_events)
		return refuse_call(reader, MPROF_ERR_STATE,
				   "open frames need an index with events: call mprof_reader_build_index() first");
	return MPROF_OK;
}

mprof_status mprof_reader_get_open_frames(mprof_reader *reader, uint64_t thread, uint64_t counter,
					  mprof_stack_frame *frames, size_t frame_size, size_t capacity, size_t *count)
{
	const frame_array array = {frames, frame_size, capacity, count};
	mprof_status status = begin_frames(reader, &array, frame_size);
	open_block block = {0};
	int is_whole = 1;
	int found;

	if (status != MPROF_OK)
		return status;
	do {
		*count = 0;
		status = find_open_block(reader, thread, counter, &block, &found);
		if (status != MPROF_OK || !found)
			return status;
		status = get_frames(reader, &block, counter, &array, &is_whole);
		if (status == MPROF_OK && !is_whole)
			status = rebuild_index(reader);
	} while (status == MPROF_OK && !is_whole);
	if (status != MPROF_OK)
		*count = 0;
	return status == MPROF_OK ? mprof_reader_seek(reader, block.block.offset) : status;
}

mprof_status mprof_reader_get_block_frames(mprof_reader *reader, uint64_t offset, mprof_stack_frame *frames,
					   size_t frame_size, size_t capacity, size_t *count)
{
	const frame_array array = {frames, frame_size, capacity, count};
	mprof_status status = begin_frames(reader, &array, frame_size);
	uint32_t node;

	if (status != MPROF_OK)
		return status;
	node = block_index_frames(&reader->index, offset);
	if (node == 0)
		return refuse_call(reader, MPROF_ERR_ARGUMENT,
				   "no EVENTS block with a known call stack starts at this offset");
	return copy_node(reader, node, &array);
}

/*
 * The clock pairs of many blocks are in their contents. Writers add an index only to logs in which no block has a later
 * clock pair than END, so the contents of such a log are skipped.
 */

static int read_on(void *user, void *bytes, size_t length, size_t *got)
{
	reader_whole_clock *clock = user;
	const mprof_source *source = &clock->owner->plain_source;
	const int fault = source->read_at(source->user, clock->position, bytes, length, got);

	if (fault == 0)
		clock->position += *got;
	return fault;
}

static int seek_to(void *user, uint64_t offset)
{
	reader_whole_clock *clock = user;

	clock->position = offset;
	return 0;
}

/* Also an interruption of the first reader stops the second one. */
static int report_progress(void *user, uint64_t done, uint64_t total)
{
	reader_watch *watch = &((reader_whole_clock *)user)->owner->watch;

	(void)total;
	if (atomic_exchange_explicit(&watch->interrupt, 0, memory_order_relaxed) != 0)
		return 1;
	return watch->progress != NULL && watch->progress(watch->user, done, watch->total) != 0;
}

static mprof_status open_again(reader_whole_clock *clock)
{
	const mprof_source source = {sizeof(source), read_on, seek_to, NULL, clock, NULL};
	mprof_reader_options options;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &clock->owner->allocator;
	if (!clock->needs_contents)
		options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION) | MPROF_BLOCK_BIT(MPROF_BLOCK_END);
	options.ignore_checksums = clock->owner->ignores_checksums;
	options.progress = report_progress;
	options.progress_user = clock;
	return mprof_reader_open_source(&source, &options, &clock->reader);
}

/* Whether reading continues after a status; damage is reported when the log is read for its contents. */
static int continues_after(const reader_whole_clock *clock, mprof_status status)
{
	return status == MPROF_OK || (status > MPROF_AGAIN && clock->reader->error.severity == MPROF_SEVERITY_BLOCK);
}

static mprof_status read_clocks(reader_whole_clock *clock)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = clock->reader == NULL ? open_again(clock) : MPROF_OK;

	if (clock->reader == NULL)
		return status;
	while (status != MPROF_ERR_MEMORY && status != MPROF_ERR_INTERRUPTED && continues_after(clock, status)) {
		clock->is_damaged |= status != MPROF_OK;
		block.loaded = 0;
		status = mprof_reader_next_block(clock->reader, &block);
		clock->has_index |= block.loaded && block.kind == MPROF_BLOCK_END && block.as.end.index_distance != 0;
	}
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_INTERRUPTED)
		return status;
	clock->scale = clock->reader->scale;
	clock->is_known = 1;
	mprof_reader_destroy(clock->reader);
	clock->reader = NULL;
	return MPROF_OK;
}

/* Reads all contents if they have to be read, which may turn out after they were skipped. */
static mprof_status read_needed(reader_whole_clock *clock)
{
	const int had_contents = clock->needs_contents;
	mprof_status status = read_clocks(clock);

	if (status != MPROF_OK || had_contents || (clock->has_index && !clock->is_damaged))
		return status;
	clock->needs_contents = 1;
	clock->is_known = 0;
	clock->position = 0;
	return read_clocks(clock);
}

mprof_status reader_find_whole_clock(mprof_reader *reader)
{
	mprof_status status;

	if (reader->memory_error.status != MPROF_OK)
		return MPROF_ERR_MEMORY;
	if (reader_may_grow(reader) || reader->has_index || reader->plain_source.read_at == NULL)
		return MPROF_OK;
	if (reader->whole_clock == NULL) {
		reader->whole_clock = allocator_allocate_zeroed(&reader->allocator, sizeof(*reader->whole_clock));
		if (reader->whole_clock == NULL)
			return reader_fail_memory(reader, "out of memory for the clock of the log");
		reader->whole_clock->owner = reader;
		/* Skipping compressed bytes takes as long as reading them. */
		reader->whole_clock->needs_contents = reader->is_compressed;
	}
	if (reader->whole_clock->is_known)
		return MPROF_OK;
	status = read_needed(reader->whole_clock);
	if (status == MPROF_ERR_INTERRUPTED)
		return error_set(&reader->error, status, MPROF_SEVERITY_NONE,
				 "reading was interrupted: repeat the call to continue");
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for the clock of the log")
					  : MPROF_OK;
}

int reader_get_whole_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter)
{
	const int is_known = reader->whole_clock != NULL && reader->whole_clock->is_known;

	(void)time_scale_invert(is_known ? &reader->whole_clock->scale : &reader->scale, nanoseconds, counter);
	return is_known || (reader->has_index && !reader_may_grow(reader));
}
