/* SPDX-License-Identifier: MIT */
/* Copies a log block by block into another dialect. Blocks with definitions or events are copied by other files. */
#include <mprof/convert.h>

#include "base/caller_structs.h"
#include "convert/converter.h"
#include "convert/converter_internal.h"
#include "convert/copy_definitions.h"
#include "convert/copy_events.h"
#include "convert/merge_blocks.h"
#include "format/blocks/block_encode.h"
#include "format/values/clock_conversion.h"
#include "format/values/losses.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Longer units are meaningless, and differences of the largest counters must not overflow. */
#define MAX_DIVISOR (INT64_C(1) << 32)

/* A unit that is longer than requested by less than this share is not longer: the frequency is measured. */
#define TOLERANCE 1e-4

/*
 * Chooses the unit: the longest multiple of the log's unit that is at most the requested number of nanoseconds long.
 * origin is the counter at the start of the log.
 */
static void resolution_choose(copy_resolution *resolution, uint64_t origin, uint64_t nanoseconds,
			      double counters_per_second)
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
	case MPROF_BLOCK_TYPED:
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

/* Converts the counters of a block, apart from the base counter of an EVENTS block. */
static void resolution_convert_block(const copy_resolution *resolution, mprof_block *block)
{
	if (!resolution_changes(resolution) || !block->loaded)
		return;
	convert_clock(resolution, &block->start);
	convert_clock(resolution, &block->end);
	convert_content(resolution, block);
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
static uint64_t wanted_directives(const log_declarations *source, int has_columns)
{
	uint64_t directives = source->directives | FREE_DIRECTIVES;

	if ((source->directives & STACK_DIRECTIVES) != 0)
		directives |= STACK_DIRECTIVES;
	/* Monitor events have stack sections too. Logs of Mono have them even if they are not declared. */
	if ((source->flags & MPROF_INTRO_FLAG_MONITOR) != 0)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	if (source->rules->counts_collections)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS);
	/* Only the blocks of columns of the copy have them. */
	directives &= ~MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_COLUMNS);
	if (has_columns && (source->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_EVENTS)) != 0)
		directives |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_TYPED_COLUMNS);
	return directives;
}

/* Returns the declarations for the copy of a log in a dialect. */
static log_declarations declarations_translate(const log_declarations *source, const dialect_rules *target,
					       int has_columns)
{
	log_declarations declarations = {target, wanted_directives(source, has_columns) & target->directives,
					 source->flags & target->intro_flags};

	/* If the dialect of the source has constant flags too, its own flags are right and are kept. */
	if (source->rules->constant_intro_flags == 0)
		declarations.flags |= target->constant_intro_flags;
	return declarations;
}

#define MAPPING_BATCH 64
#define PROPERTY_BATCH 64

#define NUMBER_SIZE 24

/* Longer descriptions of a counter are truncated. */
#define COUNTER_SIZE 256

#define RESOLUTION_KEY "resolution"
#define COUNTER_KEY "counter"

/* Defines a class in the copy. As in the reader, the first definition of an ID is kept. */
static mprof_status define_class(mprof_writer *writer, const mprof_mapping *mapping)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition),
		.id = mapping->id,
		.assembly_id = mapping->assembly_id,
		.name = mapping->name,
		.name_length = mapping->name_length,
		.size = mapping->size,
	};

	return writer_has_class(writer, mapping->id) ? MPROF_OK : mprof_writer_define_class(writer, &definition);
}

static mprof_status define_method(mprof_writer *writer, const mprof_mapping *mapping)
{
	const mprof_method_definition definition = {
		.struct_size = sizeof(mprof_method_definition),
		.id = mapping->id,
		.class_id = mapping->class_id,
		.flags = mapping->flags & BLOCK_METHOD_FLAGS,
		.name = mapping->name,
		.name_length = mapping->name_length,
		.source_file = mapping->source_file,
		.source_file_length = mapping->source_file_length,
		.source_line = mapping->source_line,
	};

	/* Flags of a later version. */
	if ((mapping->flags & ~BLOCK_METHOD_FLAGS) != 0)
		losses_shorten_block(writer_losses(writer), MPROF_BLOCK_MAPPING);
	return writer_has_method(writer, mapping->id) ? MPROF_OK : mprof_writer_define_method(writer, &definition);
}

static mprof_status define_mapping(mprof_converter *converter, const mprof_mapping *mapping)
{
	if (converter->merge != NULL)
		return mapping->is_method ? merge_define_method(converter, mapping)
					  : merge_define_class(converter, mapping);
	return mapping->is_method ? define_method(converter->writer, mapping)
				  : define_class(converter->writer, mapping);
}

static mprof_status copy_mapping(mprof_converter *converter, const mprof_block *block)
{
	mprof_mapping mappings[MAPPING_BATCH];
	mprof_status fetched;
	mprof_status status;
	size_t count = 0;

	(void)block;
	do {
		fetched = mprof_reader_next_mappings(converter->reader, mappings, sizeof(*mappings), MAPPING_BATCH,
						     &count);
		for (size_t i = 0; i < count; i++) {
			status = define_mapping(converter, &mappings[i]);
			if (status != MPROF_OK)
				return status;
		}
	} while (fetched == MPROF_OK);
	status = converter_read_failed(converter, fetched);
	/* The definitions are written now and not with the next block, because that block has clocks of its own. */
	return status == MPROF_OK ? writer_put_definitions(converter->writer) : status;
}

static mprof_status copy_loaded(mprof_converter *converter, const mprof_block *block)
{
	mprof_element element = {
		.struct_size = sizeof(mprof_element),
		.kind = block->as.element.kind,
		.id = block->as.element.id,
		.start_counter = block->as.element.start_counter,
		.end_counter = block->as.element.end_counter,
		.thread = block->thread,
		.name = block->as.element.name,
		.name_length = block->as.element.name_length,
		.assembly = block->as.element.assembly,
	};

	if (converter->merge != NULL && !merge_code_unit(converter, block, &element.id))
		return MPROF_ERR_MEMORY;
	return block->kind == MPROF_BLOCK_LOADED ? mprof_writer_write_loaded(converter->writer, &element)
						 : mprof_writer_write_unloaded(converter->writer, &element);
}

/*
 * Writes the property that states the unit of the copy before the first block that is not DIRECTIVES, unless the unit
 * is that of the log.
 */
static mprof_status state_resolution(mprof_converter *converter, const mprof_block *block)
{
	char value[NUMBER_SIZE];
	const mprof_property property = {RESOLUTION_KEY, value};

	if (converter->is_resolution_stated || !resolution_is_coarser(&converter->resolution) ||
	    block->kind == MPROF_BLOCK_DIRECTIVES)
		return MPROF_OK;
	converter->is_resolution_stated = 1;
	if (!writer_has_block(converter->writer, MPROF_BLOCK_SESSION))
		return MPROF_OK;
	snprintf(value, sizeof(value), "%" PRIu64, converter->resolution.nanoseconds);
	converter_set_clock(converter, block);
	return mprof_writer_write_session(converter->writer, &property, sizeof(property), 1);
}

/*
 * Fetches the next property that is copied. The resolution of the log is not that of the copy, and the copy's counter
 * is that of the log in another unit, which \p counter describes, and whose frequency \p rate has.
 */
static mprof_status next_property(mprof_converter *converter, mprof_property *property, char *counter, char *rate)
{
	mprof_status status;
	double frequency;

	do {
		status = mprof_reader_next_property(converter->reader, &property->key, &property->value);
		if (status != MPROF_OK || !resolution_is_coarser(&converter->resolution))
			return status;
	} while (strcmp(property->key, RESOLUTION_KEY) == 0);
	if (strcmp(property->key, COUNTER_KEY) == 0) {
		snprintf(counter, COUNTER_SIZE, "%s, divided by %" PRId64, property->value,
			 converter->resolution.divisor);
		property->value = counter;
	}
	if (strcmp(property->key, RATE_KEY) == 0 && rate_text_parse(property->value, &frequency)) {
		rate_text_format(frequency / (double)converter->resolution.divisor, rate, RATE_TEXT_SIZE);
		property->value = rate;
	}
	return MPROF_OK;
}

static mprof_status copy_session(mprof_converter *converter, const mprof_block *block)
{
	mprof_property properties[PROPERTY_BATCH];
	char counter[COUNTER_SIZE];
	char rate[RATE_TEXT_SIZE];
	mprof_status fetched;

	do {
		size_t count = 0;
		mprof_status status;

		while (count < PROPERTY_BATCH &&
		       (fetched = next_property(converter, &properties[count], counter, rate)) == MPROF_OK)
			count++;
		/* A longer list continues in another block; readers combine the two. */
		converter_set_clock(converter, block);
		status = mprof_writer_write_session(converter->writer, properties, sizeof(*properties), count);
		if (status != MPROF_OK)
			return status;
	} while (fetched == MPROF_OK);
	return converter_read_failed(converter, fetched);
}

static mprof_status copy_thread(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_thread_name(converter->writer, block->thread, block->as.thread_name.name,
					      block->as.thread_name.name_length);
}

static mprof_status copy_lost(mprof_converter *converter, const mprof_block *block)
{
	/* The causes that are unknown to the reader cannot be copied. */
	if (block->as.lost.counts[0] > 0)
		losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_LOST);
	return mprof_writer_write_losses(converter->writer, block->thread, block->as.lost.counts, block->as.lost.count);
}

static mprof_status copy_mark(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_mark(converter->writer, block->thread, block->as.mark.counter, block->as.mark.text,
				       block->as.mark.text_length);
}

/* IDs and counters in the data would be those of the log that is copied. */
static mprof_status copy_application(mprof_converter *converter, const mprof_block *block)
{
	const mprof_application_block *application = &block->as.application;

	if ((application->flags & MPROF_APPLICATION_FLAG_SELF_CONTAINED) == 0)
		return writer_leave_out(converter->writer, MPROF_BLOCK_APPLICATION,
					"the data of an application refers to the log that is copied");
	if ((application->flags & ~BLOCK_APPLICATION_FLAGS) != 0)
		losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_APPLICATION);
	return mprof_writer_write_application(converter->writer, application->name, application->name_length,
					      application->kind, application->flags & BLOCK_APPLICATION_FLAGS,
					      application->bytes, application->size);
}

/*
 * Every object in a heap record has a class, but the oldest snapshots have objects without one. They get a class with
 * an ID that no real log reaches.
 */
#define UNKNOWN_CLASS UINT32_MAX
#define UNKNOWN_CLASS_NAME "(unknown)"

#define SNAPSHOT_FLAGS (MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST)

static mprof_status define_unknown_class(mprof_writer *writer)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition),
		.id = UNKNOWN_CLASS,
		.name = UNKNOWN_CLASS_NAME,
		.name_length = sizeof(UNKNOWN_CLASS_NAME) - 1,
	};

	return writer_has_class(writer, UNKNOWN_CLASS) ? MPROF_OK : mprof_writer_define_class(writer, &definition);
}

static int has_class(const mprof_event *event)
{
	return event->kind == MPROF_EVENT_HEAP_OBJECT || event->kind == MPROF_EVENT_HEAP_FREE;
}

/* Translates a batch to the copy. */
static mprof_status translate_objects(mprof_converter *converter, size_t count)
{
	const id_translation *roots = &converter->ids[MPROF_RECORD_ROOT];
	const int needs_classes = converter->target.rules->has_heap_records;
	mprof_status status = MPROF_OK;

	if (converter->merge != NULL && !merge_translate_events(converter, count))
		return MPROF_ERR_MEMORY;
	for (size_t i = 0; i < count && status == MPROF_OK; i++) {
		mprof_event *event = &converter->events[i];

		if (event->kind == MPROF_EVENT_HEAP_ROOT)
			event->id = id_translation_get(roots, event->id);
		if (needs_classes && event->id == 0 && has_class(event)) {
			event->id = UNKNOWN_CLASS;
			status = define_unknown_class(converter->writer);
		}
	}
	return status;
}

/*
 * In dialects in which a snapshot is one block, its number is that of the collection, which may be missing or used
 * before. In that case the snapshot gets the next number, so that all snapshots have different numbers.
 */
static uint32_t snapshot_number(mprof_converter *converter, const mprof_block *block)
{
	if (converter->source.rules->has_heap_records || !converter->target.rules->has_heap_records)
		return block->as.heap_data.number;
	if ((block->as.heap_data.flags & SNAPSHOT_FLAGS) == 0)
		return 0;
	if (block->as.heap_data.number > converter->last_snapshot)
		converter->last_snapshot = block->as.heap_data.number;
	else if (converter->last_snapshot < UINT32_MAX)
		converter->last_snapshot++;
	return converter->last_snapshot;
}

/*
 * The flags of the block in the copy. In dialects in which a snapshot is one block, a truncated block is the last one
 * of its snapshot.
 */
static uint32_t flags_of_block(const mprof_converter *converter, const mprof_block *block, int is_cut)
{
	uint32_t flags = block->as.heap_data.flags;

	if (is_cut && !converter->source.rules->has_heap_records && (flags & SNAPSHOT_FLAGS) != 0)
		flags |= MPROF_HEAP_FLAG_LAST;
	return is_cut ? flags | MPROF_HEAP_FLAG_INCOMPLETE : flags;
}

/*
 * The flags of a part of the block: only the first part can be the first of the snapshot, and only the last part the
 * last.
 */
static uint32_t flags_of_part(uint32_t flags, int is_first, int is_last)
{
	if (!is_first)
		flags &= ~(uint32_t)MPROF_HEAP_FLAG_FIRST;
	if (!is_last)
		flags &= ~(uint32_t)(MPROF_HEAP_FLAG_LAST | MPROF_HEAP_FLAG_INCOMPLETE);
	return flags;
}

/* A block that the dialect does not have is counted as left out once, however many parts it would have. */
static mprof_status leave_out_heap_block(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_heap(converter->writer, block->as.heap_data.number, block->as.heap_data.flags,
				       block->as.heap_data.counter, NULL, 0);
}

static mprof_status copy_parts(mprof_converter *converter, const mprof_block *block)
{
	const uint32_t snapshot = snapshot_number(converter, block);
	mprof_status fault;
	uint64_t remaining;
	mprof_status status = converter_scan_definitions(converter, &remaining, &fault);
	const uint32_t flags = flags_of_block(converter, block, fault != MPROF_END);
	int is_first = 1;
	size_t count = 0;

	converter_set_snapshot_clock(converter, block);
	if (converter->merge == NULL)
		writer_set_heap_process(converter->writer, block->as.heap_data.process);
	while (status == MPROF_OK && (remaining > 0 || is_first)) {
		if (remaining > 0 &&
		    mprof_reader_next_events(converter->reader, converter->events, CONVERTER_BATCH, &count) != MPROF_OK)
			count = 0;
		remaining = count > 0 ? remaining - count : 0;
		status = translate_objects(converter, count);
		if (status == MPROF_OK)
			status = mprof_writer_write_heap(converter->writer, snapshot,
							 flags_of_part(flags, is_first, remaining == 0),
							 block->as.heap_data.counter, converter->events, count);
		is_first = 0;
	}
	return status == MPROF_OK ? converter_read_failed(converter, fault) : status;
}

static mprof_status copy_heap(mprof_converter *converter, const mprof_block *block)
{
	return writer_has_block(converter->writer, MPROF_BLOCK_HEAP_DATA) ? copy_parts(converter, block)
									  : leave_out_heap_block(converter, block);
}

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
	mprof_stack_frame frame = {.id = 0};
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
	for (uint64_t remaining = stack != 0 ? repetitions_of(converter, sample) : 0;
	     remaining > 0 && status == MPROF_OK; remaining--) {
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

static mprof_status copy_samples(mprof_converter *converter, const mprof_block *block)
{
	const dialect_rules *target = converter->target.rules;

	/* If the dialect has both lists and SAMPLES blocks, lists stay lists. */
	if (!target->has_sample_tokens &&
	    (!dialect_has_block(target, MPROF_BLOCK_SAMPLES) || is_lists(converter, block)))
		return copy_to_lists(converter, block);
	return copy_to_samples(converter, block);
}

static void read_ahead(mprof_converter *converter)
{
	mprof_block *block = &converter->pending;

	do {
		memset(block, 0, sizeof(*block));
		mprof_block_init(block, sizeof(*block));
		converter->pending_status = mprof_reader_next_block(converter->reader, block);
	} while (converter->pending_status == MPROF_OK && block->kind == MPROF_BLOCK_INTRO);
	converter->has_pending =
		converter->pending_status != MPROF_AGAIN && converter->pending_status != MPROF_ERR_INTERRUPTED;
}

/* Reads what the log declares in INTRO and in a DIRECTIVES block directly after it. */
static void read_declarations(mprof_converter *converter)
{
	const mprof_block *block = &converter->pending;
	mprof_session session = {.struct_size = sizeof(session)};

	mprof_reader_get_session(converter->reader, &session);
	converter->source.rules = dialect_get((mprof_dialect)session.dialect);
	converter->source.flags = session.flags;
	converter_set_clocks(converter, &session.start, &session.start);
	if (converter->has_pending && block->loaded && block->kind == MPROF_BLOCK_DIRECTIVES) {
		converter->source.directives = block->as.directives.declared.bits[0];
		converter_set_clocks(converter, &session.start, &block->start);
	}
}

/* Chooses how events are translated, by the declarations of the log and the copy. */
static void choose_translation(mprof_converter *converter)
{
	const int source_has = dialect_has_directive(converter->source.rules, MPROF_DIRECTIVE_IMPLICIT_LEAVE);
	const int target_has =
		(converter->target.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE)) != 0;

	converter->resolves_leaves = source_has && !target_has;
	converter->shortens_leaves = !source_has && target_has;
}

static void prepare_writer_options(mprof_converter *converter)
{
	mprof_writer_options *options = &converter->writer_options;
	const log_declarations *target = &converter->target;

	converter->target = declarations_translate(&converter->source, dialect_get((mprof_dialect)options->dialect),
						   options->has_columns != 0);
	choose_translation(converter);
	options->intro_flags = target->flags;
	options->directives = (mprof_number_set){{target->directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE)}};
	options->runtime = reader_runtime(converter->reader);
	options->clock = converter_read_clock;
	options->clock_user = converter;
	options->allow_undefined_ids = 1;
	/* The writer is always lossy, so that it counts what the copy cannot represent. */
	converter->is_strict = !options->lossy;
	/* The copy states what the SESSION blocks of the log state. */
	options->counters_per_second = 0;
	converter->merges_events = options->has_columns != 0;
	options->lossy = 1;
}

const mprof_block *converter_peek(mprof_converter *converter)
{
	if (!converter->has_pending && !converter->is_over)
		read_ahead(converter);
	return converter->has_pending ? &converter->pending : NULL;
}

void converter_merge(mprof_converter *converter, struct merge_input *input, mprof_writer *writer,
		     const copy_resolution *resolution)
{
	converter->merge = input;
	converter->writer = writer;
	if (!resolution->is_scaled)
		return;
	converter->resolution = *resolution;
	for (size_t i = 0; i < converter->clock_count; i++)
		convert_clock(&converter->resolution, &converter->clocks[i]);
}

static void choose_resolution(mprof_converter *converter, const mprof_converter_options *options)
{
	if (options->resolution_ns == 0)
		return;
	resolution_choose(&converter->resolution, converter->clocks[0].counter, options->resolution_ns,
			  options->counters_per_second);
	for (size_t i = 0; i < converter->clock_count; i++)
		converter->clocks[i].counter = resolution_counter(&converter->resolution, converter->clocks[i].counter);
}

/* Reads the options of the caller, who may have been compiled with other versions of the structs. */
static mprof_status read_options(const mprof_converter_options *input, mprof_converter_options *options,
				 mprof_writer_options *writer)
{
	if (struct_copy_in(options, input, sizeof(*options)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	mprof_writer_options_init(writer, sizeof(*writer));
	if (options->writer != NULL && struct_copy_in(writer, options->writer, sizeof(*writer)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	/* The comparison with 0 is also false for NaN. */
	if (options->resolution_ns != 0 &&
	    (!(options->counters_per_second > 0) || options->counters_per_second > DBL_MAX))
		return MPROF_ERR_ARGUMENT;
	return dialect_get((mprof_dialect)writer->dialect) != NULL ? MPROF_OK : MPROF_ERR_ARGUMENT;
}

void mprof_converter_options_init(mprof_converter_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

static mprof_converter *allocate_converter(mprof_reader *reader, const mprof_writer_options *writer,
					   const mprof_allocator *allocator)
{
	mprof_converter *created = allocator_allocate_zeroed(allocator, sizeof(*created));

	if (created == NULL)
		return NULL;
	created->allocator = *allocator;
	created->reader = reader;
	created->faults.reader = reader;
	created->writer_options = *writer;
	created->resolution.divisor = 1;
	encode_buffer_init(&created->arguments, allocator, SIZE_MAX);
	thread_map_init(&created->thread_positions, allocator);
	stack_table_init(&created->stacks, allocator, sizeof(switched_calls));
	for (size_t kind = 0; kind < RECORD_KIND_COUNT; kind++) {
		id_map_init(&created->ids[kind].moved, allocator);
		created->implied_ids[kind] = reader_last_own_id(reader, kind);
	}
	return created;
}

mprof_status mprof_converter_create(mprof_reader *reader, const mprof_converter_options *options,
				    mprof_converter **converter)
{
	mprof_converter_options copy;
	mprof_writer_options writer;
	mprof_allocator allocator;
	mprof_converter *created;

	if (converter == NULL)
		return MPROF_ERR_ARGUMENT;
	*converter = NULL;
	if (reader == NULL || read_options(options, &copy, &writer) != MPROF_OK ||
	    !allocator_init(&allocator, writer.allocator))
		return MPROF_ERR_ARGUMENT;
	if (!reader_is_after_intro(reader))
		return MPROF_ERR_STATE;
	created = allocate_converter(reader, &writer, &allocator);
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	read_ahead(created);
	if (created->pending_status == MPROF_ERR_MEMORY) {
		mprof_converter_destroy(created);
		return MPROF_ERR_MEMORY;
	}
	/* If INTRO is missing, the next block provides the time when the log began. */
	if (!reader_has_clock(reader)) {
		mprof_converter_destroy(created);
		return MPROF_ERR_STATE;
	}
	read_declarations(created);
	prepare_writer_options(created);
	choose_resolution(created, &copy);
	created->at_end = copy.at_end;
	created->at_end_user = copy.user;
	*converter = created;
	return MPROF_OK;
}

mprof_status mprof_converter_get_writer_options(const mprof_converter *converter, mprof_writer_options *options)
{
	if (converter == NULL || options == NULL ||
	    options->struct_size < SIZE_UP_TO(mprof_writer_options, codec_level))
		return MPROF_ERR_ARGUMENT;
	return struct_copy_out(options, &converter->writer_options, sizeof(converter->writer_options));
}

void mprof_converter_destroy(mprof_converter *converter)
{
	mprof_allocator allocator;

	if (converter == NULL)
		return;
	allocator = converter->allocator;
	for (size_t i = 0; i < converter->thread_count; i++)
		call_frames_release(&converter->threads[i].own_calls, &allocator, sizeof(uint32_t));
	allocator_release(&allocator, converter->threads, converter->thread_capacity * sizeof(*converter->threads));
	allocator_release(&allocator, converter->records, converter->record_capacity * sizeof(*converter->records));
	thread_map_destroy(&converter->thread_positions);
	switches_release(converter);
	encode_buffer_destroy(&converter->arguments);
	for (size_t kind = 0; kind < RECORD_KIND_COUNT; kind++)
		id_map_destroy(&converter->ids[kind].moved);
	allocator_release(&allocator, converter, sizeof(*converter));
}

/*
 * Handles a block that is not loaded. Only a block with an unknown code is counted as left out; for others, the error
 * was reported before.
 */
static mprof_status leave_out_if_unknown(mprof_converter *converter, const mprof_block *block)
{
	if (block->kind != MPROF_BLOCK_UNKNOWN)
		return MPROF_OK;
	return writer_leave_out(converter->writer, MPROF_BLOCK_UNKNOWN,
				"the log has a block of unknown kind, which cannot be copied");
}

/* Directives declared in the middle of the log apply from there on in the copy too. */
static mprof_status copy_directives(mprof_converter *converter, const mprof_block *block)
{
	converter->source.directives |= block->as.directives.declared.bits[0];
	converter->target = declarations_translate(&converter->source, converter->target.rules,
						   converter->writer_options.has_columns != 0);
	choose_translation(converter);
	return writer_declare_more(converter->writer, converter->target.directives);
}

static mprof_status copy_block(mprof_converter *converter, const mprof_block *block)
{
	mprof_status status;

	if (!block->loaded)
		return leave_out_if_unknown(converter, block);
	status = state_resolution(converter, block);
	if (status != MPROF_OK)
		return status;
	if (block->kind == MPROF_BLOCK_EVENTS)
		return copy_events(converter, block);
	/* The blocks of the copy are elsewhere; its writer makes an index of its own. */
	if (block->kind == MPROF_BLOCK_INDEX)
		return MPROF_OK;
	status = copy_events_end(converter);
	if (status != MPROF_OK)
		return status;
	converter_set_clock(converter, block);
	switch (block->kind) {
	case MPROF_BLOCK_MAPPING:
		return copy_mapping(converter, block);
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		return copy_loaded(converter, block);
	case MPROF_BLOCK_STATISTICAL:
	case MPROF_BLOCK_SAMPLES:
		return copy_samples(converter, block);
	case MPROF_BLOCK_TYPED:
		return copy_typed(converter, block);
	case MPROF_BLOCK_HEAP_DATA:
		return copy_heap(converter, block);
	case MPROF_BLOCK_SESSION:
		return converter->merge != NULL ? merge_session_copy(converter, block) : copy_session(converter, block);
	case MPROF_BLOCK_THREAD:
		return copy_thread(converter, block);
	case MPROF_BLOCK_LOST:
		return copy_lost(converter, block);
	case MPROF_BLOCK_MARK:
		return copy_mark(converter, block);
	case MPROF_BLOCK_APPLICATION:
		return copy_application(converter, block);
	case MPROF_BLOCK_WATERMARK:
		/* That of merged logs concerns all of them. */
		if (converter->merge != NULL)
			return MPROF_OK;
		return mprof_writer_write_watermark(converter->writer, block->as.watermark.counter);
	case MPROF_BLOCK_DIRECTIVES:
		return copy_directives(converter, block);
	case MPROF_BLOCK_END:
		converter->is_closed = 1;
		return MPROF_OK;
	default:
		/* The writer has written INTRO itself. */
		return block_has_records(block->kind) ? copy_records(converter, block) : MPROF_OK;
	}
}

/*
 * Whether a part of a block can be copied despite an error. Of a list that is truncated or damaged, that is the part
 * before the error; fetching the rest fails with the same status as loading. Of a block that redefines IDs, all but the
 * second definitions are copied.
 */
static int is_loaded_in_part(const mprof_block *block, mprof_status status)
{
	return fault_is_at_end(status, block) || (block->loaded && status == MPROF_ERR_REDEFINED_ID);
}

static mprof_status next_block(mprof_converter *converter, mprof_block *block)
{
	mprof_status status = converter->pending_status;

	if (converter->has_pending) {
		converter->has_pending = 0;
		*block = converter->pending;
	} else {
		memset(block, 0, sizeof(*block));
		mprof_block_init(block, sizeof(*block));
		status = mprof_reader_next_block(converter->reader, block);
	}
	resolution_convert_block(&converter->resolution, block);
	return status;
}

static mprof_status check_strictly(mprof_converter *converter)
{
	if (!converter->is_strict || writer_losses(converter->writer)->left_out == 0)
		return MPROF_OK;
	return writer_refuse(converter->writer, MPROF_ERR_UNSUPPORTED,
			     "the dialect cannot represent all of the block: set lossy to leave the rest out");
}

mprof_status converter_copy_next(mprof_converter *converter)
{
	mprof_block block;
	mprof_status status = next_block(converter, &block);
	mprof_status fault;

	if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
		return status;
	if (status == MPROF_END) {
		fault_report_end(&converter->faults);
		converter->is_over = 1;
		return MPROF_OK;
	}
	/* Fetching from a truncated list fails with the same status as loading it, and reports the error then. */
	fault = status;
	status = fault == MPROF_OK || fault_is_at_end(fault, &block) ? MPROF_OK
								     : converter_read_failed(converter, fault);
	if (status == MPROF_OK && fault != MPROF_OK && !is_loaded_in_part(&block, fault))
		return MPROF_OK;
	if (status == MPROF_OK && converter->merge != NULL)
		status = merge_begin_block(converter, &block);
	if (status == MPROF_OK)
		status = copy_block(converter, &block);
	return status == MPROF_OK ? check_strictly(converter) : status;
}

static mprof_status copy_blocks(mprof_converter *converter)
{
	mprof_status status = MPROF_OK;

	/* What ended the log is not reported again if the call is repeated. */
	while (!converter->is_over && status == MPROF_OK)
		status = converter_copy_next(converter);
	return status;
}

/* The copy of a truncated log contains the readable part of a heap snapshot, and no END block. */
static mprof_status end_copy(mprof_converter *converter)
{
	mprof_status status = copy_events_end(converter);

	if (status != MPROF_OK)
		return status;
	if (converter->is_closed) {
		if (converter->at_end != NULL)
			status = converter->at_end(converter->at_end_user, converter->writer);
		converter->at_end = NULL;
		return status == MPROF_OK ? mprof_writer_close(converter->writer) : status;
	}
	status = writer_end_snapshot(converter->writer);
	return status == MPROF_OK ? mprof_writer_flush(converter->writer) : status;
}

mprof_status mprof_converter_run(mprof_converter *converter, mprof_writer *writer, mprof_damage_function damage,
				 void *user)
{
	mprof_status status;

	if (converter == NULL || writer == NULL)
		return MPROF_ERR_ARGUMENT;
	if (converter->failure != MPROF_OK)
		return converter->failure;
	converter->writer = writer;
	converter->faults.damage = damage;
	converter->faults.user = user;
	status = copy_blocks(converter);
	if (status == MPROF_OK)
		status = end_copy(converter);
	if (status != MPROF_OK && status != MPROF_AGAIN && status != MPROF_ERR_INTERRUPTED)
		converter->failure = status;
	return status != MPROF_OK ? status : converter->faults.first;
}

int mprof_converter_has_failed(const mprof_converter *converter)
{
	return converter != NULL && converter->failure != MPROF_OK;
}
