/* SPDX-License-Identifier: MIT */
/* Writes samples, and events of types in no order of time. */
#include <mprof/writer.h>

#include "format/blocks/statistical.h"
#include "format/events/event_check.h"
#include "format/values/losses.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

#include <string.h>

/* No dialect has more: dialect_rules::max_sample_frames. */
#define MAX_FRAMES 32
/* Maximum number of times that a sample is repeated if it stands for several. No known log has a higher count. */
#define MAX_REPEATED 65536

/*
 * Writes samples as STATISTICAL blocks, in which they have neither a thread nor a time. Call stacks and native code,
 * which mprof2 defines in blocks of their own, are defined here at their first use.
 */

/* The location of a frame. */
typedef struct frame_location {
	mprof_record module; /* id is 0 if there is no module. */
	mprof_record function;
	uint64_t offset; /* From the start of the module, or the address if there is no module. */
} frame_location;

static int has_counts(const mprof_writer *writer)
{
	return writer->encoding.rules->has_sample_counts;
}

/* Writes a table of the modules that were defined since the last table. */
static void put_modules(mprof_writer *writer)
{
	mprof_record module;

	statistical_encode_modules_begin(&writer->statistical);
	while (writer->modules_written < writer->defined[MPROF_RECORD_MODULE]) {
		if (definition_table_get(&writer->code, MPROF_RECORD_MODULE, ++writer->modules_written, &module))
			statistical_encode_module(&writer->statistical, &module);
	}
	statistical_encode_modules_end(&writer->statistical);
}

/* A function without a module is assigned to a placeholder module, because readers do not find it otherwise. */
static void put_no_module(mprof_writer *writer)
{
	const mprof_record none = {.kind = MPROF_RECORD_MODULE, .id = STATISTICAL_NO_MODULE, .as.module.file = ""};

	if (writer->has_placeholder_module)
		return;
	statistical_encode_modules_begin(&writer->statistical);
	statistical_encode_module(&writer->statistical, &none);
	statistical_encode_modules_end(&writer->statistical);
	writer->has_placeholder_module = 1;
}

static void find_frame_location(const mprof_writer *writer, uint32_t location_id, frame_location *location)
{
	mprof_record record;

	memset(location, 0, sizeof(*location));
	if (!definition_table_get(&writer->code, MPROF_RECORD_LOCATION, location_id, &record))
		return;
	location->offset = record.as.location.offset;
	(void)definition_table_get(&writer->code, MPROF_RECORD_MODULE, record.as.location.module, &location->module);
	(void)definition_table_get(&writer->code, MPROF_RECORD_FUNCTION, record.as.location.function,
				   &location->function);
}

static void put_frame_address(mprof_writer *writer, const frame_location *location)
{
	if (location->module.id != 0 && location->offset <= UINT32_MAX)
		statistical_encode_location(&writer->statistical, location->module.id, location->offset);
	else
		statistical_encode_location(&writer->statistical, 0,
					    location->module.as.module.address + location->offset);
}

/* The number of a function in the log. Its name is written with the first hit. 0 if out of memory. */
static uint32_t number_function(mprof_writer *writer, uint32_t id, int *is_first)
{
	uint32_t number = id_map_get(&writer->function_numbers, id);

	/* A number from a block that was not written is invalid. */
	*is_first = number == 0 || number > writer->functions_written;
	if (!*is_first)
		return number;
	if (!id_map_put(&writer->function_numbers, id, writer->functions_written + 1))
		return 0;
	return ++writer->functions_written;
}

static int put_function(mprof_writer *writer, const frame_location *location, uint64_t samples)
{
	const char *name = location->function.as.function.name;
	int is_first;
	uint32_t number = number_function(writer, location->function.id, &is_first);

	if (number == 0)
		return 0;
	if (has_counts(writer)) {
		statistical_encode_counted(&writer->statistical, number, is_first ? name : NULL, samples);
	} else if (is_first) {
		if (location->module.id == 0)
			put_no_module(writer);
		statistical_encode_new_function(&writer->statistical,
						location->module.id != 0 ? location->module.id : STATISTICAL_NO_MODULE,
						number, name);
	} else {
		statistical_encode_function(&writer->statistical, number);
	}
	return 1;
}

/* Only a function with a name can be written. */
static int has_function(const frame_location *location)
{
	return location->function.id != 0 && location->function.as.function.name[0] != 0;
}

static int put_frame(mprof_writer *writer, const mprof_record *frame)
{
	frame_location location;

	if (!frame->as.stack.is_native) {
		statistical_encode_method(&writer->statistical, frame->as.stack.target);
		return 1;
	}
	find_frame_location(writer, frame->as.stack.target, &location);
	if (has_function(&location))
		return put_function(writer, &location, 1);
	put_frame_address(writer, &location);
	return 1;
}

/* Whether a frame marks a truncated call stack. The dialects have no such frame; the call stack ends before it. */
static int is_truncation(const mprof_record *frame)
{
	return frame->as.stack.is_native && frame->as.stack.target == 0;
}

/* Collects the frames of a sample, innermost first, at least one and at most as many as the dialect permits. */
static size_t collect_frames(const mprof_writer *writer, const mprof_event *sample, mprof_record frames[MAX_FRAMES])
{
	const size_t most = writer->encoding.rules->max_sample_frames;
	uint64_t stack = sample->value;
	size_t count = 0;

	while (count < most && stack != 0 && stack <= UINT32_MAX &&
	       definition_table_get(&writer->code, MPROF_RECORD_STACK, (uint32_t)stack, &frames[count]) &&
	       !is_truncation(&frames[count]))
		stack = frames[count++].as.stack.caller;
	if (count > 0)
		return count;
	memset(&frames[0], 0, sizeof(frames[0]));
	frames[0].as.stack.target = sample->id;
	return 1;
}

static int put_callers(mprof_writer *writer, const mprof_record *callers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!put_frame(writer, &callers[i]))
			return 0;
	}
	return 1;
}

/*
 * If the number of callers comes first, it is written even if it is 0. Otherwise it comes after the innermost frame,
 * and only if there are callers.
 */
static int put_sample(mprof_writer *writer, const mprof_record *frames, size_t count)
{
	const int is_caller_count_first = writer->encoding.rules->is_caller_count_first;

	if (is_caller_count_first) {
		statistical_encode_callers(&writer->statistical, count - 1);
		if (writer->modules_written < writer->defined[MPROF_RECORD_MODULE])
			put_modules(writer);
	}
	if (!put_frame(writer, &frames[0]))
		return 0;
	if (!is_caller_count_first && count > 1)
		statistical_encode_callers(&writer->statistical, count - 1);
	return put_callers(writer, frames + 1, count - 1);
}

static uint64_t weight_of(const mprof_event *sample)
{
	mprof_event_detail copy;
	uint64_t weight = event_detail_complete(sample, &copy)->samples;

	return weight == 0 ? 1 : weight;
}

/* Writes a sample as many times as it counts. */
static int put_weighted(mprof_writer *writer, const mprof_record *frames, size_t count, uint64_t weight)
{
	frame_location location;

	if (has_counts(writer) && frames[0].as.stack.is_native) {
		find_frame_location(writer, frames[0].as.stack.target, &location);
		if (has_function(&location))
			return put_function(writer, &location, weight);
	}
	for (uint64_t done = 0; done < weight && done < MAX_REPEATED; done++) {
		if (!put_sample(writer, frames, count))
			return 0;
	}
	return 1;
}

static int put_hits(mprof_writer *writer, const mprof_event *samples, size_t count)
{
	mprof_record frames[MAX_FRAMES];

	/* If hits have counts, readers also infer the grammar of the block from the table, so it is always written. */
	if (has_counts(writer) || (!writer->encoding.rules->is_caller_count_first && count > 0 &&
				   writer->modules_written < writer->defined[MPROF_RECORD_MODULE]))
		put_modules(writer);
	for (size_t i = 0; i < count; i++) {
		size_t depth = collect_frames(writer, &samples[i], frames);

		if (!put_weighted(writer, frames, depth, weight_of(&samples[i])))
			return 0;
	}
	return 1;
}

/*
 * Whether a part of a frame is lost: that the method is being compiled, or the function of an address, if it has no
 * name.
 */
static int is_frame_shortened(const mprof_writer *writer, const mprof_record *frame)
{
	frame_location location;

	if (!frame->as.stack.is_native)
		return frame->as.stack.is_compiling != 0;
	find_frame_location(writer, frame->as.stack.target, &location);
	return location.function.id != 0 && !has_function(&location);
}

/*
 * Whether a part of a sample is lost: the thread, the time, or frames. These dialects contain neither thread nor time.
 * A sample that was read from such a log has neither, so it loses nothing.
 */
static int is_shortened(const mprof_writer *writer, uint64_t thread, uint64_t base_counter, const mprof_event *sample)
{
	mprof_record frames[MAX_FRAMES];
	size_t count = collect_frames(writer, sample, frames);

	if (thread != 0 || sample->counter != base_counter || frames[count - 1].as.stack.caller != 0)
		return 1;
	while (count > 0 && !is_frame_shortened(writer, &frames[count - 1]))
		count--;
	return count > 0;
}

static void count_shortened(mprof_writer *writer, uint64_t thread, uint64_t base_counter, const mprof_event *samples,
			    size_t count)
{
	for (size_t i = 0; writer->lossy && i < count; i++) {
		if (is_shortened(writer, thread, base_counter, &samples[i]))
			losses_shorten_event(&writer->stats, MPROF_EVENT_SAMPLE);
	}
}

/* Writes samples that were checked. The caller has written the pending definitions. */
static mprof_status writer_put_statistical(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
					   const mprof_event *samples, size_t count)
{
	uint32_t modules_before = writer->modules_written;
	uint32_t functions_before = writer->functions_written;
	int had_placeholder_module = writer->has_placeholder_module;
	mprof_clock clock;
	mprof_status status;

	writer_read_clock(writer, &clock);
	statistical_encode_begin(&writer->statistical, &writer->encoding, &clock);
	if (put_hits(writer, samples, count)) {
		writer_read_clock(writer, &clock);
		statistical_encode_end(&writer->statistical, &clock);
		status = writer_put_block(writer);
	} else {
		status = writer_refuse(writer, MPROF_ERR_MEMORY, "out of memory for samples");
	}
	if (status != MPROF_OK) {
		writer->modules_written = modules_before;
		writer->functions_written = functions_before;
		writer->has_placeholder_module = had_placeholder_module;
		return status;
	}
	writer->stats.events += count;
	count_shortened(writer, thread, base_counter, samples, count);
	return MPROF_OK;
}

static mprof_status check_samples(mprof_writer *writer, const mprof_event *samples, size_t count)
{
	/* Stack ID 0 ends the list of a SAMPLES block, so every sample in it needs a call stack. */
	uint64_t lowest = writer_has_block(writer, MPROF_BLOCK_SAMPLES) && !writer->events.checker.defined.any ? 1 : 0;

	if (samples == NULL && count > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of samples is NULL");
	for (size_t i = 0; i < count; i++) {
		mprof_event_detail copy;

		if (samples[i].kind != MPROF_EVENT_SAMPLE)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "the kind of an event is not MPROF_EVENT_SAMPLE");
		if (event_detail_complete(&samples[i], &copy) == NULL)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "struct_size of a sample's detail is invalid");
		if (samples[i].value < lowest ||
		    (samples[i].value > writer->defined[MPROF_RECORD_STACK] && !writer->events.checker.defined.any))
			return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID,
					     "a sample refers to a call stack that is not defined");
	}
	return MPROF_OK;
}

/* Writes the block and counts its events. */
static mprof_status put_counted(mprof_writer *writer, size_t events)
{
	mprof_status status = writer_put_block(writer);

	if (status == MPROF_OK)
		writer->stats.events += events;
	return status;
}

static mprof_status put_samples_block(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				      const mprof_event *samples, size_t count)
{
	mprof_clock clock;
	size_t left_out;

	writer_read_clock(writer, &clock);
	left_out =
		block_encode_samples(&writer->block, &writer->encoding, &clock, thread, base_counter, samples, count);
	for (; left_out > 0; left_out--)
		losses_leave_out_event(&writer->stats, MPROF_EVENT_SAMPLE);
	return put_counted(writer, count);
}

mprof_status mprof_writer_write_samples(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
					const mprof_event *samples, size_t count)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (!writer_has_block(writer, MPROF_BLOCK_SAMPLES) && !writer->encoding.rules->has_sample_tokens)
		return writer_leave_out(writer, MPROF_BLOCK_SAMPLES, "the dialect has no SAMPLES block");
	status = check_samples(writer, samples, count);
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	if (writer->encoding.rules->has_sample_tokens)
		return writer_put_statistical(writer, thread, base_counter, samples, count);
	return put_samples_block(writer, thread, base_counter, samples, count);
}

static mprof_status check_typed(mprof_writer *writer, const mprof_event *events, size_t count)
{
	if (events == NULL && count > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of events is NULL");
	for (size_t i = 0; i < count; i++) {
		mprof_event_detail copy;
		const mprof_event_detail *detail;

		if (events[i].kind != MPROF_EVENT_TYPED)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "the kind of an event is not MPROF_EVENT_TYPED");
		detail = event_detail_complete(&events[i], &copy);
		if (detail == NULL || (detail->arguments == NULL && detail->argument_size > 0))
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the detail of an event is invalid");
		if (event_check_typed(&writer->events.checker, &events[i], detail) == MPROF_ERR_ARGUMENT)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "the arguments of an event are longer than 65,535 bytes");
		if (events[i].id == 0 ||
		    event_check_typed(&writer->events.checker, &events[i], detail) == MPROF_ERR_UNDEFINED_ID)
			return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID,
					     "the type of an event is not defined: write its TYPES block first");
	}
	return MPROF_OK;
}

static mprof_status put_typed_block(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				    const mprof_event *events, size_t count)
{
	uint64_t last_counter = base_counter;
	mprof_clock clock;

	writer_read_clock(writer, &clock);
	block_encode_typed_start(&writer->block, &writer->encoding, &clock, thread, base_counter);
	for (size_t i = 0; i < count; i++) {
		mprof_event_detail copy;

		typed_encode(&writer->block, &events[i], event_detail_complete(&events[i], &copy), &last_counter);
	}
	block_encode_typed_end(&writer->block, &clock);
	return put_counted(writer, count);
}

mprof_status mprof_writer_write_typed(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				      const mprof_event *events, size_t count)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status != MPROF_OK)
		return status;
	if (!writer_has_block(writer, MPROF_BLOCK_TYPED))
		return writer_leave_out(writer, MPROF_BLOCK_TYPED, "the dialect has no TYPED block");
	status = check_typed(writer, events, count);
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	return status == MPROF_OK ? put_typed_block(writer, thread, base_counter, events, count) : status;
}

static mprof_status check_hits(mprof_writer *writer, const uint32_t *methods, size_t method_count,
			       const uint32_t *functions, size_t function_count)
{
	if ((methods == NULL && method_count > 0) || (functions == NULL && function_count > 0))
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of samples is NULL");
	for (size_t i = 0; i < method_count; i++) {
		if (methods[i] == 0)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a sample has the method ID 0");
		if (!writer->events.checker.defined.any && !id_set_has(&writer->method_ids, methods[i]))
			return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID,
					     "a sample refers to a method that is not defined");
	}
	for (size_t i = 0; i < function_count; i++) {
		if (functions[i] == 0)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a sample has the function ID 0");
	}
	return MPROF_OK;
}

mprof_status mprof_writer_write_statistical(mprof_writer *writer, uint64_t start_counter, const uint32_t *methods,
					    size_t method_count, const uint32_t *functions, size_t function_count,
					    uint64_t end_counter)
{
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK)
		status = check_hits(writer, methods, method_count, functions, function_count);
	if (status == MPROF_OK && writer->encoding.rules->has_sample_tokens)
		return writer_leave_out(
			writer, MPROF_BLOCK_STATISTICAL,
			"the dialect has no lists of methods and functions: use mprof_writer_write_samples()");
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	block_encode_statistical(&writer->block, &writer->encoding, start_counter, methods, method_count, functions,
				 function_count, end_counter);
	return put_counted(writer, method_count + function_count);
}
