/* SPDX-License-Identifier: MIT */
/*
 * STATISTICAL blocks: combines the frames of each sample into one event with a call stack, and assigns the reader's IDs
 * to native code.
 */
#include "reader/samples.h"

#include "base/error.h"
#include "format/blocks/records.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Definitions fetched from the parser at a time. */
#define RECORD_BATCH 64

static const char no_memory_for_names[] = "out of memory for the names of native code";

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
