/* SPDX-License-Identifier: MIT */
/* Delivers the clocks of the source log to the writer of the copy. */
#include "convert/clocks.h"

#include "convert/converter_internal.h"

#include <string.h>

void converter_read_clock(void *user, mprof_clock *clock)
{
	mprof_converter *converter = user;

	*clock = converter->clocks[converter->next_clock];
	if (converter->next_clock + 1 < converter->clock_count)
		converter->next_clock++;
}

void converter_set_clocks(mprof_converter *converter, const mprof_clock *start, const mprof_clock *end)
{
	const mprof_clock both[] = {*start, *end};

	memcpy(converter->clocks, both, sizeof(both));
	converter->clock_count = 2;
	converter->next_clock = 0;
}

void converter_set_clock(mprof_converter *converter, const mprof_block *block)
{
	if (block->has_clocks)
		converter_set_clocks(converter, &block->start, &block->end);
	else
		converter_set_clocks(converter, &converter->clocks[converter->clock_count - 1],
				     &converter->clocks[converter->clock_count - 1]);
}

void converter_set_snapshot_clock(mprof_converter *converter, const mprof_block *block)
{
	converter_set_clock(converter, block);
	if (!block->as.heap_data.has_clocks)
		return;
	converter_set_clocks(converter, &block->as.heap_data.start, &block->as.heap_data.end);
	/* Heap records contain the time when the snapshot was taken, and not the time when it was written. */
	if (converter->target.rules->has_heap_records)
		return;
	converter->clocks[2] = block->start;
	converter->clocks[3] = block->end;
	converter->clock_count = 4;
}
