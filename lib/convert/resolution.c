/* SPDX-License-Identifier: MIT */
/* Converts counters of the log to a coarser unit for the copy. */
#include "convert/resolution.h"

#include "format/event_kinds.h"

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
