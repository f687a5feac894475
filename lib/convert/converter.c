/* SPDX-License-Identifier: MIT */
/* Copies a log block by block into another dialect. */
#include "base/elements.h"
#include "base/options.h"
#include "convert/converter_internal.h"
#include "convert/copy_blocks.h"
#include "convert/copy_definitions.h"
#include "convert/copy_events.h"

#include <float.h>
#include <string.h>

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
		converter->source.directives = block->as.directives.declared;
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

	converter->target = declarations_translate(&converter->source, dialect_get((mprof_dialect)options->dialect));
	choose_translation(converter);
	options->intro_flags = target->flags;
	options->directives = target->directives | MPROF_DIRECTIVES_NONE;
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
static mprof_status read_options(const mprof_converter_options *given, mprof_converter_options *options,
				 mprof_writer_options *writer)
{
	if (struct_copy_in(options, given, sizeof(*options)) != MPROF_OK)
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
	mprof_converter *made = allocator_allocate_zeroed(allocator, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->allocator = *allocator;
	made->reader = reader;
	made->faults.reader = reader;
	made->writer_options = *writer;
	resolution_init(&made->resolution);
	thread_map_init(&made->thread_positions, allocator);
	stack_table_init(&made->stacks, allocator, sizeof(switched_calls));
	for (size_t kind = 0; kind <= MPROF_RECORD_METRIC; kind++) {
		id_translation_init(&made->ids[kind], allocator);
		made->implied_ids[kind] = reader_last_own_id(reader, kind);
	}
	return made;
}

mprof_status mprof_converter_create(mprof_reader *reader, const mprof_converter_options *options,
				    mprof_converter **converter)
{
	mprof_converter_options own;
	mprof_writer_options writer;
	mprof_allocator allocator;
	mprof_converter *made;

	if (converter == NULL)
		return MPROF_ERR_ARGUMENT;
	*converter = NULL;
	if (reader == NULL || read_options(options, &own, &writer) != MPROF_OK ||
	    !allocator_init(&allocator, writer.allocator))
		return MPROF_ERR_ARGUMENT;
	if (!reader_is_after_intro(reader))
		return MPROF_ERR_STATE;
	made = allocate_converter(reader, &writer, &allocator);
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	read_ahead(made);
	if (made->pending_status == MPROF_ERR_MEMORY) {
		mprof_converter_destroy(made);
		return MPROF_ERR_MEMORY;
	}
	/* If INTRO is missing, the next block provides the time when the log began. */
	if (!reader_has_clock(reader)) {
		mprof_converter_destroy(made);
		return MPROF_ERR_STATE;
	}
	read_declarations(made);
	prepare_writer_options(made);
	choose_resolution(made, &own);
	*converter = made;
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
	for (size_t kind = 0; kind <= MPROF_RECORD_METRIC; kind++)
		id_translation_destroy(&converter->ids[kind]);
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
	converter->source.directives |= block->as.directives.declared;
	converter->target = declarations_translate(&converter->source, converter->target.rules);
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
	case MPROF_BLOCK_HEAP_DATA:
		return copy_heap(converter, block);
	case MPROF_BLOCK_SESSION:
		return copy_session(converter, block);
	case MPROF_BLOCK_THREAD:
		return copy_thread(converter, block);
	case MPROF_BLOCK_LOST:
		return copy_lost(converter, block);
	case MPROF_BLOCK_MARK:
		return copy_mark(converter, block);
	case MPROF_BLOCK_WATERMARK:
		return mprof_writer_write_watermark(converter->writer, block->as.watermark.counter);
	case MPROF_BLOCK_STACKS:
	case MPROF_BLOCK_CODE:
	case MPROF_BLOCK_ROOTS:
	case MPROF_BLOCK_FIELDS:
	case MPROF_BLOCK_METRICS:
	case MPROF_BLOCK_HEAP_SUMMARY:
		return copy_records(converter, block);
	case MPROF_BLOCK_DIRECTIVES:
		return copy_directives(converter, block);
	case MPROF_BLOCK_END:
		converter->is_closed = 1;
		return MPROF_OK;
	default:
		/* The writer has written INTRO itself. */
		return MPROF_OK;
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

static mprof_status copy_blocks(mprof_converter *converter)
{
	while (!converter->is_over) {
		mprof_block block;
		mprof_status status = next_block(converter, &block);
		mprof_status fault;

		if (status == MPROF_AGAIN || status == MPROF_ERR_INTERRUPTED)
			return status;
		if (status == MPROF_END) {
			fault_report_end(&converter->faults);
			return MPROF_OK;
		}
		/*
		 * Fetching from a truncated list fails with the same status as loading it, and reports the error then.
		 */
		fault = status;
		status = fault == MPROF_OK || fault_is_at_end(fault, &block) ? MPROF_OK
									     : converter_read_failed(converter, fault);
		if (status == MPROF_OK && fault != MPROF_OK && !is_loaded_in_part(&block, fault))
			continue;
		if (status == MPROF_OK)
			status = copy_block(converter, &block);
		if (status == MPROF_OK)
			status = check_strictly(converter);
		if (status != MPROF_OK)
			return status;
	}
	return MPROF_OK;
}

/* The copy of a truncated log contains the readable part of a heap snapshot, and no END block. */
static mprof_status end_copy(mprof_converter *converter)
{
	mprof_status status = copy_events_end(converter);

	if (status != MPROF_OK)
		return status;
	if (converter->is_closed)
		return mprof_writer_close(converter->writer);
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
