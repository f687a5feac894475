/* SPDX-License-Identifier: MIT */
#include "reader/reader_internal.h"

#include "base/checksum.h"
#include "base/elements.h"
#include "base/error.h"
#include "base/options.h"

#include <string.h>

/* Learnt from even if the caller does not want them. */
#define LEARNT_KINDS                                                                                                   \
	(MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO) | MPROF_BLOCK_BIT(MPROF_BLOCK_DIRECTIVES) |                                \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_MAPPING) | MPROF_BLOCK_BIT(MPROF_BLOCK_END) | MPROF_BLOCK_BIT(MPROF_BLOCK_LOST) | \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_STACKS) | MPROF_BLOCK_BIT(MPROF_BLOCK_CODE) |                                     \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_ROOTS) | MPROF_BLOCK_BIT(MPROF_BLOCK_METRICS) |                                   \
	 MPROF_BLOCK_BIT(MPROF_BLOCK_STATISTICAL))

/* Definitions taken from the parser at once. */
#define MAPPING_BATCH 64
#define RECORD_BATCH 64

mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status)
{
	reader->error = reader->parser->error;
	if (status == MPROF_ERR_TRUNCATED && reader->is_damaged)
		reader->error.what = "the compressed data is damaged here, inside a block";
	if (status == MPROF_ERR_MEMORY)
		reader->memory_error = reader->error;
	return status;
}

mprof_status reader_fail_memory(mprof_reader *reader, const char *what)
{
	error_set(&reader->error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, what);
	if (reader->parser != NULL) {
		reader->error.block_code = reader->parser->block.code;
		reader->error.block_offset = reader->parser->block.offset;
		reader->error.offset = reader->error.block_offset;
	}
	reader->memory_error = reader->error;
	return MPROF_ERR_MEMORY;
}

mprof_status reader_check_pointer(mprof_reader *reader, const void *needed)
{
	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (needed == NULL)
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "a pointer that is needed is NULL");
	return MPROF_OK;
}

mprof_status reader_check(mprof_reader *reader)
{
	if (reader->memory_error.status != MPROF_OK)
		reader->error = reader->memory_error;
	else if (reader->parser != NULL)
		return MPROF_OK;
	return (mprof_status)reader->error.status;
}

/* What a function that fetches returns. Of what it fetched nothing is given out if memory was refused meanwhile. */
static mprof_status end_fetch(mprof_reader *reader, mprof_status status, size_t *count)
{
	if (reader->memory_error.status == MPROF_OK)
		return status;
	*count = 0;
	return reader_check(reader);
}

/* The parser has met the end of what there is between two blocks. */
static mprof_status end_of_log(mprof_reader *reader)
{
	if (!reader->is_damaged)
		return MPROF_END;
	error_set(&reader->error, MPROF_ERR_MALFORMED, MPROF_SEVERITY_FATAL, "the compressed data is damaged here");
	reader->error.offset = reader->parser->buffer.offset;
	reader->error.block_offset = reader->error.offset;
	return MPROF_ERR_MALFORMED;
}

mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block)
{
	const char *what = "not all of the block's content can be kept";

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "no memory for names");
	if (status == MPROF_ERR_REDEFINED_ID)
		what = "the block defines an ID that was defined before; the first definition stays";
	else if (status == MPROF_ERR_LIMIT)
		what = "the names of the log take more memory than the limit";
	else if (status == MPROF_ERR_MALFORMED)
		what = "the block leaves out IDs: those in front of its own were not defined";
	error_set(&reader->error, status, MPROF_SEVERITY_BLOCK, what);
	reader->error.block_code = block->code;
	reader->error.block_offset = block->offset;
	reader->error.offset = block->offset;
	/* A limit is the caller's. */
	if (status != MPROF_ERR_LIMIT && block->offset < reader->fault_offset)
		reader->fault_offset = block->offset;
	return status;
}

/* Learns all names of the loaded MAPPING block. One that cannot be learnt does not keep others from it. */
static mprof_status learn_names(mprof_reader *reader, const mprof_block *block)
{
	mprof_mapping mappings[MAPPING_BATCH];
	mprof_status result = MPROF_OK;
	size_t count;

	while (mprof_parser_next_mappings(reader->parser, mappings, sizeof(*mappings), MAPPING_BATCH, &count) ==
	       MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = name_table_add(&reader->names, &mappings[i], block->offset);

			if (status == MPROF_ERR_MEMORY)
				return reader_fail_names(reader, status, block);
			if (result == MPROF_OK)
				result = status;
		}
	}
	parser_rewind(reader->parser);
	return result == MPROF_OK ? MPROF_OK : reader_fail_names(reader, result, block);
}

/* Learns all definitions of the loaded block, in the same way. */
static mprof_status learn_definitions(mprof_reader *reader, const mprof_block *block)
{
	mprof_record records[RECORD_BATCH];
	mprof_status result = MPROF_OK;
	size_t count;

	while (mprof_parser_next_records(reader->parser, records, sizeof(*records), RECORD_BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			mprof_status status = MPROF_OK;

			if (record_is_definition(records[i].kind))
				status = definition_table_add(&reader->definitions, &records[i]);
			if (status == MPROF_ERR_MEMORY)
				return reader_fail_names(reader, status, block);
			/* Where something is missing already, this is no further fault of the log. */
			if (status == MPROF_ERR_MALFORMED && reader->misses_something)
				status = MPROF_OK;
			if (result == MPROF_OK)
				result = status;
		}
	}
	parser_rewind(reader->parser);
	return result == MPROF_OK ? MPROF_OK : reader_fail_names(reader, result, block);
}

static mprof_status learn_runtime(mprof_reader *reader, const mprof_block *block)
{
	char *copy;

	if (reader->runtime != NULL)
		return MPROF_OK;
	copy = allocator_allocate(&reader->allocator, block->as.intro.runtime_length + 1);
	if (copy == NULL)
		return reader_fail_names(reader, MPROF_ERR_MEMORY, block);
	memcpy(copy, block->as.intro.runtime, block->as.intro.runtime_length + 1);
	reader->runtime = copy;
	reader->runtime_length = block->as.intro.runtime_length;
	reader->intro = *block;
	reader->intro.as.intro.runtime = copy;
	return MPROF_OK;
}

/* A block that comes again after a seek is not counted again. */
static mprof_status learn_losses(mprof_reader *reader, const mprof_block *block)
{
	uint64_t sum = 0;

	if (hash_map_get(&reader->lost_by_block, block->offset) != NULL)
		return MPROF_OK;
	for (size_t i = 0; i < block->as.lost.count; i++)
		sum += block->as.lost.counts[i];
	if (!hash_map_put(&reader->lost_by_block, block->offset, sum))
		return reader_fail_names(reader, MPROF_ERR_MEMORY, block);
	reader->lost_events += sum;
	return MPROF_OK;
}

/* mprof2 defines chains and native code by ID; what its hits need besides gets IDs that it does not come to. */
#define FIRST_OWN_ID (DEFINITION_MOST_STACKS / 2)

static mprof_status learn_intro(mprof_reader *reader, const mprof_block *block)
{
	const mprof_parser *parser = reader->parser;
	mprof_status status = learn_runtime(reader, block);

	/* By these an index that was saved is recognised. */
	reader->intro_length = parser->span;
	reader->intro_checksum = checksum_update(0, parser_buffer_bytes(&parser->buffer), (size_t)parser->span);
	if (status == MPROF_OK && dialect_has_block(parser->decoding.rules, MPROF_BLOCK_STACKS))
		definition_interner_begin_behind(&reader->interner, FIRST_OWN_ID);
	return status;
}

/* Takes what a loaded block says about the log. */
static mprof_status learn(mprof_reader *reader, const mprof_block *block)
{
	if (block->has_clocks) {
		time_scale_add(&reader->scale, &block->start);
		time_scale_add(&reader->scale, &block->end);
	}
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		return learn_intro(reader, block);
	case MPROF_BLOCK_MAPPING:
		return learn_names(reader, block);
	case MPROF_BLOCK_LOST:
		return learn_losses(reader, block);
	case MPROF_BLOCK_STATISTICAL:
		return reader_samples_learn(reader, block);
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_METRICS:
		return learn_definitions(reader, block);
	default:
		return MPROF_OK;
	}
}

/* Calls one of the parser's functions until it has all the bytes that it needs. */
static mprof_status feed_until_done(mprof_reader *reader, mprof_block *block,
				    mprof_status (*function)(mprof_parser *, mprof_block *))
{
	mprof_status status;

	while ((status = function(reader->parser, block)) == MPROF_AGAIN) {
		mprof_status fed = reader_feed(reader);

		if (fed != MPROF_OK)
			return fed;
	}
	if (status == MPROF_END)
		return end_of_log(reader);
	return status == MPROF_OK ? MPROF_OK : reader_fail_parser(reader, status);
}

void reader_rewind(mprof_reader *reader)
{
	parser_rewind(reader->parser);
	reader_stacks_rewind(reader);
	reader_frames_rewind(reader);
	reader_samples_rewind(reader);
}

int reader_learns_from(uint32_t kind)
{
	return (LEARNT_KINDS & MPROF_BLOCK_BIT(kind)) != 0;
}

static mprof_status load(mprof_reader *reader, mprof_block *block)
{
	mprof_status status = feed_until_done(reader, block, mprof_parser_load);
	mprof_error error;

	reader_rewind(reader);
	if (status == MPROF_OK)
		return learn(reader, block);
	/* The hits that are whole use what is defined between them. That the log is cut is what is told. */
	if (status == MPROF_ERR_TRUNCATED && block->loaded && block->kind == MPROF_BLOCK_STATISTICAL) {
		error = reader->error;
		if (reader_samples_learn(reader, block) == MPROF_ERR_MEMORY)
			return MPROF_ERR_MEMORY;
		reader->error = error;
	}
	return status;
}

/* Only what the header says. */
static void block_strip(mprof_block *block)
{
	mprof_block stripped = {.struct_size = block->struct_size,
				.kind = block->kind,
				.code = block->code,
				.offset = block->offset,
				.header_length = block->header_length,
				.length = block->length};

	*block = stripped;
}

/* Nothing of the log is lost by these: the next call goes on where this one had to stop. */
static int can_go_on_later(mprof_status status)
{
	return status == MPROF_AGAIN || status == MPROF_ERR_MEMORY || status == MPROF_ERR_IO ||
	       status == MPROF_ERR_INTERRUPTED;
}

/*
 * Whether events may be missing after what was gone to: those of a block that was passed by or cannot be read. What a
 * header says is not relied on if its checksum is wrong.
 */
static int is_gap(mprof_status status, const mprof_block *block)
{
	if (status == MPROF_OK || status == MPROF_ERR_REDEFINED_ID)
		return block->kind == MPROF_BLOCK_EVENTS && !block->loaded;
	return status != MPROF_END && (block->kind == MPROF_BLOCK_EVENTS || block->kind == MPROF_BLOCK_UNKNOWN ||
				       status == MPROF_ERR_CHECKSUM || status == MPROF_ERR_TRUNCATED);
}

/* What a header says is not relied on where the block could not be read: the next one may be anywhere after it. */
static void note_known(mprof_reader *reader, mprof_status status, uint64_t offset, uint64_t end)
{
	const uint64_t reached = status == MPROF_OK || status == MPROF_ERR_REDEFINED_ID ? end : offset;

	if (reader->is_after_known && status != MPROF_END && reached > reader->known_until)
		reader->known_until = reached;
}

/* Keeps what was met in mind: a seek further on passes blocks by, and so does a block that cannot be read. */
static mprof_status note_progress(mprof_reader *reader, mprof_status status, const mprof_block *block)
{
	uint64_t end = block->offset + block->header_length + block->length;

	if (status != MPROF_OK && status != MPROF_END && status != MPROF_ERR_REDEFINED_ID)
		reader->misses_something = 1;
	if (end > reader->read_until)
		reader->read_until = end;
	note_known(reader, status, block->offset, end);
	reader->frames.has_gap = is_gap(status, block);
	return status;
}

mprof_status reader_next(mprof_reader *reader, uint64_t wanted, mprof_block *block)
{
	mprof_status status = reader_seek_on(reader);

	if (status != MPROF_OK)
		return status;
	if (!reader->has_block) {
		reader_frames_leave(reader);
		reader_stacks_leave(reader);
		status = reader_check(reader);
		if (status != MPROF_OK)
			return status;
		status = feed_until_done(reader, block, mprof_parser_next_header);
		if (can_go_on_later(status))
			return status;
		if (status != MPROF_OK)
			return note_progress(reader, status, block);
		reader->has_block = 1;
	} else {
		/* Loading has to go on. Its header is that of the parser's block. */
		*block = reader->parser->block;
	}
	if (((wanted | LEARNT_KINDS) & MPROF_BLOCK_BIT(block->kind)) != 0) {
		status = load(reader, block);
		if (can_go_on_later(status))
			return status;
	}
	reader->has_block = 0;
	if ((wanted & MPROF_BLOCK_BIT(block->kind)) == 0)
		block_strip(block);
	return note_progress(reader, status, block);
}

mprof_status reader_read_intro(mprof_reader *reader)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = reader_next(reader, UINT64_MAX, &block);

	if (can_go_on_later(status))
		return status;
	reader->is_past_intro = 1;
	reader->has_intro = status == MPROF_OK;
	if (!reader->has_intro)
		reader->intro = block;
	return status;
}

mprof_status mprof_reader_next_block(mprof_reader *reader, mprof_block *block)
{
	mprof_block own = {.struct_size = sizeof(own)};
	mprof_status status;

	if (reader_check_pointer(reader, block) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (block->struct_size < sizeof(block->struct_size))
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "the size of the block is not set");
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (!reader->is_past_intro) {
		status = reader_read_intro(reader);
		if (status != MPROF_OK)
			return status;
	}
	if (reader->has_intro) {
		reader->has_intro = 0;
		own = reader->intro;
		if ((reader->wanted & MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO)) == 0)
			block_strip(&own);
	} else {
		status = reader_next(reader, reader->wanted, &own);
	}
	if (status != MPROF_AGAIN && status != MPROF_END)
		(void)struct_copy_out(block, &own, sizeof(own));
	return status;
}

mprof_status mprof_reader_load(mprof_reader *reader, mprof_block *block)
{
	mprof_block own = {.struct_size = sizeof(own)};
	mprof_status status;

	if (reader_check_pointer(reader, block) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (block->struct_size < sizeof(block->struct_size))
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "the size of the block is not set");
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = load(reader, &own);
	if (status == MPROF_OK)
		reader->frames.has_gap = 0;
	if (status != MPROF_AGAIN) {
		reader->has_block = 0;
		(void)struct_copy_out(block, &own, sizeof(own));
	}
	return status;
}

/* All events were given out: tells, once, if that was not all that the log says of them. */
static mprof_status end_events(mprof_reader *reader)
{
	mprof_status fault = reader->fetch_fault;

	reader->stacks.is_done = 1;
	reader->frames.is_done = 1;
	reader->fetch_fault = MPROF_OK;
	return fault == MPROF_OK ? MPROF_END : reader_fail_names(reader, fault, &reader->parser->block);
}

mprof_status mprof_reader_next_events(mprof_reader *reader, mprof_event *events, size_t capacity, size_t *count)
{
	mprof_status status;

	if (reader_check_pointer(reader, events) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (capacity > 0 && parser_has_content(reader->parser) &&
	    reader->parser->block.kind == MPROF_BLOCK_STATISTICAL) {
		status = reader_samples_next(reader, events, capacity, count);
		status = end_fetch(reader, status, count);
		return status == MPROF_END ? end_events(reader) : status;
	}
	status = mprof_parser_next_events(reader->parser, events, capacity, count);
	if (status > MPROF_END) {
		/* Events after the damage are missing. */
		reader->frames.has_gap = 1;
		return reader_fail_parser(reader, status);
	}
	if (*count > 0 && reader_has_stack_sections(reader))
		reader_stacks_attach(reader, events, *count);
	if (*count > 0)
		reader_frames_attach(reader, events, *count);
	status = end_fetch(reader, status, count);
	return status == MPROF_END ? end_events(reader) : status;
}

mprof_status mprof_reader_next_mappings(mprof_reader *reader, mprof_mapping *mappings, size_t mapping_size,
					size_t capacity, size_t *count)
{
	mprof_status status;

	if (reader_check_pointer(reader, mappings) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_next_mappings(reader->parser, mappings, mapping_size, capacity, count);
	for (size_t i = 0; i < *count; i++)
		name_table_source(&reader->names, (mprof_mapping *)(void *)((char *)mappings + i * mapping_size));
	return status <= MPROF_END ? status : reader_fail_parser(reader, status);
}

mprof_status mprof_reader_next_property(mprof_reader *reader, const char **key, const char **value)
{
	mprof_status status;

	if (reader_check_pointer(reader, key) != MPROF_OK || reader_check_pointer(reader, value) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = mprof_parser_next_property(reader->parser, key, value);
	return status <= MPROF_END ? status : reader_fail_parser(reader, status);
}

/* The same of a STATISTICAL block, whose records get our IDs. */
static mprof_status next_translated(mprof_reader *reader, mprof_record *records, size_t record_size, size_t capacity,
				    size_t *count)
{
	mprof_record record;
	mprof_status status = MPROF_OK;
	size_t got = 1;

	if (record_size < SIZE_UP_TO(mprof_record, as) || capacity == 0)
		return mprof_parser_next_records(reader->parser, records, record_size, capacity, count);
	while (status == MPROF_OK && *count < capacity) {
		status = mprof_parser_next_records(reader->parser, &record, sizeof(record), 1, &got);
		if (status != MPROF_OK)
			break;
		reader_samples_translate(reader, &record);
		element_put(records, record_size, (*count)++, &record, sizeof(record));
	}
	return *count > 0 ? MPROF_OK : status;
}

mprof_status mprof_reader_next_records(mprof_reader *reader, mprof_record *records, size_t record_size, size_t capacity,
				       size_t *count)
{
	mprof_status status;

	if (reader_check_pointer(reader, records) != MPROF_OK || reader_check_pointer(reader, count) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (parser_has_content(reader->parser) && reader->parser->block.kind == MPROF_BLOCK_STATISTICAL)
		status = next_translated(reader, records, record_size, capacity, count);
	else
		status = mprof_parser_next_records(reader->parser, records, record_size, capacity, count);
	if (status > MPROF_END)
		return reader_fail_parser(reader, status);
	return end_fetch(reader, status, count);
}
