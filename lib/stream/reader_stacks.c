/* SPDX-License-Identifier: MIT */
/* Stack sections: what the call stack of a thread is becomes the call chain of the events that follow. */
#include "stream/reader_internal.h"

#include "base/array.h"

#include <string.h>

/* Events of a block that is left before all of them were fetched, taken at once. */
#define PASSED_BATCH 128

void reader_stacks_init(mprof_reader *reader)
{
	hash_map_init(&reader->stacks.by_thread, &reader->allocator);
	hash_map_init(&reader->stacks.at_blocks, &reader->allocator);
}

int reader_prepare_details(mprof_reader *reader, reader_details *pool, size_t count)
{
	void *details = pool->details;
	int has_room = array_reserve(&reader->allocator, &details, &pool->capacity, count, sizeof(*pool->details));

	pool->details = details;
	pool->used = 0;
	return has_room;
}

int reader_has_stack_sections(const mprof_reader *reader)
{
	mprof_dialect dialect = mprof_parser_dialect(reader->parser);

	return (dialect == MPROF_DIALECT_MONO || dialect == MPROF_DIALECT_UNITY) &&
	       reader->parser->block.kind == MPROF_BLOCK_EVENTS;
}

static thread_stack *find_stack(const reader_stacks *stacks, uint64_t thread)
{
	const uint64_t *place = hash_map_get(&stacks->by_thread, thread);

	return place != NULL ? &stacks->all[*place] : NULL;
}

static thread_stack *find_or_add_stack(mprof_reader *reader, uint64_t thread)
{
	reader_stacks *stacks = &reader->stacks;
	thread_stack *found = find_stack(stacks, thread);
	void *all = stacks->all;
	mprof_status status;

	if (found != NULL)
		return found;
	status = name_table_reserve(&reader->names, &all, &stacks->capacity, stacks->count + 1, sizeof(*stacks->all));
	stacks->all = all;
	if (status == MPROF_OK)
		status = name_table_map_put(&reader->names, &stacks->by_thread, thread, stacks->count);
	if (status != MPROF_OK) {
		reader_note_fault(reader, status);
		return NULL;
	}
	memset(&stacks->all[stacks->count], 0, sizeof(*stacks->all));
	return &stacks->all[stacks->count++];
}

/*
 * Sets the stack at the begin of the loaded block: where the thread's last block left it, or what it was when the block
 * was read before.
 */
static void begin(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;
	const mprof_block *block = &reader->parser->block;
	const thread_stack *before = find_or_add_stack(reader, block->thread);
	const uint64_t *chain = hash_map_get(&stacks->at_blocks, block->offset);
	mprof_status status = MPROF_OK;

	stacks->thread = block->thread;
	stacks->is_begun = 1;
	stacks->current.count = 0;
	if (before != NULL && before->is_known)
		status = frame_stack_copy(&stacks->current, &before->stack, &reader->names);
	else if (chain != NULL)
		status = frame_stack_restore(&stacks->current, &reader->definitions, (uint32_t)*chain);
	if (status == MPROF_OK && chain == NULL && stacks->current.count > 0)
		status = name_table_map_put(&reader->names, &stacks->at_blocks, block->offset,
					    frame_stack_chain(&stacks->current));
	reader_note_fault(reader, status);
}

/*
 * Whether the section in front of an event, or further up, is about it. A log without directive 2 has sections for its
 * monitor events alone.
 */
static int has_stack(const mprof_reader *reader, const mprof_event *event)
{
	if (event->kind == MPROF_EVENT_MONITOR)
		return 1;
	return (event->kind == MPROF_EVENT_ALLOCATION || event->kind == MPROF_EVENT_ALLOCATION_AT_JIT) &&
	       (reader->parser->directives.declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0;
}

/* A section has a detail, which makes it quick to tell where there are none. */
static int has_section(const mprof_reader *reader, const mprof_event *events, size_t count)
{
	if (reader->parser->detail_count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (events[i].kind == MPROF_EVENT_STACK_SECTION)
			return 1;
	}
	return 0;
}

static void take_section(mprof_reader *reader, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	size_t count = detail != NULL ? detail->reference_count : 0;

	reader_note_fault(reader, frame_stack_apply(&reader->stacks.current, &reader->interner, event->value,
						    count > 0 ? detail->references : NULL, count));
}

static void set_stack(reader_details *pool, mprof_event *event, uint32_t chain)
{
	mprof_event_detail *detail = reader_take_detail(pool);

	if (event->more.detail != NULL)
		*detail = *event->more.detail;
	else
		memset(detail, 0, sizeof(*detail));
	detail->stack = chain;
	event->more.detail = detail;
}

void reader_stacks_attach(mprof_reader *reader, mprof_event *events, size_t count)
{
	reader_stacks *stacks = &reader->stacks;
	int has_room;

	if (!stacks->is_used && !has_section(reader, events, count))
		return;
	stacks->is_used = 1;
	if (!stacks->is_begun)
		begin(reader);
	has_room = reader_prepare_details(reader, &stacks->details, count);
	if (!has_room)
		reader_note_fault(reader, MPROF_ERR_MEMORY);
	for (size_t i = 0; i < count; i++) {
		uint32_t chain;

		if (events[i].kind == MPROF_EVENT_STACK_SECTION) {
			take_section(reader, &events[i]);
			continue;
		}
		chain = frame_stack_chain(&stacks->current);
		if (chain != 0 && has_room && has_stack(reader, &events[i]))
			set_stack(&stacks->details, &events[i], chain);
	}
}

void reader_stacks_rewind(mprof_reader *reader)
{
	reader->stacks.is_begun = 0;
	reader->stacks.is_done = 0;
}

/* Takes the sections among the events that were not fetched. */
static void take_others(mprof_reader *reader)
{
	mprof_event events[PASSED_BATCH];
	size_t count;

	while (mprof_parser_next_events(reader->parser, events, PASSED_BATCH, &count) == MPROF_OK)
		reader_stacks_attach(reader, events, count);
}

/* Sections may be in a block of which not all was fetched. */
static int may_have_others(const mprof_reader *reader)
{
	const uint64_t declared = reader->parser->directives.declared;

	return reader->parser->state == PARSER_LOADED && reader_has_stack_sections(reader) && !reader->stacks.is_done &&
	       (reader->stacks.is_used || (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0);
}

void reader_stacks_leave(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;
	thread_stack *behind;

	if (may_have_others(reader))
		take_others(reader);
	if (stacks->is_begun) {
		behind = find_stack(stacks, stacks->thread);
		if (behind != NULL) {
			frame_stack before = behind->stack;

			behind->stack = stacks->current;
			behind->is_known = 1;
			stacks->current = before;
		}
	}
	reader_stacks_rewind(reader);
}

void reader_stacks_forget(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;

	for (size_t i = 0; i < stacks->count; i++)
		stacks->all[i].is_known = 0;
	reader_stacks_rewind(reader);
}

void reader_stacks_destroy(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;

	for (size_t i = 0; i < stacks->count; i++)
		frame_stack_release(&stacks->all[i].stack, &reader->names);
	frame_stack_release(&stacks->current, &reader->names);
	allocator_release(&reader->allocator, stacks->all, stacks->capacity * sizeof(*stacks->all));
	allocator_release(&reader->allocator, stacks->details.details,
			  stacks->details.capacity * sizeof(*stacks->details.details));
	hash_map_destroy(&stacks->by_thread);
	hash_map_destroy(&stacks->at_blocks);
}
