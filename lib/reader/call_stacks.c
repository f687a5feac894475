/* SPDX-License-Identifier: MIT */
/* Stack sections: what the call stack of a thread is becomes the call chain of the events that follow. */
#include "reader/call_stacks.h"

#include "format/dialect.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <string.h>

/* Events of a block that is left before all of them were fetched, taken at once. */
#define PASSED_BATCH 128

void reader_stacks_init(mprof_reader *reader)
{
	hash_map_init(&reader->stacks.by_thread, &reader->budget.allocator);
	hash_map_init(&reader->stacks.at_blocks, &reader->budget.allocator);
}

int reader_has_stack_sections(const mprof_reader *reader)
{
	return dialect_get(mprof_parser_get_dialect(reader->parser))->has_stack_sections &&
	       parser_block(reader->parser)->kind == MPROF_BLOCK_EVENTS;
}

/* Finds the place of a thread's stack, which is made if there is none. */
static mprof_status find_place(mprof_reader *reader, uint64_t thread, size_t *place)
{
	reader_stacks *stacks = &reader->stacks;
	const uint64_t *found = hash_map_get(&stacks->by_thread, thread);
	void *all = stacks->all;
	mprof_status status;

	if (found != NULL) {
		*place = (size_t)*found;
		return MPROF_OK;
	}
	status = memory_budget_reserve(&reader->budget, &all, &stacks->capacity, stacks->count + 1,
				       sizeof(*stacks->all));
	stacks->all = all;
	if (status == MPROF_OK)
		status = memory_budget_map_put(&reader->budget, &stacks->by_thread, thread, stacks->count);
	if (status != MPROF_OK)
		return status;
	memset(&stacks->all[stacks->count], 0, sizeof(*stacks->all));
	*place = stacks->count++;
	return MPROF_OK;
}

/*
 * Sets the stack at the begin of the loaded block: where the thread's last block left it, or what it was when the block
 * was read before.
 */
static mprof_status begin(mprof_reader *reader)
{
	reader_stacks *stacks = &reader->stacks;
	const mprof_block *block = parser_block(reader->parser);
	const uint64_t *chain = hash_map_get(&stacks->at_blocks, block->offset);
	mprof_status status = find_place(reader, block->thread, &stacks->current);
	thread_stack *thread;

	if (status != MPROF_OK)
		return status;
	thread = &stacks->all[stacks->current];
	stacks->is_begun = 1;
	if (thread->is_known)
		frame_stack_set_mark(&thread->stack);
	else
		status =
			frame_stack_restore(&thread->stack, &reader->definitions, chain != NULL ? (uint32_t)*chain : 0);
	thread->is_known = 1;
	if (status == MPROF_OK && chain == NULL && thread->stack.count > 0)
		status = memory_budget_map_put(&reader->budget, &stacks->at_blocks, block->offset,
					       frame_stack_chain(&thread->stack));
	return status;
}

#define EVENT_BIT(kind) (UINT64_C(1) << (kind))

/*
 * The kinds of events, a bit for each, that the section in front of them, or further up, is about. A log without
 * directive 2 has sections for its monitor events alone.
 */
static uint64_t kinds_with_stacks(const mprof_reader *reader)
{
	const uint64_t monitors = EVENT_BIT(MPROF_EVENT_MONITOR);
	const uint64_t allocations = EVENT_BIT(MPROF_EVENT_ALLOCATION) | EVENT_BIT(MPROF_EVENT_ALLOCATION_AT_JIT);
	const uint64_t directive = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);

	return (parser_directives_declared(reader->parser) & directive) != 0 ? monitors | allocations : monitors;
}

/* A section has a detail, which makes it quick to tell where there are none. */
static int has_section(const mprof_reader *reader, const mprof_event *events, size_t count)
{
	size_t detail_count;

	(void)parser_details(reader->parser, &detail_count);
	if (detail_count == 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (events[i].kind == MPROF_EVENT_STACK_SECTION)
			return 1;
	}
	return 0;
}

static void take_section(mprof_reader *reader, frame_stack *stack, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	size_t count = detail != NULL ? detail->reference_count : 0;

	reader_note_fault(reader, frame_stack_apply(stack, &reader->interner, event->value,
						    count > 0 ? detail->references : NULL, count));
}

/* Details are the parser's, which the reader shares: they are its own to write to. Events without any get some. */
static void set_stack(mprof_reader *reader, mprof_event *event, uint32_t chain)
{
	size_t count;
	mprof_event_detail *details = parser_details(reader->parser, &count);
	mprof_event_detail *detail;

	if (event->more.detail != NULL) {
		details[event->more.detail - details].stack = chain;
		return;
	}
	detail = detail_pool_take(&reader->stacks.details);
	if (detail == NULL)
		return;
	detail->stack = chain;
	event->more.detail = detail;
}

/*
 * The same where all events that have a stack, and no others but sections, have details. These are looked at instead of
 * the events, among which they are spread in no order that a processor could foretell.
 */
static void attach_by_details(mprof_reader *reader, frame_stack *stack)
{
	size_t count;
	mprof_event_detail *details = parser_details(reader->parser, &count);

	for (size_t i = 0; i < count; i++) {
		mprof_event_detail *detail = &details[i];

		if (detail->references != NULL)
			reader_note_fault(reader, frame_stack_apply(stack, &reader->interner, detail->object,
								    detail->references, detail->reference_count));
		else
			detail->stack = frame_stack_chain(stack);
	}
}

/* With directive 2 allocations have stacks, and with 1 or 3 all of them have details. Those of monitors always have. */
static int have_details(const mprof_reader *reader)
{
	const uint64_t declared = parser_directives_declared(reader->parser);
	const uint64_t details = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |
				 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT);

	return (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0 && (declared & details) != 0;
}

static void attach(mprof_reader *reader, frame_stack *stack, mprof_event *events, size_t count)
{
	const uint64_t kinds = kinds_with_stacks(reader);

	if (!detail_pool_prepare(&reader->stacks.details, &reader->allocator, count))
		reader_note_fault(reader, MPROF_ERR_MEMORY);
	for (size_t i = 0; i < count; i++) {
		uint32_t chain = frame_stack_chain(stack);

		if (events[i].kind == MPROF_EVENT_STACK_SECTION)
			take_section(reader, stack, &events[i]);
		else if (chain != 0 && (kinds >> events[i].kind & 1) != 0)
			set_stack(reader, &events[i], chain);
	}
}

static void attach_stacks(mprof_reader *reader, mprof_event *events, size_t count)
{
	reader_stacks *stacks = &reader->stacks;

	if (!stacks->is_used && !has_section(reader, events, count))
		return;
	stacks->is_used = 1;
	if (!stacks->is_begun)
		reader_note_fault(reader, begin(reader));
	if (!stacks->is_begun)
		return;
	if (have_details(reader))
		attach_by_details(reader, &stacks->all[stacks->current].stack);
	else
		attach(reader, &stacks->all[stacks->current].stack, events, count);
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
		frame_stack_take_back(&stacks->all[stacks->current].stack);
	stacks->is_begun = 0;
	stacks->is_done = 0;
}

/* Takes the sections among the events that were not fetched. */
static void take_others(mprof_reader *reader)
{
	mprof_event events[PASSED_BATCH];
	size_t count;

	while (mprof_parser_next_events(reader->parser, events, PASSED_BATCH, &count) == MPROF_OK)
		attach_stacks(reader, events, count);
}

/* Sections may be in a block of which not all was fetched. */
static int may_have_others(const mprof_reader *reader)
{
	const uint64_t declared = parser_directives_declared(reader->parser);

	return parser_has_content(reader->parser) && reader_has_stack_sections(reader) && !reader->stacks.is_done &&
	       (reader->stacks.is_used || (declared & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0);
}

void reader_stacks_leave(mprof_reader *reader)
{
	if (may_have_others(reader))
		take_others(reader);
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
	hash_map_destroy(&stacks->by_thread);
	hash_map_destroy(&stacks->at_blocks);
}
