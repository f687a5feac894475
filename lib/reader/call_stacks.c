/* SPDX-License-Identifier: MIT */
/*
 * Attaches call stacks to events: follows the stack sections of the log, and combines the frames of each sample of a
 * STATISTICAL block into one event, with the reader's IDs of native code.
 */
#include "reader/call_stacks.h"

#include "base/allocator.h"
#include "base/error.h"
#include "format/blocks/records.h"
#include "format/values/dialect.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
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
 * Returns the number of frames of a call stack. The ID of a caller's stack is always smaller, so the loop terminates.
 */
static size_t stack_length(const definition_table *table, uint32_t stack_id)
{
	definition_stack step;
	size_t length = 0;

	for (; definition_table_get_stack(table, stack_id, &step); stack_id = step.parent)
		length++;
	return length;
}

static mprof_status levels_reserve(frame_stack *stack, memory_budget *budget, size_t needed)
{
	void *levels = stack->levels;
	mprof_status status = memory_budget_reserve(budget, &levels, &stack->capacity, needed, sizeof(*stack->levels));

	stack->levels = levels;
	return status;
}

/* Sets the stack to the frames of an interned call stack, and sets the mark. Returns as frame_stack_apply(). */
static mprof_status frame_stack_restore(frame_stack *stack, const definition_table *table, uint32_t stack_id)
{
	size_t length = stack_length(table, stack_id);
	mprof_status status = levels_reserve(stack, table->names->budget, length);
	definition_stack step;

	stack->count = 0;
	frame_stack_set_mark(stack);
	if (status != MPROF_OK)
		return status;
	stack->count = length;
	frame_stack_set_mark(stack);
	for (; definition_table_get_stack(table, stack_id, &step); stack_id = step.parent) {
		const frame_level level = {length, stack_id};

		stack->levels[--length] = level;
	}
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

static uint64_t depth_of(const frame_stack *stack)
{
	return stack->count > 0 ? stack->levels[stack->count - 1].depth : 0;
}

/* Pops levels until at most \p keep frames are left. */
static inline void pop_frames(frame_stack *stack, uint64_t keep)
{
	/* If all frames are known, each level is one frame. */
	if (__builtin_expect(depth_of(stack) == stack->count, 1)) {
		stack->count = stack->count < keep ? stack->count : (size_t)keep;
		return;
	}
	while (depth_of(stack) > keep)
		stack->count--;
}

/*
 * Saves the levels from the top of the stack up to the lowest one already saved, because they are about to be
 * overwritten. They were popped since the mark, so saving them costs no more than popping them did.
 */
static mprof_status save_levels(frame_stack *stack, memory_budget *budget)
{
	void *saved = stack->saved;
	mprof_status status;

	status = memory_budget_reserve(budget, &saved, &stack->saved_capacity, stack->mark - stack->count,
				       sizeof(*stack->saved));
	stack->saved = saved;
	if (status != MPROF_OK)
		return status;
	while (stack->low > stack->count) {
		stack->low--;
		stack->saved[stack->mark - 1 - stack->low] = stack->levels[stack->low];
	}
	return MPROF_OK;
}

/* Makes room for the frames of a section, and saves the levels that it overwrites. */
static inline mprof_status section_reserve(frame_stack *stack, memory_budget *budget, size_t count)
{
	mprof_status status = MPROF_OK;

	if (__builtin_expect(stack->capacity - stack->count < count, 0))
		status = levels_reserve(stack, budget, stack->count + count);
	if (status == MPROF_OK && count > 0 && stack->count < stack->low)
		status = save_levels(stack, budget);
	return status;
}

/* The caller has made room. */
static inline mprof_status push_frame(frame_stack *stack, definition_interner *interner, uint64_t depth, uint64_t frame)
{
	uint32_t flags = (frame & 1) != 0 ? MPROF_EVENT_FLAG_COMPILING : 0;
	uint32_t stack_id = frame_stack_id(stack);
	mprof_status status = definition_intern_stack(interner, stack_id, (uint32_t)(frame >> 1), flags, &stack_id);
	const frame_level level = {depth, stack_id};

	stack->levels[stack->count++] = level;
	return status;
}

/*
 * Applies a stack section: keep outermost frames stay, and count frames, listed innermost first, are pushed on
 * them. Each is a method << 1, with bit 0 set while the method is being compiled. If keep is more than the frames
 * known, one unknown frame stands for those between. A frame that cannot be defined is left out of the interned stack.
 * Returns MPROF_OK; MPROF_ERR_LIMIT; MPROF_ERR_MEMORY.
 */
static mprof_status frame_stack_apply(frame_stack *stack, definition_interner *interner, uint64_t keep,
				      const uint64_t *frames, size_t count)
{
	mprof_status result;
	int is_gap;

	pop_frames(stack, keep);
	is_gap = depth_of(stack) < keep;
	result = section_reserve(stack, interner->table->names->budget, count + (size_t)is_gap);
	if (result != MPROF_OK)
		return result;
	if (__builtin_expect(is_gap, 0))
		result = push_frame(stack, interner, keep, 0);
	for (size_t i = count; i > 0; i--) {
		mprof_status status = push_frame(stack, interner, depth_of(stack) + 1, frames[i - 1]);

		if (result == MPROF_OK || status == MPROF_ERR_MEMORY)
			result = status;
	}
	return result;
}

/* Applies a section that keeps \p kept frames and adds those of \p detail. */
static void apply_section(mprof_reader *reader, frame_stack *stack, uint64_t kept, const mprof_event_detail *detail)
{
	reader_note_fault(
		reader, frame_stack_apply(stack, &reader->interner, kept, detail->references, detail->reference_count));
}

/* Takes a detail from the pool, with all fields but its size 0. Returns NULL if the pool is used up. */
static mprof_event_detail *detail_pool_take(detail_pool *pool)
{
	mprof_event_detail *detail;

	if (pool->used == pool->capacity)
		return NULL;
	detail = &pool->details[pool->used++];
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	return detail;
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

/*
 * Reclaims all details handed out, which become invalid, and makes room for count of them. Returns 0 if out of
 * memory.
 */
static int detail_pool_prepare(detail_pool *pool, const mprof_allocator *allocator, size_t count)
{
	void *details = pool->details;
	int has_room = array_reserve(allocator, &details, &pool->capacity, count, sizeof(*pool->details));

	pool->details = details;
	pool->used = 0;
	return has_room;
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

/* Restores the stack to its state at the mark. */
static void frame_stack_roll_back(frame_stack *stack)
{
	for (; stack->low < stack->mark; stack->low++)
		stack->levels[stack->low] = stack->saved[stack->mark - 1 - stack->low];
	stack->count = stack->mark;
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

static void frame_stack_release(frame_stack *stack, memory_budget *budget)
{
	allocator_release(&budget->allocator, stack->levels, stack->capacity * sizeof(*stack->levels));
	allocator_release(&budget->allocator, stack->saved, stack->saved_capacity * sizeof(*stack->saved));
	memset(stack, 0, sizeof(*stack));
}

static void detail_pool_destroy(detail_pool *pool, const mprof_allocator *allocator)
{
	allocator_release(allocator, pool->details, pool->capacity * sizeof(*pool->details));
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

/* Definitions fetched from the parser at a time. */
#define RECORD_BATCH 64

static const char no_memory_for_names[] = "out of memory for the names of native code";

/*
 * STATISTICAL blocks: combines the frames of each sample into one event with a call stack, and assigns the reader's IDs
 * to native code.
 */

void reader_samples_init(mprof_reader *reader)
{
	id_map_init(&reader->samples.modules, &reader->allocator);
	id_map_init(&reader->samples.functions, &reader->allocator);
}

/* Defines a module or a function of the log under an ID of the reader. */
static mprof_status define_native_code(mprof_reader *reader, id_map *ids, uint32_t log_id, mprof_record *record)
{
	mprof_status status = definition_intern(&reader->interner, record);

	if (status != MPROF_OK)
		return status;
	return id_map_put(ids, log_id, record->id) ? MPROF_OK : MPROF_ERR_MEMORY;
}

/*
 * Defines a module or function that is used but not defined in the log, under the name "#ID", like methods and classes
 * without a definition.
 */
static mprof_status define_undefined_native(mprof_reader *reader, id_map *ids, uint32_t kind, uint32_t log_id,
					    uint32_t *id)
{
	char name[16];
	mprof_record record;
	mprof_status status;

	snprintf(name, sizeof(name), "#%" PRIu32, log_id);
	record_clear(&record, kind);
	*record_name(&record) = name;
	status = define_native_code(reader, ids, log_id, &record);
	*id = record.id;
	return status;
}

static mprof_status find_or_define(mprof_reader *reader, id_map *ids, uint32_t kind, uint32_t log_id, uint32_t *id)
{
	*id = id_map_get(ids, log_id);
	return *id != 0 ? MPROF_OK : define_undefined_native(reader, ids, kind, log_id, id);
}

/*
 * A file that is mapped again is another module in the log, with other IDs for its functions. The functions are the
 * same, so they are assigned to the first module with that file name.
 */
static mprof_status find_first_module(mprof_reader *reader, uint32_t log_module, uint32_t *module)
{
	mprof_record found;
	mprof_status status = find_or_define(reader, &reader->samples.modules, MPROF_RECORD_MODULE, log_module, module);

	if (status == MPROF_OK && definition_table_get(&reader->definitions, MPROF_RECORD_MODULE, *module, &found))
		status = definition_first_of_name(&reader->interner, &found, module);
	return status;
}

/*
 * Translates a record of the log to the reader's IDs, and defines it. A module that was unloaded keeps its definition.
 */
static mprof_status define_native_record(mprof_reader *reader, mprof_record *record)
{
	reader_samples *samples = &reader->samples;
	uint32_t log_id = record->id;
	mprof_status status = MPROF_OK;

	if (record->kind == MPROF_RECORD_MODULE && record->as.module.is_removed) {
		record->id = id_map_get(&samples->modules, log_id);
		return MPROF_OK;
	}
	if (record->kind == MPROF_RECORD_MODULE)
		return define_native_code(reader, &samples->modules, log_id, record);
	if (record->kind != MPROF_RECORD_FUNCTION)
		return MPROF_OK;
	if (record->as.function.module != 0)
		status = find_first_module(reader, record->as.function.module, &record->as.function.module);
	return status == MPROF_OK ? define_native_code(reader, &samples->functions, log_id, record) : status;
}

mprof_status reader_samples_learn(mprof_reader *reader, const mprof_block *block)
{
	mprof_record records[RECORD_BATCH];
	mprof_status result = MPROF_OK;
	size_t count;

	while (mprof_parser_next_records(reader->parser, records, sizeof(*records), RECORD_BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = define_native_record(reader, &records[i]);

			if (status == MPROF_ERR_MEMORY)
				return reader_fail_names(reader, status, block);
			if (result == MPROF_OK)
				result = status;
		}
	}
	parser_rewind(reader->parser);
	return result == MPROF_OK ? MPROF_OK : reader_fail_names(reader, result, block);
}

void reader_samples_translate(mprof_reader *reader, mprof_record *record)
{
	/* All records were defined when the block was loaded, or the failure was reported then. */
	if (define_native_record(reader, record) == MPROF_ERR_MEMORY)
		(void)reader_fail_memory(reader, no_memory_for_names);
}

/* Returns the location ID of a native frame; 0 if it cannot be defined. */
static uint32_t find_native_location(mprof_reader *reader, const mprof_event *event)
{
	mprof_record location = {.kind = MPROF_RECORD_LOCATION};
	reader_samples *samples = &reader->samples;
	mprof_record function;
	mprof_status status = MPROF_OK;

	if ((event->flags & MPROF_EVENT_FLAG_IN_MODULE) != 0 && event->id != 0) {
		location.as.location.offset = event->value;
		status = find_or_define(reader, &samples->modules, MPROF_RECORD_MODULE, event->id,
					&location.as.location.module);
	} else if (event->id != 0) {
		status = find_or_define(reader, &samples->functions, MPROF_RECORD_FUNCTION, event->id,
					&location.as.location.function);
		if (definition_table_get(&reader->definitions, MPROF_RECORD_FUNCTION, location.as.location.function,
					 &function))
			location.as.location.module = function.as.function.module;
	} else {
		location.as.location.offset = event->value;
	}
	if (status == MPROF_OK)
		status = definition_intern(&reader->interner, &location);
	reader_note_fault(reader, status);
	return status == MPROF_OK ? location.id : 0;
}

/* Adds a frame as the new outermost one. If there is no memory, returns 0 and records why. */
static int add_sample_frame(mprof_reader *reader, const mprof_event *event)
{
	reader_samples *samples = &reader->samples;
	void *frames = samples->frames;
	sample_frame frame = {event->id, 0};
	mprof_status status = memory_budget_reserve(&reader->budget, &frames, &samples->frame_capacity,
						    samples->frame_count + 1, sizeof(*samples->frames));

	samples->frames = frames;
	if (status != MPROF_OK) {
		reader_note_fault(reader, status);
		return 0;
	}
	if (event->flags & MPROF_EVENT_FLAG_NATIVE) {
		frame.id = find_native_location(reader, event);
		frame.flags = frame.id != 0 ? MPROF_EVENT_FLAG_NATIVE : 0;
	}
	samples->frames[samples->frame_count++] = frame;
	return 1;
}

static void begin_sample(reader_samples *samples, const mprof_event *event)
{
	samples->sample = *event;
	samples->sample.more.detail = NULL;
	samples->sample.flags = event->flags & MPROF_EVENT_FLAG_NATIVE;
	samples->sample.id = samples->sample.flags == 0 ? event->id : 0;
	samples->weight = event->more.detail != NULL ? event->more.detail->samples : 1;
	samples->has_sample = 1;
	samples->frame_count = 0;
}

/* Returns the stack ID of the sample's frames. Frames that cannot be defined are left out. */
static uint32_t sample_stack_id(mprof_reader *reader)
{
	const reader_samples *samples = &reader->samples;
	uint32_t stack = 0;

	for (size_t i = samples->frame_count; i > 0; i--) {
		const sample_frame *frame = &samples->frames[i - 1];

		reader_note_fault(reader,
				  definition_intern_stack(&reader->interner, stack, frame->id, frame->flags, &stack));
	}
	return stack;
}

/* Delivers the sample that was begun. The caller has made room for it and its detail. */
static void end_sample(mprof_reader *reader, mprof_event *event)
{
	reader_samples *samples = &reader->samples;

	*event = samples->sample;
	event->value = sample_stack_id(reader);
	samples->has_sample = 0;
	if (samples->weight > 1) {
		mprof_event_detail *detail = detail_pool_take(&samples->details);

		if (detail != NULL)
			detail->samples = samples->weight;
		event->more.detail = detail;
	}
}

/* Fetches frames from the parser if the previous ones are used up. */
static mprof_status fetch_frame_events(mprof_reader *reader)
{
	reader_samples *samples = &reader->samples;
	mprof_status status;

	if (samples->fetched_next < samples->fetched_count)
		return MPROF_OK;
	if (samples->fetched == NULL)
		samples->fetched =
			allocator_allocate(&reader->allocator, READER_FETCH_CAPACITY * sizeof(*samples->fetched));
	if (samples->fetched == NULL)
		return reader_fail_memory(reader, "out of memory for samples");
	samples->fetched_next = 0;
	status = mprof_parser_next_events(reader->parser, samples->fetched, READER_FETCH_CAPACITY,
					  &samples->fetched_count);
	return status <= MPROF_END ? status : reader_fail_parser(reader, status);
}

mprof_status reader_samples_next(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	reader_samples *samples = &reader->samples;
	mprof_status status;

	if (capacity > READER_FETCH_CAPACITY)
		capacity = READER_FETCH_CAPACITY;
	if (!detail_pool_prepare(&samples->details, &reader->allocator, capacity))
		return reader_fail_memory(reader, "out of memory for samples");
	while ((status = fetch_frame_events(reader)) == MPROF_OK) {
		const mprof_event *event = &samples->fetched[samples->fetched_next];

		if (samples->has_sample && (event->flags & MPROF_EVENT_FLAG_CALLER) == 0) {
			if (*count == capacity)
				return MPROF_OK;
			end_sample(reader, &events[(*count)++]);
		}
		if (!samples->has_sample)
			begin_sample(samples, event);
		(void)add_sample_frame(reader, event);
		samples->fetched_next++;
	}
	if (samples->has_sample && *count < capacity)
		end_sample(reader, &events[(*count)++]);
	return *count > 0 ? MPROF_OK : status;
}

void reader_samples_rewind(mprof_reader *reader)
{
	reader_samples *samples = &reader->samples;

	samples->fetched_count = 0;
	samples->fetched_next = 0;
	samples->has_sample = 0;
}

void reader_samples_destroy(mprof_reader *reader)
{
	reader_samples *samples = &reader->samples;
	const mprof_allocator *allocator = &reader->allocator;

	id_map_destroy(&samples->modules);
	id_map_destroy(&samples->functions);
	allocator_release(allocator, samples->fetched, READER_FETCH_CAPACITY * sizeof(*samples->fetched));
	allocator_release(&reader->budget.allocator, samples->frames,
			  samples->frame_capacity * sizeof(*samples->frames));
	detail_pool_destroy(&samples->details, allocator);
}
