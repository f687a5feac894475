/* SPDX-License-Identifier: MIT */
#include "stream/writer_internal.h"

static mprof_status check_samples(mprof_writer *writer, const mprof_event *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (samples[i].kind != MPROF_EVENT_SAMPLE)
			return writer_refuse(writer, MPROF_ERR_ARGUMENT, "an event is no sample");
		if (samples[i].value == 0 || samples[i].value > writer->defined[MPROF_RECORD_STACK])
			return writer_refuse(writer, MPROF_ERR_UNDEFINED_ID, "a sample's stack is not defined");
	}
	return MPROF_OK;
}

mprof_status mprof_writer_samples(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				  const mprof_event *samples, size_t count)
{
	uint64_t last_counter = base_counter;
	mprof_clock clock;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && samples == NULL && count > 0)
		status = writer_refuse(writer, MPROF_ERR_ARGUMENT, "a list of samples is NULL");
	if (status != MPROF_OK)
		return status;
	if (!writer_has_block(writer, MPROF_BLOCK_SAMPLES))
		return writer_leave_out(writer, "the dialect has no SAMPLES block");
	status = check_samples(writer, samples, count);
	if (status == MPROF_OK)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK)
		return status;
	writer_read_clock(writer, &clock);
	block_encode_begin(&writer->block, &writer->encoding, MPROF_BLOCK_SAMPLES);
	encode_clock(&writer->block, &clock);
	encode_int(&writer->block, thread);
	encode_int(&writer->block, base_counter);
	for (size_t i = 0; i < count; i++) {
		encode_int(&writer->block, samples[i].value);
		encode_int(&writer->block, samples[i].counter - last_counter);
		last_counter = samples[i].counter;
	}
	encode_int(&writer->block, 0);
	encode_clock(&writer->block, &clock);
	return writer_put_block(writer);
}
