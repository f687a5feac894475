/* SPDX-License-Identifier: MIT */
/* Visits the blocks of a log and copies their events to columns. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

mprof_status WASM_EXPORT(mprof_js_next_block)(log_view *view)
{
	/* After an error, the block is that of this call or none. */
	view->block.loaded = 0;
	return mprof_reader_next_block(view->reader, &view->block);
}

mprof_status WASM_EXPORT(mprof_js_load_block)(log_view *view)
{
	return mprof_reader_load(view->reader, &view->block);
}

mprof_status WASM_EXPORT(mprof_js_build_index)(log_view *view)
{
	return mprof_reader_build_index(view->reader);
}

mprof_status WASM_EXPORT(mprof_js_seek)(log_view *view, double offset)
{
	return mprof_reader_seek(view->reader, (uint64_t)offset);
}

mprof_status WASM_EXPORT(mprof_js_seek_time)(log_view *view, double nanoseconds, uint64_t thread)
{
	return mprof_reader_seek_time(view->reader, (int64_t)nanoseconds, thread);
}

/* Gets the frames that are open after a counter, the innermost first, or a negative status. */
int32_t WASM_EXPORT(mprof_js_get_open_frames)(log_view *view, uint64_t thread, uint64_t counter,
					      mprof_stack_frame *frames, uint32_t capacity)
{
	size_t count = 0;
	mprof_status status =
		mprof_reader_get_open_frames(view->reader, thread, counter, frames, sizeof(*frames), capacity, &count);

	return status == MPROF_OK ? (int32_t)count : -(int32_t)status;
}

/* Number of events of a batch at most. */
#define BATCH_CAPACITY 16384

/* The events of the last call; events.js has the order of the fields that are arrays. */
static struct {
	mprof_event events[BATCH_CAPACITY];
	uint32_t id[BATCH_CAPACITY];
	uint64_t counter[BATCH_CAPACITY];
	uint64_t value[BATCH_CAPACITY];
	double time[BATCH_CAPACITY];
	uint64_t object[BATCH_CAPACITY];
	uint64_t size[BATCH_CAPACITY];
	uint64_t started[BATCH_CAPACITY];
	uint64_t samples[BATCH_CAPACITY];
	uint32_t caller[BATCH_CAPACITY];
	uint32_t stack[BATCH_CAPACITY];
	uint32_t handle_type[BATCH_CAPACITY];
	uint32_t reference_end[BATCH_CAPACITY];
	uint8_t kind[BATCH_CAPACITY];
	uint16_t flags[BATCH_CAPACITY];
} * batch;

/* References and their offsets of all events of the batch; their number is bounded by the length of a block. */
static uint64_t *references;
static uint64_t *offsets;
static size_t reference_count;
static size_t reference_capacity;
static int has_offsets;

static int append_references(const mprof_event_detail *detail)
{
	size_t needed = reference_count + detail->reference_count;

	if (needed > reference_capacity) {
		size_t capacity = needed + needed / 2 + 1024;
		uint64_t *larger = realloc(references, capacity * sizeof(*larger));

		if (larger == NULL)
			return 0;
		references = larger;
		larger = realloc(offsets, capacity * sizeof(*larger));
		if (larger == NULL)
			return 0;
		offsets = larger;
		reference_capacity = capacity;
	}
	memcpy(references + reference_count, detail->references, detail->reference_count * sizeof(*references));
	if (detail->offsets != NULL) {
		memcpy(offsets + reference_count, detail->offsets, detail->reference_count * sizeof(*offsets));
		has_offsets = 1;
	} else {
		memset(offsets + reference_count, 0xff, detail->reference_count * sizeof(*offsets));
	}
	reference_count = needed;
	return 1;
}

static int copy_detail(const mprof_event_detail *detail, size_t i)
{
	static const mprof_event_detail none;

	if (detail == NULL)
		detail = &none;
	batch->object[i] = detail->object;
	batch->size[i] = detail->size;
	batch->started[i] = detail->started;
	batch->samples[i] = detail->samples;
	batch->caller[i] = detail->caller;
	batch->stack[i] = detail->stack;
	batch->handle_type[i] = detail->handle_type;
	if (detail->reference_count > 0 && !append_references(detail))
		return 0;
	batch->reference_end[i] = (uint32_t)reference_count;
	return 1;
}

static mprof_status copy_details(size_t count)
{
	reference_count = 0;
	has_offsets = 0;
	for (size_t i = 0; i < count; i++) {
		if (!copy_detail(batch->events[i].more.detail, i))
			return MPROF_ERR_MEMORY;
	}
	return MPROF_OK;
}

/* What a batch has. events.js has the same numbers. */
enum { BATCH_HAS_DETAILS = 1, BATCH_HAS_OFFSETS = 2 };

/* Fetches events. result receives their number, the number of references, and what the batch has. */
mprof_status WASM_EXPORT(mprof_js_next_events)(log_view *view, uint32_t capacity, uint32_t result[3])
{
	size_t count = 0;
	int has_details = 0;
	mprof_status status;

	if (batch == NULL)
		batch = malloc(sizeof(*batch));
	if (batch == NULL)
		return MPROF_ERR_MEMORY;
	if (capacity > BATCH_CAPACITY)
		capacity = BATCH_CAPACITY;
	status = mprof_reader_next_events(view->reader, batch->events, capacity, &count);
	for (size_t i = 0; i < count; i++) {
		const mprof_event *event = &batch->events[i];
		int64_t time = 0;

		(void)mprof_reader_get_time(view->reader, event->counter, &time);
		batch->kind[i] = event->kind;
		batch->flags[i] = event->flags;
		batch->id[i] = event->id;
		batch->counter[i] = event->counter;
		batch->value[i] = event->value;
		batch->time[i] = (double)time;
		has_details |= event->more.detail != NULL;
	}
	reference_count = 0;
	if (has_details && copy_details(count) != MPROF_OK)
		return MPROF_ERR_MEMORY;
	result[0] = (uint32_t)count;
	result[1] = (uint32_t)reference_count;
	result[2] = (has_details ? BATCH_HAS_DETAILS : 0) | (has_details && has_offsets ? BATCH_HAS_OFFSETS : 0);
	return status;
}

/* Reads the events of the block without copying them, for programs that only count. Returns their number. */
double WASM_EXPORT(mprof_js_count_events)(log_view *view)
{
	size_t count = 0;
	double sum = 0;
	mprof_status status;

	if (batch == NULL)
		batch = malloc(sizeof(*batch));
	if (batch == NULL)
		return -1;
	do {
		status = mprof_reader_next_events(view->reader, batch->events, 4096, &count);
		sum += (double)count;
	} while (status == MPROF_OK);
	return sum;
}

/* The columns of the last batch, in the order of events.js. */
const void *WASM_EXPORT(mprof_js_get_event_column)(uint32_t column)
{
	switch (column) {
	case 0:
		return batch->kind;
	case 1:
		return batch->flags;
	case 2:
		return batch->id;
	case 3:
		return batch->counter;
	case 4:
		return batch->value;
	case 5:
		return batch->time;
	case 6:
		return batch->object;
	case 7:
		return batch->size;
	case 8:
		return batch->started;
	case 9:
		return batch->samples;
	case 10:
		return batch->caller;
	case 11:
		return batch->stack;
	case 12:
		return batch->handle_type;
	case 13:
		return batch->reference_end;
	case 14:
		return references;
	default:
		return offsets;
	}
}
