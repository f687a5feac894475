/* SPDX-License-Identifier: MIT */
/* Copies SAMPLES and STATISTICAL blocks. */
#include "convert/copy_samples.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"

#include "format/losses.h"

/*
 * A hit can stand for any number of samples, and the copy has one sample for each. Maximum number of samples added for
 * a whole log: more than any real program has, and few enough to be written in a short time.
 */
#define MAX_REPEATED_SAMPLES (UINT64_C(1) << 22)

/* The part of a block that is being copied. */
typedef struct sample_part {
	uint64_t thread;
	uint64_t base_counter;
	uint64_t end_counter;
	size_t count; /**< Number of events in converter::samples. */
} sample_part;

/* Whether the block consists of lists of methods and functions, as in mail logs. */
static int is_lists(const mprof_converter *converter, const mprof_block *block)
{
	mprof_session session = {.struct_size = sizeof(session)};

	/* The dialect assumed at the start may have been corrected since. */
	mprof_reader_get_session(converter->reader, &session);
	return block->kind == MPROF_BLOCK_STATISTICAL &&
	       !dialect_get((mprof_dialect)session.dialect)->has_sample_tokens;
}

/* Counts a sample whose location the copy cannot represent. */
static void leave_out_sample(mprof_converter *converter)
{
	losses_leave_out_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
}

/* Whether a sample of the copy can stand for several. */
static int has_weights(const mprof_converter *converter)
{
	return converter->target.rules->has_sample_counts;
}

/* Number of events in the copy for one that may stand for several samples. */
static uint64_t repetitions_of(mprof_converter *converter, const mprof_event *sample)
{
	uint64_t weight = sample->more.detail != NULL ? sample->more.detail->samples : 1;

	if (weight <= 1 || has_weights(converter))
		return 1;
	if (weight - 1 > MAX_REPEATED_SAMPLES - converter->repeated_samples) {
		weight = MAX_REPEATED_SAMPLES - converter->repeated_samples + 1;
		losses_shorten_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
	}
	converter->repeated_samples += weight - 1;
	return weight;
}

/* The location of a sample, as an entry of a list. */
typedef struct sample_entry {
	uint32_t id; /**< The method, or the ID of the native function in the log; 0 if not known. */
	int is_native;
	int is_all; /**< The entry contains all information of the sample. */
} sample_entry;

static sample_entry find_innermost_entry(const mprof_converter *converter, const mprof_event *sample)
{
	mprof_stack_frame frame = {0, 0, 0};
	sample_entry entry = {0, 0, 0};
	mprof_record location;
	uint32_t caller = 0;

	if (mprof_reader_lookup_caller(converter->reader, (uint32_t)sample->value, &frame, sizeof(frame), &caller) !=
	    MPROF_OK)
		return entry;
	if (!frame.is_native) {
		entry.id = frame.id;
		entry.is_all = caller == 0 && !frame.is_compiling;
		return entry;
	}
	/* A list contains the ID of the function, not the location. */
	entry.is_native = 1;
	if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_LOCATION, frame.id, &location,
				       sizeof(location)) == MPROF_OK)
		entry.id = location.as.location.function;
	return entry;
}

/* A hit in a list has only an ID. Samples have call stacks, and those of SAMPLES blocks also a thread and a time. */
static sample_entry entry_of_sample(const mprof_converter *converter, const mprof_block *block,
				    const mprof_event *sample)
{
	sample_entry entry = {sample->id, (sample->flags & MPROF_EVENT_FLAG_NATIVE) != 0, 1};

	if (is_lists(converter, block))
		return entry;
	entry = find_innermost_entry(converter, sample);
	if (block->kind == MPROF_BLOCK_SAMPLES &&
	    (block->thread != 0 || sample->counter != block->as.samples.base_counter))
		entry.is_all = 0;
	return entry;
}

static mprof_status write_hits(mprof_converter *converter, const sample_part *part, size_t hit_counts[2])
{
	mprof_status status =
		mprof_writer_write_statistical(converter->writer, part->base_counter, converter->hits[0], hit_counts[0],
					       converter->hits[1], hit_counts[1], part->end_counter);

	hit_counts[0] = 0;
	hit_counts[1] = 0;
	return status;
}

static mprof_status add_hits(mprof_converter *converter, const sample_part *part, size_t hit_counts[2],
			     const sample_entry *entry, uint64_t count)
{
	size_t *hit_count = &hit_counts[entry->is_native];
	mprof_status status = MPROF_OK;

	for (; count > 0 && status == MPROF_OK; count--) {
		if (*hit_count == CONVERTER_BATCH)
			status = write_hits(converter, part, hit_counts);
		converter->hits[entry->is_native][(*hit_count)++] = entry->id;
		if (!entry->is_all)
			losses_shorten_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
	}
	return status;
}

/* Writes samples as lists of the methods and functions that were hit. */
static mprof_status write_lists(mprof_converter *converter, const mprof_block *block, const sample_part *part,
				size_t count)
{
	size_t hit_counts[2] = {0, 0};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		const mprof_event *sample = &converter->events[i];
		const sample_entry entry = entry_of_sample(converter, block, sample);

		if (entry.id == 0)
			leave_out_sample(converter);
		else
			status = add_hits(converter, part, hit_counts, &entry, repetitions_of(converter, sample));
	}
	return status == MPROF_OK ? write_hits(converter, part, hit_counts) : status;
}

static mprof_status write_part(mprof_converter *converter, const mprof_block *block, sample_part *part)
{
	mprof_status status;

	converter_set_clock(converter, block);
	status = mprof_writer_write_samples(converter->writer, part->thread, part->base_counter, converter->samples,
					    part->count);
	if (part->count > 0)
		part->base_counter = converter->samples[part->count - 1].counter;
	part->count = 0;
	return status;
}

static void store_converted_sample(mprof_converter *converter, const mprof_block *block, sample_part *part,
				   const mprof_event *sample, uint32_t stack)
{
	mprof_event *added = &converter->samples[part->count];

	*added = *sample;
	added->value = stack;
	added->more.detail = NULL;
	if (has_weights(converter) && sample->more.detail != NULL) {
		converter->details[part->count] = *sample->more.detail;
		added->more.detail = &converter->details[part->count];
	}
	if (block->kind == MPROF_BLOCK_STATISTICAL)
		added->counter = part->base_counter;
	part->count++;
}

static mprof_status write_sample(mprof_converter *converter, const mprof_block *block, sample_part *part,
				 const mprof_event *sample)
{
	const uint32_t stack = id_translation_get(&converter->ids[MPROF_RECORD_STACK], (uint32_t)sample->value);
	mprof_status status = MPROF_OK;

	if (stack == 0)
		leave_out_sample(converter);
	for (uint64_t left = stack != 0 ? repetitions_of(converter, sample) : 0; left > 0 && status == MPROF_OK;
	     left--) {
		store_converted_sample(converter, block, part, sample, stack);
		if (part->count == CONVERTER_BATCH)
			status = write_part(converter, block, part);
	}
	return status;
}

static mprof_status write_stack_samples(mprof_converter *converter, const mprof_block *block, sample_part *part,
					size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_status status = write_sample(converter, block, part, &converter->events[i]);

		if (status != MPROF_OK)
			return status;
	}
	return MPROF_OK;
}

/* Hits of STATISTICAL blocks have no times, only a start and an end of the block. */
static sample_part begin_part(const mprof_block *block)
{
	sample_part part = {block->thread, 0, 0, 0};

	if (block->kind == MPROF_BLOCK_SAMPLES) {
		part.base_counter = block->as.samples.base_counter;
	} else {
		part.base_counter = block->has_clocks ? block->start.counter : block->as.statistical.start_counter;
		part.end_counter = block->as.statistical.end_counter;
	}
	if (block->has_clocks)
		part.end_counter = block->end.counter;
	return part;
}

/* Copies to lists of hits, as in mail logs. */
static mprof_status copy_to_lists(mprof_converter *converter, const mprof_block *block)
{
	const sample_part part = begin_part(block);
	mprof_status fetched;
	int is_first = 1;
	size_t count = 0;

	do {
		mprof_status status = MPROF_OK;

		if (is_lists(converter, block))
			fetched = reader_next_frames_of_samples(converter->reader, converter->events, CONVERTER_BATCH,
								&count);
		else
			fetched =
				mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count);
		resolution_convert_events(&converter->resolution, converter->events, count);
		if (count > 0 || is_first)
			status = write_lists(converter, block, &part, count);
		if (status != MPROF_OK)
			return status;
		is_first = 0;
	} while (fetched == MPROF_OK);
	return converter_read_failed(converter, fetched);
}

/* Copies to samples with call stacks. */
static mprof_status copy_to_samples(mprof_converter *converter, const mprof_block *block)
{
	sample_part part = begin_part(block);
	mprof_status fetched;
	mprof_status status;
	size_t count = 0;

	do {
		fetched = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count);
		resolution_convert_events(&converter->resolution, converter->events, count);
		status = copy_implied_definitions(converter);
		if (status == MPROF_OK)
			status = write_stack_samples(converter, block, &part, count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	status = write_part(converter, block, &part);
	return status == MPROF_OK ? converter_read_failed(converter, fetched) : status;
}

mprof_status copy_samples(mprof_converter *converter, const mprof_block *block)
{
	const dialect_rules *target = converter->target.rules;

	/* If the dialect has both lists and SAMPLES blocks, lists stay lists. */
	if (!target->has_sample_tokens &&
	    (!dialect_has_block(target, MPROF_BLOCK_SAMPLES) || is_lists(converter, block)))
		return copy_to_lists(converter, block);
	return copy_to_samples(converter, block);
}
