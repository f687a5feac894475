/* SPDX-License-Identifier: MIT */
/* Translates blocks of a log that is merged with others, and its classes, methods and code units. */
#include "convert/merge_blocks.h"

#include "convert/copy_definitions.h"
#include "convert/copy_events.h"
#include "convert/merge_input.h"
#include "format/blocks/block_encode.h"
#include "format/values/clock_conversion.h"
#include "format/values/losses.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What the sessions of merged logs state: properties of each process, and those of the merged log.
 */

/* Keys of properties are that of the process, a slash and the key. Longer keys are those of no writer. */
#define KEY_SIZE 128
#define NUMBER_SIZE 24

/* Properties whose values in the merged log are the sums of those of the logs. */
static const char *const sum_keys[MERGE_SUMS] = {
	"sample_time_ns",          "sample_hits",          "sample_hit_ns",
	"sample_short_ns",         "sample_blocked_ns",    "sample_discarded",
	"sample_stacks_walked",    "sample_stacks_copied", "sample_copied_bytes",
	"sample_stacks_truncated", "unrecorded_children",
};

#define SAMPLE_PERIOD_KEY "sample_period_ns"
#define ALLOC_SAMPLE_BYTES_KEY "alloc_sample_bytes"

/* Properties that concern heap snapshots or threads of one process only, and mean nothing for all of them. */
static const char *const own_keys[] = {"snapshots_before_shutdown", "running_threads_at_end", "filters_changed"};

static mprof_status write_property(mprof_converter *converter, const char *key, const char *value)
{
	const mprof_property property = {key, value};

	return mprof_writer_write_session(converter->writer, &property, sizeof(property), 1);
}

static mprof_status write_number(mprof_converter *converter, const char *key, uint64_t number)
{
	char text[NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	return write_property(converter, key, text);
}

/* A decimal number; 0 for another text. */
static uint64_t parse_number(const char *text)
{
	char *end;
	const uint64_t number = strtoull(text, &end, 10);

	return *text >= '0' && *text <= '9' && *end == '\0' ? number : 0;
}

mprof_status merge_session_state(mprof_converter *converter, const char *key, const char *value)
{
	char own_key[KEY_SIZE];

	if (strlen(key) + NUMBER_SIZE > sizeof(own_key))
		return MPROF_OK;
	snprintf(own_key, sizeof(own_key), "%" PRIu64 "/%s", converter->merge->process, key);
	return write_property(converter, own_key, value);
}

/* The rate that was measured over the longest time counts. */
static mprof_status state_rate(mprof_converter *converter, const mprof_block *block, const char *value)
{
	merge_input *input = converter->merge;
	const uint64_t span = block->start.counter - input->start + 1;
	double rate;

	if (!rate_text_parse(value, &rate) || converter->resolution.is_scaled ||
	    span <= input->shared->stated.rate_span)
		return MPROF_OK;
	input->shared->stated.rate_span = span;
	return write_property(converter, RATE_KEY, value);
}

static mprof_status state_sum(mprof_converter *converter, size_t index, const char *value)
{
	merge_input *input = converter->merge;
	uint64_t *sum = &input->shared->stated.sums[index];
	const uint64_t number = parse_number(value);

	*sum += number - input->stated.sums[index];
	input->stated.sums[index] = number;
	return write_number(converter, sum_keys[index], *sum);
}

static int find_key(const char *const *keys, size_t count, const char *key, size_t *index)
{
	for (*index = 0; *index < count; ++*index) {
		if (strcmp(keys[*index], key) == 0)
			return 1;
	}
	return 0;
}

/* Copies what a property means for all of the merged log. Other properties of the log are those of the first log. */
static mprof_status copy_for_all(mprof_converter *converter, const mprof_block *block, const mprof_property *property)
{
	merge_input *input = converter->merge;
	size_t index;

	if (strcmp(property->key, RATE_KEY) == 0)
		return state_rate(converter, block, property->value);
	if (strcmp(property->key, SAMPLE_PERIOD_KEY) == 0) {
		input->stated.sample_period = parse_number(property->value);
		return MPROF_OK;
	}
	if (strcmp(property->key, ALLOC_SAMPLE_BYTES_KEY) == 0) {
		input->stated.alloc_sample_bytes = parse_number(property->value);
		return MPROF_OK;
	}
	if (find_key(sum_keys, MERGE_SUMS, property->key, &index))
		return state_sum(converter, index, property->value);
	for (index = 0; index < MERGE_DIFFERING; index++) {
		const char *differing = input->shared->differing[index];

		if (differing != NULL && strcmp(differing, property->key) == 0)
			return MPROF_OK;
	}
	if (input->index > 0 || find_key(own_keys, sizeof(own_keys) / sizeof(own_keys[0]), property->key, &index))
		return MPROF_OK;
	return write_property(converter, property->key, property->value);
}

mprof_status merge_session_copy(mprof_converter *converter, const mprof_block *block)
{
	mprof_status fetched;
	mprof_property property;

	converter_set_clock(converter, block);
	while ((fetched = mprof_reader_next_property(converter->reader, &property.key, &property.value)) == MPROF_OK) {
		mprof_status status = merge_session_state(converter, property.key, property.value);

		if (status == MPROF_OK)
			status = copy_for_all(converter, block, &property);
		if (status != MPROF_OK)
			return status;
	}
	return converter_read_failed(converter, fetched);
}

static mprof_status state_again(mprof_converter *converter, const mprof_block *block, const char *key, uint64_t value,
				uint64_t *stated)
{
	mprof_status status;

	if (value == *stated)
		return MPROF_OK;
	status = copy_events_end(converter);
	if (status != MPROF_OK)
		return status;
	*stated = value;
	converter_set_clock(converter, block);
	return write_number(converter, key, value);
}

/* States what applies to the samples or allocations of a block, if the last block of this kind had another value. */
static mprof_status merge_session_before(mprof_converter *converter, const mprof_block *block)
{
	const merge_properties *input = &converter->merge->stated;
	merge_properties *stated = &converter->merge->shared->stated;

	if (block->kind == MPROF_BLOCK_EVENTS)
		return state_again(converter, block, ALLOC_SAMPLE_BYTES_KEY, input->alloc_sample_bytes,
				   &stated->alloc_sample_bytes);
	if (block->kind == MPROF_BLOCK_SAMPLES && input->sample_period != 0)
		return state_again(converter, block, SAMPLE_PERIOD_KEY, input->sample_period, &stated->sample_period);
	return MPROF_OK;
}

/*
 * Blocks.
 */

/* Threads that are described in one block. */
#define DESCRIBED_BATCH 64

/* Describes the threads that are not described yet. */
static mprof_status merge_describe_threads(mprof_converter *converter, const mprof_block *block)
{
	merge_input *input = converter->merge;
	mprof_record records[DESCRIBED_BATCH];
	mprof_status status = input->new_thread_count > 0 ? copy_events_end(converter) : MPROF_OK;
	size_t done = 0;

	while (status == MPROF_OK && done < input->new_thread_count) {
		size_t count = 0;

		memset(records, 0, sizeof(records));
		for (; count < DESCRIBED_BATCH && done < input->new_thread_count; count++) {
			mprof_timeline_record *timeline = &records[count].as.timeline;

			records[count].kind = MPROF_RECORD_TIMELINE;
			records[count].id = ++input->shared->defined[MPROF_RECORD_TIMELINE];
			timeline->thread = input->new_threads[done++];
			timeline->process = input->process;
			timeline->kind = timeline->thread == input->process_thread ? MPROF_TIMELINE_PROCESS
										   : MPROF_TIMELINE_THREAD;
			timeline->name = "";
		}
		converter_set_clock(converter, block);
		status = mprof_writer_write_records(converter->writer, MPROF_BLOCK_TIMELINES, 0, records,
						    sizeof(*records), count);
	}
	input->new_thread_count = 0;
	return status;
}

/* Whether the thread 0 of a block stands for a thread that is not known, or for the process. */
static int concerns_process(const mprof_block *block)
{
	return block->kind != MPROF_BLOCK_LOADED && block->kind != MPROF_BLOCK_UNLOADED &&
	       block->kind != MPROF_BLOCK_MAPPING;
}

static int translate_thread_of(merge_input *input, mprof_block *block)
{
	if (block->thread != 0)
		block->thread = merge_thread(input, block->thread);
	else if (concerns_process(block))
		block->thread = merge_process_thread(input);
	else
		return 1;
	return block->thread != 0;
}

static int translate_block(mprof_converter *converter, mprof_block *block)
{
	merge_input *input = converter->merge;

	switch (block->kind) {
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
	case MPROF_BLOCK_THREAD:
	case MPROF_BLOCK_LOST:
	case MPROF_BLOCK_MARK:
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		return translate_thread_of(input, block);
	case MPROF_BLOCK_HEAP_DATA:
		writer_set_heap_process(converter->writer, input->process);
		return merge_translate_id(input, MERGE_SNAPSHOT, &block->as.heap_data.number);
	case MPROF_BLOCK_OBJECT_LABELS:
	case MPROF_BLOCK_REFERENCE_NAMES:
		return merge_translate_id(input, MERGE_SNAPSHOT, &block->as.heap_notes.number);
	case MPROF_BLOCK_HEAP_SUMMARY:
		return merge_translate_id(input, MERGE_COLLECTION, &block->as.heap_summary.collection);
	default:
		return 1;
	}
}

mprof_status merge_begin_block(mprof_converter *converter, mprof_block *block)
{
	mprof_status status;

	if (!block->loaded)
		return MPROF_OK;
	if (!translate_block(converter, block))
		return MPROF_ERR_MEMORY;
	status = merge_describe_threads(converter, block);
	return status == MPROF_OK ? merge_session_before(converter, block) : status;
}

/*
 * Classes, methods and code units. The content begins with a number that no kind of record has.
 */

enum { CONTENT_CLASS = RECORD_KIND_COUNT, CONTENT_METHOD, CONTENT_CODE_UNIT };

static encode_buffer *begin_content(merge_input *input, uint32_t kind)
{
	encode_buffer *content = &input->shared->content;

	encode_buffer_clear(content);
	encode_varint(content, kind);
	return content;
}

/* A class is that of its assembly, wherever that was loaded. An assembly that was not loaded is like none. */
static void encode_class(merge_input *input, const mprof_mapping *mapping)
{
	encode_buffer *content = begin_content(input, CONTENT_CLASS);

	encode_varint(content, id_map_get(&input->unit_contents, mapping->assembly_id));
	encode_varint(content, mapping->size);
	encode_string(content, mapping->name, mapping->name_length);
}

/*
 * Finds the definition in the content, or gives it an ID. Returns 1 if it has to be written with the ID, 0 if the
 * merged log has it or the log defines the ID again, and -1 if there is no memory.
 */
static int find_or_number(merge_input *input, merge_number kind, uint32_t own_id, uint32_t *id)
{
	own_numbers *numbers = &input->numbers[kind];

	if (own_numbers_has(numbers, own_id))
		return 0;
	*id = merge_input_find(input, 1);
	if (input->shared->content.status != MPROF_OK)
		return -1;
	if (*id != 0)
		return own_numbers_set(numbers, own_id, *id) ? 0 : -1;
	*id = (uint32_t)own_numbers_get(numbers, own_id, NULL);
	return *id != 0 && merge_input_share(input, *id) ? 1 : -1;
}

mprof_status merge_define_class(mprof_converter *converter, const mprof_mapping *mapping)
{
	merge_input *input = converter->merge;
	mprof_class_definition definition = {
		.struct_size = sizeof(mprof_class_definition),
		.name = mapping->name,
		.name_length = mapping->name_length,
		.size = mapping->size,
	};
	int is_new;

	encode_class(input, mapping);
	is_new = find_or_number(input, MERGE_CLASS, mapping->id, &definition.id);
	if (is_new <= 0)
		return is_new < 0 ? MPROF_ERR_MEMORY : MPROF_OK;
	definition.assembly_id = mapping->assembly_id;
	if (!merge_translate_id(input, MERGE_CODE_UNIT, &definition.assembly_id))
		return MPROF_ERR_MEMORY;
	return mprof_writer_define_class(converter->writer, &definition);
}

static void encode_method(merge_input *input, const mprof_mapping *mapping, uint32_t class_id)
{
	encode_buffer *content = begin_content(input, CONTENT_METHOD);

	encode_varint(content, class_id);
	encode_varint(content, mapping->flags);
	encode_varint(content, mapping->source_line);
	encode_string(content, mapping->source_file, mapping->source_file_length);
	encode_string(content, mapping->name, mapping->name_length);
}

mprof_status merge_define_method(mprof_converter *converter, const mprof_mapping *mapping)
{
	merge_input *input = converter->merge;
	mprof_method_definition definition = {
		.struct_size = sizeof(mprof_method_definition),
		.class_id = mapping->class_id,
		.flags = mapping->flags & BLOCK_METHOD_FLAGS,
		.name = mapping->name,
		.name_length = mapping->name_length,
		.source_file = mapping->source_file,
		.source_file_length = mapping->source_file_length,
		.source_line = mapping->source_line,
	};
	int is_new;

	/* Flags of a later version. */
	if ((mapping->flags & ~BLOCK_METHOD_FLAGS) != 0)
		losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_MAPPING);
	if (!merge_translate_id(input, MERGE_CLASS, &definition.class_id))
		return MPROF_ERR_MEMORY;
	encode_method(input, mapping, definition.class_id);
	is_new = find_or_number(input, MERGE_METHOD, mapping->id, &definition.id);
	if (is_new <= 0)
		return is_new < 0 ? MPROF_ERR_MEMORY : MPROF_OK;
	return mprof_writer_define_method(converter->writer, &definition);
}

/* The names of code units distinguish their classes; each log loads them itself, so they have IDs of their own. */
int merge_code_unit(mprof_converter *converter, const mprof_block *block, uint32_t *id)
{
	merge_input *input = converter->merge;
	const mprof_assembly_name *assembly = block->as.element.assembly;
	encode_buffer *content = begin_content(input, CONTENT_CODE_UNIT);
	uint32_t merged = block->as.element.id;
	uint32_t shared;

	if (!merge_translate_id(input, MERGE_CODE_UNIT, &merged))
		return 0;
	*id = merged;
	if (merged == 0 || block->kind != MPROF_BLOCK_LOADED)
		return 1;
	encode_string(content, block->as.element.name, block->as.element.name_length);
	if (assembly != NULL)
		encode_varint(content, (uint64_t)assembly->major << 32 | assembly->minor);
	if (assembly != NULL)
		encode_varint(content, (uint64_t)assembly->build << 32 | assembly->revision);
	shared = merge_input_find(input, 0);
	if (content->status != MPROF_OK)
		return 0;
	if (shared == 0) {
		shared = merged;
		if (!merge_input_share(input, shared))
			return 0;
	}
	return id_map_put(&input->unit_contents, block->as.element.id, shared);
}
