/* SPDX-License-Identifier: MIT */
/* Opens readers, and looks up definitions. */
#include "reader/reader.h"

#include "base/caller_structs.h"
#include "base/error.h"
#include "parser/parser.h"
#include "reader/ahead.h"
#include "reader/blocks.h"
#include "reader/call_stacks.h"
#include "reader/code_names.h"
#include "reader/errors.h"
#include "reader/index.h"
#include "reader/learn.h"
#include "reader/open_frames.h"
#include "reader/reader_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MAX_NAMES_MEMORY (UINT64_C(1) << 30)

void mprof_reader_options_init(mprof_reader_options *options, size_t struct_size)
{
	struct_init(options, struct_size);
}

/* Converts a set of kinds to a mask, since all known kinds are below 64. An empty set stands for all kinds. */
static uint64_t kinds_of(const mprof_number_set *set)
{
	uint64_t others = set->bits[1] | set->bits[2] | set->bits[3];

	return set->bits[0] == 0 && others == 0 ? UINT64_MAX : set->bits[0];
}

/* Creates a reader without a source. */
static mprof_status reader_create(const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_reader_options copy;
	mprof_parser_options parser_options;
	mprof_allocator allocator;
	mprof_reader *created;
	mprof_status status;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	*reader = NULL;
	if (struct_copy_in(&copy, options, sizeof(copy)) != MPROF_OK || copy.follow > 1 || copy.ignore_checksums > 1 ||
	    copy.keep_implicit_leaves > 1 || copy.index_without_events > 1 || copy.threads > MPROF_READER_MAX_THREADS ||
	    copy.reserved != 0 || !allocator_init(&allocator, copy.allocator))
		return MPROF_ERR_ARGUMENT;
	created = allocator_allocate_zeroed(&allocator, sizeof(*created));
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	created->allocator = allocator;
	created->wanted = kinds_of(&copy.wanted);
	created->selection.kinds = UINT64_MAX;
	created->is_following = (int)copy.follow;
	created->thread_count = copy.threads;
	reader_watch_init(created, &copy);
	error_clear(&created->error);
	error_clear(&created->memory_error);
	error_clear(&created->index_error);
	created->fault_offset = UINT64_MAX;
	created->is_after_known = 1;
	memory_budget_init(&created->budget, &allocator,
			   copy.max_names_memory != 0 ? copy.max_names_memory : DEFAULT_MAX_NAMES_MEMORY);
	name_table_init(&created->names, &created->budget);
	definition_table_init(&created->definitions, &created->names);
	field_table_init(&created->fields, &created->names);
	definition_interner_init(&created->interner, &created->definitions);
	code_names_init(created);
	reader_stacks_init(created);
	reader_frames_init(created, &copy);
	created->skips_events = (int)copy.index_without_events;
	reader_samples_init(created);
	hash_map_init(&created->lost_by_block, &allocator);
	block_index_init(&created->index, &allocator);
	mprof_parser_options_init(&parser_options, sizeof(parser_options));
	parser_options.allocator = &allocator;
	parser_options.max_block_length = copy.max_block_length;
	parser_options.max_name_length = copy.max_name_length;
	parser_options.ignore_checksums = copy.ignore_checksums;
	created->ignores_checksums = copy.ignore_checksums;
	parser_options.codecs = copy.codecs;
	parser_options.codec_count = copy.codec_count;
	status = mprof_parser_create(&parser_options, &created->parser);
	if (status != MPROF_OK) {
		mprof_reader_destroy(created);
		return status;
	}
	reader_learn_init(created);
	*reader = created;
	return MPROF_OK;
}

void mprof_reader_destroy(mprof_reader *reader)
{
	mprof_allocator allocator;

	if (reader == NULL)
		return;
	allocator = reader->allocator;
	reader_ahead_destroy(reader);
	if (reader->whole_clock != NULL) {
		mprof_reader_destroy(reader->whole_clock->reader);
		allocator_release(&reader->allocator, reader->whole_clock, sizeof(*reader->whole_clock));
	}
	if (reader->source.close != NULL)
		reader->source.close(reader->source.user);
	mprof_parser_destroy(reader->parser);
	reader_samples_destroy(reader);
	reader_stacks_destroy(reader);
	reader_frames_destroy(reader);
	definition_interner_destroy(&reader->interner);
	reader_learn_destroy(reader);
	code_names_destroy(reader);
	field_table_destroy(&reader->fields);
	definition_table_destroy(&reader->definitions);
	name_table_destroy(&reader->names);
	hash_map_destroy(&reader->lost_by_block);
	block_index_destroy(&reader->index);
	if (reader->runtime != NULL)
		allocator_release(&allocator, reader->runtime, reader->runtime_length + 1);
	allocator_release(&allocator, reader, sizeof(*reader));
}

/* Reads INTRO if the source was opened; otherwise records why it was not: \p fault, an errno value. */
static mprof_status reader_start(mprof_reader **reader, int fault)
{
	mprof_status status;

	if (fault != 0) {
		status = reader_fail_system(*reader, fault, "cannot open the log");
		/* Later calls find no parser and return the same error. */
		mprof_parser_destroy((*reader)->parser);
		(*reader)->parser = NULL;
	} else {
		(*reader)->plain_source = (*reader)->source;
		/* A growing log has no total length to report progress against. */
		if ((*reader)->is_following)
			(*reader)->watch.total = 0;
		status = reader_read_intro(*reader);
	}
	if (status == MPROF_ERR_MEMORY) {
		mprof_reader_destroy(*reader);
		*reader = NULL;
	}
	return status;
}

/* Creates a reader. Refuses a call whose source, \p input, is NULL. */
static mprof_status create_for(const void *input, const mprof_reader_options *options, mprof_reader **reader)
{
	if (input != NULL)
		return reader_create(options, reader);
	if (reader != NULL)
		*reader = NULL;
	return MPROF_ERR_ARGUMENT;
}

mprof_status mprof_reader_open_path(const char *path, const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_status status = create_for(path, options, reader);

	if (status != MPROF_OK)
		return status;
	return reader_start(reader,
			    source_open_path(&(*reader)->source, &(*reader)->allocator, path, &(*reader)->watch.total));
}

mprof_status mprof_reader_open_fd(int fd, const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_status status = reader_create(options, reader);

	if (status != MPROF_OK)
		return status;
	return reader_start(reader,
			    source_open_fd(&(*reader)->source, &(*reader)->allocator, fd, &(*reader)->watch.total));
}

mprof_status mprof_reader_open_memory(const void *bytes, size_t length, const mprof_reader_options *options,
				      mprof_reader **reader)
{
	mprof_status status = create_for(length > 0 ? bytes : "", options, reader);

	if (status != MPROF_OK)
		return status;
	(*reader)->watch.total = length;
	(*reader)->memory = bytes;
	(*reader)->memory_length = length;
	return reader_start(reader, source_open_memory(&(*reader)->source, &(*reader)->allocator, bytes, length));
}

mprof_status mprof_reader_open_source(const mprof_source *source, const mprof_reader_options *options,
				      mprof_reader **reader)
{
	mprof_source copy;
	mprof_status status;

	if (reader != NULL)
		*reader = NULL;
	if (source == NULL || struct_copy_in(&copy, source, sizeof(copy)) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	status = copy.read != NULL ? reader_create(options, reader) : MPROF_ERR_ARGUMENT;
	if (status != MPROF_OK) {
		if (copy.close != NULL)
			copy.close(copy.user);
		return status;
	}
	(*reader)->source = copy;
	return reader_start(reader, 0);
}

mprof_status mprof_reader_finish(mprof_reader *reader)
{
	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	if (reader->parser == NULL)
		return (mprof_status)reader->error.status;
	reader->is_input_over = 1;
	return MPROF_OK;
}

mprof_status mprof_reader_lookup_class(const mprof_reader *reader, uint32_t id, mprof_mapping *mapping,
				       size_t mapping_size)
{
	mprof_mapping copy;

	if (reader == NULL || mapping == NULL || mapping_size < SIZE_UP_TO(mprof_mapping, source_line))
		return MPROF_ERR_ARGUMENT;
	if (!name_table_class(&reader->names, id, &copy))
		return MPROF_ERR_UNDEFINED_ID;
	element_put(mapping, mapping_size, 0, &copy, sizeof(copy));
	return MPROF_OK;
}

mprof_status mprof_reader_lookup_method(const mprof_reader *reader, uint32_t id, mprof_mapping *mapping,
					size_t mapping_size)
{
	mprof_mapping copy;

	if (reader == NULL || mapping == NULL || mapping_size < SIZE_UP_TO(mprof_mapping, source_line))
		return MPROF_ERR_ARGUMENT;
	if (!name_table_method(&reader->names, id, &copy))
		return MPROF_ERR_UNDEFINED_ID;
	element_put(mapping, mapping_size, 0, &copy, sizeof(copy));
	return MPROF_OK;
}

size_t mprof_reader_format_method(const mprof_reader *reader, uint32_t id, char *text, size_t size)
{
	if (reader == NULL || (text == NULL && size > 0))
		return 0;
	return name_table_method_name(&reader->names, id, text, size);
}

uint64_t mprof_reader_get_class_count(const mprof_reader *reader)
{
	return reader != NULL ? reader->names.classes.count : 0;
}

uint64_t mprof_reader_get_method_count(const mprof_reader *reader)
{
	return reader != NULL ? reader->names.methods.count : 0;
}

mprof_status mprof_reader_get_time(const mprof_reader *reader, uint64_t counter, int64_t *nanoseconds)
{
	if (reader == NULL || nanoseconds == NULL)
		return MPROF_ERR_ARGUMENT;
	return time_scale_convert(&reader->scale, counter, nanoseconds) ? MPROF_OK : MPROF_AGAIN;
}

void mprof_reader_set_max_block_length(mprof_reader *reader, uint64_t length)
{
	if (reader != NULL)
		mprof_parser_set_max_block_length(reader->parser, length);
}

mprof_status mprof_reader_get_session(const mprof_reader *reader, mprof_session *session)
{
	mprof_session copy;

	if (reader == NULL)
		return MPROF_ERR_ARGUMENT;
	memset(&copy, 0, sizeof(copy));
	copy.struct_size = sizeof(copy);
	copy.flags = reader->intro.as.intro.flags;
	copy.runtime = reader->runtime != NULL ? reader->runtime : "";
	copy.start = reader->scale.first;
	copy.last = reader->scale.last;
	copy.counters_per_second = time_scale_counters_per_second(&reader->scale);
	copy.states_rate = reader->scale.stated > 0;
	copy.duration_ns = time_scale_duration(&reader->scale);
	copy.clock_steps = reader->scale.steps;
	copy.clock_step_us = reader->scale.step_amount;
	copy.monotonic_ns = reader->system_clocks.monotonic_ns;
	copy.boottime_ns = reader->system_clocks.boottime_ns;
	copy.clocks = reader->system_clocks.pair;
	copy.snapshots_before_shutdown = reader->shutdown.is_stated ? reader->shutdown.snapshots : UINT64_MAX;
	copy.has_object_numbers = reader->has_object_numbers;
	copy.has_slots = reader->has_slots;
	copy.method_separator = reader->names.separator;
	copy.hides_signatures = reader->hides_signatures;
	copy.lost_events = reader->lost_events;
	copy.compressed = (uint32_t)reader->is_compressed;
	if (reader->parser != NULL) {
		copy.dialect = mprof_parser_get_dialect(reader->parser);
		copy.version = parser_version(reader->parser);
		copy.complete = (uint32_t)(mprof_parser_is_complete(reader->parser) && !reader->is_damaged &&
					   reader->fault_offset == UINT64_MAX);
		copy.valid_bytes = mprof_parser_get_valid_bytes(reader->parser);
		if (copy.valid_bytes > reader->fault_offset)
			copy.valid_bytes = reader->fault_offset;
	}
	return struct_copy_out(session, &copy, sizeof(copy));
}

mprof_status mprof_reader_get_error(const mprof_reader *reader, mprof_error *error)
{
	return reader != NULL ? error_copy(&reader->error, error) : MPROF_ERR_ARGUMENT;
}

mprof_status mprof_reader_next_block(mprof_reader *reader, mprof_block *block)
{
	mprof_block copy = {.struct_size = sizeof(copy)};
	mprof_status status;

	if (reader_check_pointer(reader, block) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (block->struct_size < sizeof(block->struct_size))
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "struct_size of the block is not set: call mprof_block_init() first");
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	if (!reader->is_past_intro) {
		status = reader_read_intro(reader);
		if (status != MPROF_OK)
			return status;
	}
	/* After a seek, INTRO is a block like the others. */
	if (reader->has_intro && !reader_selects_kind(reader, MPROF_BLOCK_INTRO))
		reader->has_intro = 0;
	if (reader->has_intro) {
		reader->has_intro = 0;
		copy = reader->intro;
		if ((reader->wanted & MPROF_BLOCK_BIT(MPROF_BLOCK_INTRO)) == 0)
			reader_strip_block(&copy);
	} else {
		status = reader_seek_on(reader);
		if (status == MPROF_OK)
			status = reader_next_selected(reader, &copy);
	}
	if (status != MPROF_AGAIN && status != MPROF_END)
		(void)struct_copy_out(block, &copy, sizeof(copy));
	return status;
}

mprof_status mprof_reader_load(mprof_reader *reader, mprof_block *block)
{
	mprof_block copy = {.struct_size = sizeof(copy)};
	mprof_status status;

	if (reader_check_pointer(reader, block) != MPROF_OK)
		return MPROF_ERR_ARGUMENT;
	if (block->struct_size < sizeof(block->struct_size))
		return error_set(&reader->error, MPROF_ERR_ARGUMENT, MPROF_SEVERITY_NONE,
				 "struct_size of the block is not set: call mprof_block_init() first");
	status = reader_check(reader);
	if (status != MPROF_OK)
		return status;
	status = reader_load(reader, &copy);
	if (status == MPROF_OK)
		reader->frames.has_gap = 0;
	if (status != MPROF_AGAIN) {
		reader->has_block = 0;
		(void)struct_copy_out(block, &copy, sizeof(copy));
	}
	return status;
}

int reader_keep_implicit_leaves(mprof_reader *reader, int keeps)
{
	const int before = reader->frames.keeps_implicit;

	reader->frames.keeps_implicit = keeps;
	if (before && !keeps && reader->parser != NULL)
		reader_frames_forget(reader, reader_next_offset(reader));
	return before;
}

void reader_set_visitor(mprof_reader *reader, const event_visitor *visitor)
{
	reader->visitor = visitor;
}

int reader_is_after_intro(const mprof_reader *reader)
{
	return reader->parser != NULL && reader->is_past_intro && !parser_has_failed(reader->parser) &&
	       reader->read_until == reader->intro.header_length + reader->intro.length;
}

const char *reader_runtime(const mprof_reader *reader)
{
	return reader->runtime;
}

int reader_has_clock(const mprof_reader *reader)
{
	return reader->scale.has_clock;
}

uint32_t reader_last_own_id(const mprof_reader *reader, size_t kind)
{
	return reader->interner.last_ids[kind];
}

static void report_fault(fault_report *report, const mprof_error *error)
{
	/*
	 * Reading continues after damage, but running out of memory makes the result partial, so it takes precedence.
	 */
	if (report->first == MPROF_OK || error->status == MPROF_ERR_MEMORY)
		report->first = (mprof_status)error->status;
	if (report->damage != NULL)
		report->damage(report->user, error);
}

int fault_report_error(fault_report *report)
{
	mprof_error error = {.struct_size = sizeof(error)};

	mprof_reader_get_error(report->reader, &error);
	report_fault(report, &error);
	return error.severity == MPROF_SEVERITY_BLOCK;
}

void fault_report_end(fault_report *report)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_error error;

	mprof_reader_get_session(report->reader, &session);
	/* A damaged log is not complete either, and its damage has already been reported. */
	if (session.complete || report->first != MPROF_OK)
		return;
	error_set(&error, MPROF_ERR_TRUNCATED, MPROF_SEVERITY_FATAL, "the log has no END block: it was not closed");
	error.offset = session.valid_bytes;
	error.block_offset = session.valid_bytes;
	report_fault(report, &error);
}

/* A frame whose position is not defined has no method. */
static void frame_set(const definition_table *definitions, mprof_stack_frame *frame, const definition_stack *stack)
{
	mprof_record record;

	*frame = (mprof_stack_frame){.id = stack->target,
				     .is_native = stack->is_native,
				     .is_compiling = stack->is_compiling,
				     .position = stack->position};
	if (stack->position == 0 || !definition_table_get(definitions, MPROF_RECORD_POSITION, stack->position, &record))
		return;
	frame->id = record.as.position.target;
	/* A native frame without a location would be the mark of a truncated call stack. */
	frame->is_native = record.as.position.is_native && frame->id != 0;
	frame->is_inlined = record.as.position.is_inlined;
	frame->line = record.as.position.line;
}

mprof_status mprof_reader_lookup_stack(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frames,
				       size_t frame_size, size_t capacity, size_t *count)
{
	definition_stack found;
	mprof_stack_frame frame;

	if (reader == NULL || count == NULL || (frames == NULL && capacity > 0))
		return MPROF_ERR_ARGUMENT;
	*count = 0;
	if (frame_size < SIZE_UP_TO(mprof_stack_frame, is_compiling))
		return MPROF_ERR_ARGUMENT;
	/* The ID of a caller's stack is always smaller, so the loop terminates. */
	while (definition_table_get_stack(reader_definitions(reader, stack), stack, &found)) {
		if (*count < capacity) {
			frame_set(&reader->definitions, &frame, &found);
			element_put(frames, frame_size, *count, &frame, sizeof(frame));
		}
		++*count;
		stack = found.parent;
	}
	return *count > 0 ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_lookup_caller(const mprof_reader *reader, uint32_t stack, mprof_stack_frame *frame,
					size_t frame_size, uint32_t *caller)
{
	definition_stack found;
	mprof_stack_frame copy;

	if (reader == NULL || frame == NULL || caller == NULL ||
	    frame_size < SIZE_UP_TO(mprof_stack_frame, is_compiling))
		return MPROF_ERR_ARGUMENT;
	if (!definition_table_get_stack(reader_definitions(reader, stack), stack, &found))
		return MPROF_ERR_UNDEFINED_ID;
	frame_set(&reader->definitions, &copy, &found);
	element_put(frame, frame_size, 0, &copy, sizeof(copy));
	*caller = found.parent;
	return MPROF_OK;
}

static int find_record(const mprof_reader *reader, uint32_t kind, uint32_t id, mprof_record *record)
{
	return definition_table_get(reader_definitions(reader, id), kind, id, record);
}

mprof_status mprof_reader_lookup_record(const mprof_reader *reader, uint32_t kind, uint32_t id, mprof_record *record,
					size_t record_size)
{
	mprof_record copy;
	int is_found;

	if (reader == NULL || record == NULL || record_size < SIZE_UP_TO(mprof_record, as))
		return MPROF_ERR_ARGUMENT;
	is_found = find_record(reader, kind, id, &copy);
	element_put(record, record_size, 0, &copy, sizeof(copy));
	return is_found ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_lookup_field(const mprof_reader *reader, uint32_t class_id, uint64_t offset,
				       mprof_record *field, size_t record_size, uint64_t *index)
{
	mprof_record copy;
	int is_found;

	if (reader == NULL || field == NULL || index == NULL || record_size < SIZE_UP_TO(mprof_record, as))
		return MPROF_ERR_ARGUMENT;
	is_found = field_table_get(&reader->fields, class_id, offset, &copy, index);
	element_put(field, record_size, 0, &copy, sizeof(copy));
	return is_found ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

size_t mprof_reader_get_record_count(const mprof_reader *reader, uint32_t kind)
{
	if (reader == NULL)
		return 0;
	if (kind == MPROF_RECORD_FIELD)
		return field_table_count(&reader->fields);
	return definition_table_count(&reader->definitions, kind);
}

/* The last component of a path. */
static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

size_t mprof_reader_format_location(const mprof_reader *reader, uint32_t location, char *text, size_t size)
{
	mprof_record code;
	mprof_record found;
	int length;

	if (reader == NULL || (text == NULL && size > 0))
		return 0;
	if (!find_record(reader, MPROF_RECORD_LOCATION, location, &code))
		length = snprintf(text, size, "#%" PRIu32, location);
	else if (find_record(reader, MPROF_RECORD_FUNCTION, code.as.location.function, &found) &&
		 found.as.function.name[0] != 0)
		length = snprintf(text, size, "%s", found.as.function.name);
	else if (find_record(reader, MPROF_RECORD_MODULE, code.as.location.module, &found) &&
		 found.as.module.file[0] != 0)
		length =
			snprintf(text, size, "%s+0x%" PRIx64, file_name(found.as.module.file), code.as.location.offset);
	else if (code.as.location.module != 0)
		/* The address is that of the module, 0 if not known, plus the offset. */
		length = snprintf(text, size, "0x%" PRIx64, found.as.module.address + code.as.location.offset);
	else
		length = snprintf(text, size, "0x%" PRIx64, code.as.location.offset);
	return length < 0 ? 0 : (size_t)length;
}
