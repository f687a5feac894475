/* SPDX-License-Identifier: MIT */
/* SAMPLES and STATISTICAL blocks: where threads were. */
#include "convert/copy_samples.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"

#include "format/losses.h"

/*
 * A hit may stand for many samples in one number, of any size; the copy has one for each. So many of them in a log are
 * more than any program was ever sampled, and no more than can be written in a moment.
 */
#define MOST_REPEATED_SAMPLES (UINT64_C(1) << 22)

/* The part of a block that is being copied. */
typedef struct sample_part {
	uint64_t thread;
	uint64_t base_counter;
	uint64_t end_counter;
	size_t count; /**< Of converter::samples. */
} sample_part;

/* Whether the block is lists of methods and functions, as the mail has them. */
static int is_lists(const mprof_converter *converter, const mprof_block *block)
{
	mprof_session session = {.struct_size = sizeof(session)};

	/* The dialect that was assumed at the start may have been corrected since. */
	mprof_reader_get_session(converter->reader, &session);
	return block->kind == MPROF_BLOCK_STATISTICAL &&
	       !dialect_get((mprof_dialect)session.dialect)->has_sample_tokens;
}

/* A sample whose place the copy cannot say. */
static void leave_out_sample(mprof_converter *converter)
{
	losses_leave_out_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
}

/* Whether a sample of the copy may stand for many. */
static int has_weights(const mprof_converter *converter)
{
	return converter->target.rules->has_sample_counts;
}

/* How often the copy has an event that may stand for many. */
static uint64_t repetitions_of(mprof_converter *converter, const mprof_event *sample)
{
	uint64_t weight = sample->more.detail != NULL ? sample->more.detail->samples : 1;

	if (weight <= 1 || has_weights(converter))
		return 1;
	if (weight - 1 > MOST_REPEATED_SAMPLES - converter->repeated_samples) {
		weight = MOST_REPEATED_SAMPLES - converter->repeated_samples + 1;
		losses_shorten_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
	}
	converter->repeated_samples += weight - 1;
	return weight;
}

/* Where a sample was, in the terms of lists. */
typedef struct sample_place {
	uint32_t id; /**< The method, or the native function by its number in the log; 0 if none is known. */
	int is_native;
	int is_all; /**< The sample says nothing else. */
} sample_place;

static sample_place find_place(const mprof_converter *converter, const mprof_event *sample)
{
	mprof_stack_frame frame = {0, 0, 0};
	sample_place place = {0, 0, 0};
	mprof_record location;
	uint32_t caller = 0;

	if (mprof_reader_lookup_caller(converter->reader, (uint32_t)sample->value, &frame, sizeof(frame), &caller) !=
	    MPROF_OK)
		return place;
	if (!frame.is_native) {
		place.id = frame.id;
		place.is_all = caller == 0 && !frame.is_compiling;
		return place;
	}
	/* A function has a name too. */
	place.is_native = 1;
	if (mprof_reader_lookup_record(converter->reader, MPROF_RECORD_LOCATION, frame.id, &location,
				       sizeof(location)) == MPROF_OK)
		place.id = location.as.stack.target;
	return place;
}

/* Hits of lists have their numbers, samples call chains, and those of SAMPLES a thread and a time. */
static sample_place take_place(const mprof_converter *converter, const mprof_block *block, const mprof_event *sample)
{
	sample_place place = {sample->id, (sample->flags & MPROF_EVENT_FLAG_NATIVE) != 0, 1};

	if (is_lists(converter, block))
		return place;
	place = find_place(converter, sample);
	if (block->kind == MPROF_BLOCK_SAMPLES &&
	    (block->thread != 0 || sample->counter != block->as.samples.base_counter))
		place.is_all = 0;
	return place;
}

static mprof_status put_hits(mprof_converter *converter, const sample_part *part, size_t hit_counts[2])
{
	mprof_status status =
		mprof_writer_write_statistical(converter->writer, part->base_counter, converter->hits[0], hit_counts[0],
					       converter->hits[1], hit_counts[1], part->end_counter);

	hit_counts[0] = 0;
	hit_counts[1] = 0;
	return status;
}

static mprof_status add_hits(mprof_converter *converter, const sample_part *part, size_t hit_counts[2],
			     const sample_place *place, uint64_t count)
{
	size_t *hit_count = &hit_counts[place->is_native];
	mprof_status status = MPROF_OK;

	for (; count > 0 && status == MPROF_OK; count--) {
		if (*hit_count == CONVERTER_BATCH)
			status = put_hits(converter, part, hit_counts);
		converter->hits[place->is_native][(*hit_count)++] = place->id;
		if (!place->is_all)
			losses_shorten_event(writer_losses(converter->writer), MPROF_EVENT_SAMPLE);
	}
	return status;
}

/* As lists of the methods and functions that were hit. */
static mprof_status put_lists(mprof_converter *converter, const mprof_block *block, const sample_part *part,
			      size_t count)
{
	size_t hit_counts[2] = {0, 0};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		const mprof_event *sample = &converter->events[i];
		const sample_place place = take_place(converter, block, sample);

		if (place.id == 0)
			leave_out_sample(converter);
		else
			status = add_hits(converter, part, hit_counts, &place, repetitions_of(converter, sample));
	}
	return status == MPROF_OK ? put_hits(converter, part, hit_counts) : status;
}

static mprof_status put_part(mprof_converter *converter, const mprof_block *block, sample_part *part)
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

static void add_sample(mprof_converter *converter, const mprof_block *block, sample_part *part,
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

static mprof_status put_sample(mprof_converter *converter, const mprof_block *block, sample_part *part,
			       const mprof_event *sample)
{
	const uint32_t stack = id_translation_get(&converter->ids[MPROF_RECORD_STACK], (uint32_t)sample->value);
	mprof_status status = MPROF_OK;

	if (stack == 0)
		leave_out_sample(converter);
	for (uint64_t left = stack != 0 ? repetitions_of(converter, sample) : 0; left > 0 && status == MPROF_OK;
	     left--) {
		add_sample(converter, block, part, sample, stack);
		if (part->count == CONVERTER_BATCH)
			status = put_part(converter, block, part);
	}
	return status;
}

static mprof_status put_samples(mprof_converter *converter, const mprof_block *block, sample_part *part, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_status status = put_sample(converter, block, part, &converter->events[i]);

		if (status != MPROF_OK)
			return status;
	}
	return MPROF_OK;
}

/* Hits of STATISTICAL have no times: they are between those of the block. */
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

/* To the grammar of the mail. */
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
		if (count > 0 || is_first)
			status = put_lists(converter, block, &part, count);
		if (status != MPROF_OK)
			return status;
		is_first = 0;
	} while (fetched == MPROF_OK);
	return converter_read_failed(converter, fetched);
}

/* To samples with call chains. */
static mprof_status copy_to_samples(mprof_converter *converter, const mprof_block *block)
{
	sample_part part = begin_part(block);
	mprof_status fetched;
	mprof_status status;
	size_t count = 0;

	do {
		fetched = mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count);
		status = copy_implied_definitions(converter);
		if (status == MPROF_OK)
			status = put_samples(converter, block, &part, count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	status = put_part(converter, block, &part);
	return status == MPROF_OK ? converter_read_failed(converter, fetched) : status;
}

mprof_status copy_samples(mprof_converter *converter, const mprof_block *block)
{
	const dialect_rules *target = converter->target.rules;

	/* Where there are both lists and SAMPLES blocks, lists stay lists. */
	if (!target->has_sample_tokens &&
	    (!dialect_has_block(target, MPROF_BLOCK_SAMPLES) || is_lists(converter, block)))
		return copy_to_lists(converter, block);
	return copy_to_samples(converter, block);
}
