/* SPDX-License-Identifier: MIT */
/* Checks and writes samples. */
#include "format/event_detail.h"
#include "format/losses.h"
#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/statistical.h"
#include "writer/writer_internal.h"

static mprof_status check_samples(mprof_writer *writer, const mprof_event *samples, size_t count)
{
	/* Stack ID 0 ends the list of a SAMPLES block, so every sample in it needs a call stack. */
	uint64_t lowest = writer_has_block(writer, MPROF_BLOCK_SAMPLES) && !writer->events.defined.any ? 1 : 0;

	if (samples == NULL && count > 0)
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of samples is NULL");
	for (size_t i = 0; i < count; i++) {
		if (samples[i].kind != MPROF_EVENT_SAMPLE)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT,
					     "the kind of an event is not MPROF_EVENT_SAMPLE");
		if (!event_detail_is_valid(samples[i].more.detail))
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "struct_size of a sample's detail is invalid");
		if (samples[i].value < lowest ||
		    (samples[i].value > writer->defined[MPROF_RECORD_STACK] && !writer->events.defined.any))
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

static mprof_status check_hits(mprof_writer *writer, const uint32_t *methods, size_t method_count,
			       const uint32_t *functions, size_t function_count)
{
	if ((methods == NULL && method_count > 0) || (functions == NULL && function_count > 0))
		return writer_refuse(writer, MPROF_ERR_ARGUMENT, "the array of samples is NULL");
	for (size_t i = 0; i < method_count; i++) {
		if (methods[i] == 0)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "a sample has the method ID 0");
		if (!writer->events.defined.any && !id_set_has(&writer->method_ids, methods[i]))
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
