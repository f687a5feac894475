/* SPDX-License-Identifier: MIT */
/* What the copy of a log changes: the unit of counters, IDs and directives. */
#include "convert/resolution.h"

#include "format/events/event_kinds.h"

/* Longer units are meaningless, and differences of the largest counters must not overflow. */
#define MAX_DIVISOR (INT64_C(1) << 32)

/* A unit that is longer than requested by less than this share is not longer: the frequency is measured. */
#define TOLERANCE 1e-4

void resolution_init(copy_resolution *resolution)
{
	*resolution = (copy_resolution){0, 1, 0};
}

void resolution_choose(copy_resolution *resolution, uint64_t origin, uint64_t nanoseconds, double counters_per_second)
{
	const double units = (double)nanoseconds * counters_per_second / 1e9 * (1 + TOLERANCE);

	resolution->origin = origin;
	resolution->nanoseconds = nanoseconds;
	resolution->divisor = 1;
	if (units >= (double)MAX_DIVISOR)
		resolution->divisor = MAX_DIVISOR;
	else if (units > 1)
		resolution->divisor = (int64_t)units;
}

static void convert_clock(const copy_resolution *resolution, mprof_clock *clock)
{
	clock->counter = resolution_counter(resolution, clock->counter);
}

static void convert_content(const copy_resolution *resolution, mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		block->as.element.start_counter = resolution_counter(resolution, block->as.element.start_counter);
		block->as.element.end_counter = resolution_counter(resolution, block->as.element.end_counter);
		break;
	case MPROF_BLOCK_SAMPLES:
		block->as.samples.base_counter = resolution_counter(resolution, block->as.samples.base_counter);
		break;
	case MPROF_BLOCK_STATISTICAL:
		block->as.statistical.start_counter =
			resolution_counter(resolution, block->as.statistical.start_counter);
		block->as.statistical.end_counter = resolution_counter(resolution, block->as.statistical.end_counter);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		block->as.heap_data.counter = resolution_counter(resolution, block->as.heap_data.counter);
		convert_clock(resolution, &block->as.heap_data.start);
		convert_clock(resolution, &block->as.heap_data.end);
		break;
	case MPROF_BLOCK_MARK:
		block->as.mark.counter = resolution_counter(resolution, block->as.mark.counter);
		break;
	case MPROF_BLOCK_WATERMARK:
		block->as.watermark.counter = resolution_counter(resolution, block->as.watermark.counter);
		break;
	default:
		break;
	}
}

void resolution_convert_block(const copy_resolution *resolution, mprof_block *block)
{
	if (!resolution_is_coarser(resolution) || !block->loaded)
		return;
	convert_clock(resolution, &block->start);
	convert_clock(resolution, &block->end);
	convert_content(resolution, block);
}

void resolution_convert_events(const copy_resolution *resolution, mprof_event *events, size_t count)
{
	if (!resolution_is_coarser(resolution))
		return;
	for (size_t i = 0; i < count; i++) {
		mprof_event *event = &events[i];
		const uint64_t counter = resolution_counter(resolution, event->counter);

		/* The duration ends at the event: its start is rounded like all other counters. */
		if (event->kind == MPROF_EVENT_RECORDING_RESUMED)
			event->value = counter - resolution_counter(resolution, event->counter - event->value);
		event->counter = counter;
	}
}

void id_translation_init(id_translation *translation, const mprof_allocator *allocator)
{
	translation->defined = 0;
	translation->same = 0;
	id_map_init(&translation->moved, allocator);
}

void id_translation_destroy(id_translation *translation)
{
	id_map_destroy(&translation->moved);
}

uint32_t id_translation_define(id_translation *translation, uint32_t id)
{
	uint32_t next = translation->defined + 1;

	if (id == next && translation->same == translation->defined)
		translation->same = id;
	else if (!id_map_put(&translation->moved, id, next))
		return 0;
	translation->defined = next;
	return next;
}

/* Directives that are always declared: they cost no bytes per event in a log that does not need them. */
#define FREE_DIRECTIVES                                                                                                \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS))

/* Directives that give allocations call stacks. */
#define STACK_DIRECTIVES                                                                                               \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) |                                                       \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID))

/* All directives useful for the copy. The caller removes those that its dialect does not have. */
static uint64_t wanted_directives(const log_declarations *source)
{
	uint64_t directives = source->directives | FREE_DIRECTIVES;

	if ((source->directives & STACK_DIRECTIVES) != 0)
		directives |= STACK_DIRECTIVES;
	/* Monitor events have stack sections too. Logs of Mono have them even if they are not declared. */
	if ((source->flags & MPROF_INTRO_FLAG_MONITOR) != 0)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	if (source->rules->counts_collections)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);
	return directives;
}

log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target)
{
	log_declarations made = {target, wanted_directives(source) & target->directives,
				 source->flags & target->intro_flags};

	/* If the dialect of the source has constant flags too, its own flags are right and are kept. */
	if (source->rules->constant_intro_flags == 0)
		made.flags |= target->constant_intro_flags;
	return made;
}
