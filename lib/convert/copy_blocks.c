/* SPDX-License-Identifier: MIT */
/* Copies blocks without events: definitions of classes and methods, code units, properties, names, losses, markers. */
#include "convert/copy_blocks.h"

#include "convert/clocks.h"
#include "convert/converter_internal.h"
#include "format/losses.h"
#include "format/rate_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
		.flags = mapping->flags,
		.name = mapping->name,
		.name_length = mapping->name_length,
		.source_file = mapping->source_file,
		.source_file_length = mapping->source_file_length,
		.source_line = mapping->source_line,
	};

	return writer_has_method(writer, mapping->id) ? MPROF_OK : mprof_writer_define_method(writer, &definition);
}

mprof_status copy_mapping(mprof_converter *converter, const mprof_block *block)
{
	mprof_writer *writer = converter->writer;
	mprof_mapping mappings[MAPPING_BATCH];
	mprof_status fetched;
	mprof_status status;
	size_t count = 0;

	(void)block;
	do {
		fetched = mprof_reader_next_mappings(converter->reader, mappings, sizeof(*mappings), MAPPING_BATCH,
						     &count);
		for (size_t i = 0; i < count; i++) {
			status = mappings[i].is_method ? define_method(writer, &mappings[i])
						       : define_class(writer, &mappings[i]);
			if (status != MPROF_OK)
				return status;
		}
	} while (fetched == MPROF_OK);
	status = converter_read_failed(converter, fetched);
	/* The definitions are written now and not with the next block, because that block has clocks of its own. */
	return status == MPROF_OK ? writer_put_definitions(writer) : status;
}

mprof_status copy_loaded(mprof_converter *converter, const mprof_block *block)
{
	const mprof_element element = {
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

	return block->kind == MPROF_BLOCK_LOADED ? mprof_writer_write_loaded(converter->writer, &element)
						 : mprof_writer_write_unloaded(converter->writer, &element);
}

mprof_status state_resolution(mprof_converter *converter, const mprof_block *block)
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

mprof_status copy_session(mprof_converter *converter, const mprof_block *block)
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

mprof_status copy_thread(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_thread_name(converter->writer, block->thread, block->as.thread_name.name,
					      block->as.thread_name.name_length);
}

mprof_status copy_lost(mprof_converter *converter, const mprof_block *block)
{
	/* The causes that are unknown to the reader cannot be copied. */
	if (block->as.lost.counts[0] > 0)
		losses_shorten_block(writer_losses(converter->writer), MPROF_BLOCK_LOST);
	return mprof_writer_write_losses(converter->writer, block->thread, block->as.lost.counts, block->as.lost.count);
}

mprof_status copy_mark(mprof_converter *converter, const mprof_block *block)
{
	return mprof_writer_write_mark(converter->writer, block->thread, block->as.mark.counter, block->as.mark.text,
				       block->as.mark.text_length);
}
