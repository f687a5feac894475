/* SPDX-License-Identifier: MIT */
/* Follows stack sections: keeps the call stack of each thread, and sets its stack ID in the events after a section. */
#include "reader/call_stacks.h"

#include "format/values/dialect.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <string.h>

/* Batch size for the events that the caller did not fetch before it went to the next block. */
#define UNFETCHED_BATCH 128

void reader_stacks_init(mprof_reader *reader)
{
	thread_map_init(&reader->stacks.by_thread, &reader->budget.allocator);
	hash_map_init(&reader->stacks.at_blocks, &reader->budget.allocator);
}

int reader_has_stack_sections(const mprof_reader *reader)
{
	return dialect_get(mprof_parser_get_dialect(reader->parser))->has_stack_sections &&
	       parser_block(reader->parser)->kind == MPROF_BLOCK_EVENTS;
}

/* Finds the index of a thread's stack. Adds an empty stack if the thread has none. */
static mprof_status find_thread_stack(mprof_reader *reader, uint64_t thread, size_t *index)
{
	reader_stacks *stacks = &reader->stacks;
	const size_t found = thread_map_find(&stacks->by_thread, thread);
	void *all = stacks->all;
	mprof_status status;

	if (found != THREAD_MAP_NONE) {
		*index = found;
		return MPROF_OK;
	}
	status = memory_budget_thread_add(&reader->budget, &stacks->by_thread, thread, &all, &stacks->capacity,
					  stacks->count, sizeof(*stacks->all));
	stacks->all = all;
	if (status != MPROF_OK)
		return status;
	*index = stacks->count++;
	return MPROF_OK;
}

/*
 * Sets the call stack at the start of the loaded block: the one at the end of the thread's previous block, or, after a
 * seek, the one that was stored when the block was first read.
 */
static mprof_status begin_block_stack(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;
	const mprof_block *block = parser_block(reader->parser);
	const uint64_t *stored = hash_map_get(&stacks->at_blocks, block->offset);
	mprof_status status = find_thread_stack(reader, block->thread, &stacks->current);
	thread_stack *thread;

	if (status != MPROF_OK)
		return status;
	thread = &stacks->all[stacks->current];
	stacks->is_begun = 1;
	if (thread->is_known)
		frame_stack_set_mark(&thread->stack);
	else
		status = frame_stack_restore(&thread->stack, &reader->definitions,
					     stored != NULL ? (uint32_t)*stored : 0);
	thread->is_known = 1;
	if (status == MPROF_OK && stored == NULL && thread->stack.count > 0)
		status = memory_budget_map_put(&reader->budget, &stacks->at_blocks, block->offset,
					       frame_stack_id(&thread->stack));
	return status;
}

#define EVENT_BIT(kind) (UINT64_C(1) << (kind))

/*
 * Returns the kinds of events, as a bit mask, that have the call stack of the latest section before them. In a log
 * without directive 2, only monitor events have sections.
 */
static uint64_t kinds_with_stacks(const mprof_reader *reader)
{
	const uint64_t monitors = EVENT_BIT(MPROF_EVENT_MONITOR);
	const uint64_t allocations = EVENT_BIT(MPROF_EVENT_ALLOCATION) | EVENT_BIT(MPROF_EVENT_ALLOCATION_AT_JIT);
	const uint64_t directive = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);

	return (parser_directives_declared(reader->parser) & directive) != 0 ? monitors | allocations : monitors;
}

/* Applies a section that keeps \p kept frames and adds those of \p detail. */
static void apply_section(mprof_reader *reader, frame_stack *stack, uint64_t kept, const mprof_event_detail *detail)
{
	reader_note_fault(
		reader, frame_stack_apply(stack, &reader->interner, kept, detail->references, detail->reference_count));
}

/* Sets the stack ID of an event. An event without a detail gets one from the pool. */
static void set_event_stack(mprof_reader *reader, mprof_event *event, uint32_t stack_id)
{
	mprof_event_detail *detail;

	if (event->more.detail != NULL) {
		parser_event_set_stack(reader->parser, event, stack_id);
		return;
	}
	detail = detail_pool_take(&reader->stacks.details);
	if (detail == NULL)
		return;
	detail->stack = stack_id;
	event->more.detail = detail;
}

/*
 * Variant of attach_to_events() for logs in which exactly the sections and the events with a call stack have details.
 * It iterates over the sections and the details between them instead of the events: which events have one is
 * unpredictable, and a branch on it would often be mispredicted.
 */
static void attach_by_details(mprof_reader *reader, frame_stack *stack)
{
	const parser_event_details batch = parser_last_details(reader->parser);
	size_t next = 0;

	for (size_t i = 0; i < batch.section_count; i++) {
		const event_section *section = &batch.sections[i];

		if (next < section->detail_index)
			parser_details_set_stack(reader->parser, next, section->detail_index, frame_stack_id(stack));
		apply_section(reader, stack, section->kept, &batch.details[section->detail_index]);
		next = section->detail_index + 1;
	}
	if (next < batch.count)
		parser_details_set_stack(reader->parser, next, batch.count, frame_stack_id(stack));
}

/*
 * With directive 2 allocations have call stacks, and with directive 1 or 3 all allocations have details. Monitor events
 * always have a detail.
 */
static int all_with_stacks_have_details(const mprof_reader *reader)
{
	const uint64_t declared = parser_directives_declared(reader->parser);
	const uint64_t details = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT);

	return (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0 && (declared & details) != 0;
}

static void attach_to_events(mprof_reader *reader, frame_stack *stack, mprof_event *events, size_t count)
{
	const uint64_t kinds = kinds_with_stacks(reader);

	if (!detail_pool_prepare(&reader->stacks.details, &reader->allocator, count))
		reader_note_fault(reader, MPROF_ERR_MEMORY);
	for (size_t i = 0; i < count; i++) {
		uint32_t stack_id = frame_stack_id(stack);

		if (events[i].kind == MPROF_EVENT_STACK_SECTION)
			apply_section(reader, stack, events[i].value, events[i].more.detail);
		else if (stack_id != 0 && (kinds >> events[i].kind & 1) != 0)
			set_event_stack(reader, &events[i], stack_id);
	}
}

static void attach_stacks(mprof_reader *reader, mprof_event *events, size_t count)
{
	reader_stacks *stacks = &reader->stacks;

	if (!stacks->is_used && parser_last_details(reader->parser).section_count == 0)
		return;
	stacks->is_used = 1;
	if (!stacks->is_begun)
		reader_note_fault(reader, begin_block_stack(reader));
	if (!stacks->is_begun)
		return;
	if (all_with_stacks_have_details(reader))
		attach_by_details(reader, &stacks->all[stacks->current].stack);
	else
		attach_to_events(reader, &stacks->all[stacks->current].stack, events, count);
}

mprof_status reader_stacks_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	mprof_status status = mprof_parser_next_events(reader->parser, events, capacity, count);

	if (*count > 0)
		attach_stacks(reader, events, *count);
	return reader_end_parsed(reader, status);
}

void reader_stacks_rewind(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;

	if (stacks->is_begun)
		frame_stack_roll_back(&stacks->all[stacks->current].stack);
	stacks->is_begun = 0;
	stacks->is_done = 0;
}

/* Applies the sections among the events that were not fetched. */
static void apply_unfetched_sections(mprof_reader *reader)
{
	mprof_event events[UNFETCHED_BATCH];
	size_t count;

	while (mprof_parser_next_events(reader->parser, events, UNFETCHED_BATCH, &count) == MPROF_OK)
		attach_stacks(reader, events, count);
}

/* Whether the events of the block that were not fetched may include sections. */
static int may_have_unfetched_sections(const mprof_reader *reader)
{
	const uint64_t declared = parser_directives_declared(reader->parser);

	return parser_has_content(reader->parser) && reader_has_stack_sections(reader) && !reader->stacks.is_done &&
	       (reader->stacks.is_used || (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0);
}

void reader_stacks_leave(mprof_reader *reader)
{
	if (may_have_unfetched_sections(reader))
		apply_unfetched_sections(reader);
	reader->stacks.is_begun = 0;
	reader->stacks.is_done = 0;
}

void reader_stacks_forget(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;

	for (size_t i = 0; i < stacks->count; i++)
		stacks->all[i].is_known = 0;
	stacks->is_begun = 0;
	stacks->is_done = 0;
}

void reader_stacks_destroy(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;

	for (size_t i = 0; i < stacks->count; i++)
		frame_stack_release(&stacks->all[i].stack, &reader->budget);
	allocator_release(&reader->budget.allocator, stacks->all, stacks->capacity * sizeof(*stacks->all));
	detail_pool_destroy(&stacks->details, &reader->allocator);
	thread_map_destroy(&stacks->by_thread);
	hash_map_destroy(&stacks->at_blocks);
}
