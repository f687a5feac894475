/* SPDX-License-Identifier: MIT */
/* Copies the properties of a log that is merged with others. */
#include "convert/merge_session.h"

#include "convert/copy_definitions.h"
#include "convert/copy_events.h"
#include "convert/merge_input.h"
#include "format/values/rate_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

mprof_status merge_session_before(mprof_converter *converter, const mprof_block *block)
{
	const merge_properties *own = &converter->merge->stated;
	merge_properties *stated = &converter->merge->shared->stated;

	if (block->kind == MPROF_BLOCK_EVENTS)
		return state_again(converter, block, ALLOC_SAMPLE_BYTES_KEY, own->alloc_sample_bytes,
				   &stated->alloc_sample_bytes);
	if (block->kind == MPROF_BLOCK_SAMPLES && own->sample_period != 0)
		return state_again(converter, block, SAMPLE_PERIOD_KEY, own->sample_period, &stated->sample_period);
	return MPROF_OK;
}
