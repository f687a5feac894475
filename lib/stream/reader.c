/* SPDX-License-Identifier: MIT */
#include "stream/reader_internal.h"

#include "base/error.h"
#include "base/options.h"

#include <string.h>

#define DEFAULT_MAX_NAMES_MEMORY (UINT64_C(1) << 30)

/* Makes a reader without a source. */
static mprof_status reader_create(const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_reader_options own;
	mprof_parser_options parser_options;
	mprof_allocator allocator;
	mprof_reader *made;
	mprof_status status;

	*reader = NULL;
	if (struct_copy_in(&own, options, sizeof(own)) != MPROF_OK || own.follow > 1 || own.ignore_checksums > 1 ||
	    !allocator_init(&allocator, own.allocator))
		return MPROF_ERR_ARGUMENT;
	made = allocator_allocate_zeroed(&allocator, sizeof(*made));
	if (made == NULL)
		return MPROF_ERR_MEMORY;
	made->allocator = allocator;
	made->wanted = own.wanted != 0 ? own.wanted : UINT64_MAX;
	made->is_following = (int)own.follow;
	error_clear(&made->error);
	error_clear(&made->index_error);
	name_table_init(&made->names, &allocator,
			own.max_names_memory != 0 ? own.max_names_memory : DEFAULT_MAX_NAMES_MEMORY);
	definition_table_init(&made->definitions, &made->names);
	definition_interner_init(&made->interner, &made->definitions);
	reader_stacks_init(made);
	reader_samples_init(made);
	hash_map_init(&made->lost_by_block, &allocator);
	block_index_init(&made->index, &allocator);
	mprof_parser_options_init(&parser_options);
	parser_options.allocator = &allocator;
	parser_options.max_block_length = own.max_block_length;
	parser_options.max_name_length = own.max_name_length;
	parser_options.ignore_checksums = own.ignore_checksums;
	status = mprof_parser_create(&parser_options, &made->parser);
	if (status != MPROF_OK)
		mprof_reader_destroy(made);
	else
		*reader = made;
	return status;
}

void mprof_reader_destroy(mprof_reader *reader)
{
	mprof_allocator allocator;

	if (reader == NULL)
		return;
	allocator = reader->allocator;
	if (reader->source.close != NULL)
		reader->source.close(reader->source.user);
	mprof_parser_destroy(reader->parser);
	reader_samples_destroy(reader);
	reader_stacks_destroy(reader);
	definition_interner_destroy(&reader->interner);
	definition_table_destroy(&reader->definitions);
	name_table_destroy(&reader->names);
	hash_map_destroy(&reader->lost_by_block);
	block_index_destroy(&reader->index);
	if (reader->runtime != NULL)
		allocator_release(&allocator, reader->runtime, reader->runtime_length + 1);
	allocator_release(&allocator, reader, sizeof(*reader));
}

/* Reads INTRO, once there is a source, or tells why there is none. */
static mprof_status reader_start(mprof_reader **reader, int fault)
{
	mprof_status status;

	if (fault != 0) {
		status = reader_fail_system(*reader, fault, "the log cannot be opened");
		/* Nothing can be read, which later calls say again. */
		mprof_parser_destroy((*reader)->parser);
		(*reader)->parser = NULL;
	} else {
		status = reader_read_intro(*reader);
	}
	if (status == MPROF_ERR_MEMORY) {
		mprof_reader_destroy(*reader);
		*reader = NULL;
	}
	return status;
}

mprof_status mprof_reader_open_path(const char *path, const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_status status = reader_create(options, reader);

	if (status != MPROF_OK)
		return status;
	return reader_start(reader, source_open_path(&(*reader)->source, &(*reader)->allocator, path));
}

mprof_status mprof_reader_open_fd(int fd, const mprof_reader_options *options, mprof_reader **reader)
{
	mprof_status status = reader_create(options, reader);

	if (status != MPROF_OK)
		return status;
	return reader_start(reader, source_open_fd(&(*reader)->source, &(*reader)->allocator, fd));
}

mprof_status mprof_reader_open_memory(const void *bytes, size_t length, const mprof_reader_options *options,
				      mprof_reader **reader)
{
	mprof_status status = reader_create(options, reader);

	if (status != MPROF_OK)
		return status;
	return reader_start(reader, source_open_memory(&(*reader)->source, &(*reader)->allocator, bytes, length));
}

mprof_status mprof_reader_open_source(const mprof_source *source, const mprof_reader_options *options,
				      mprof_reader **reader)
{
	mprof_status status = source->read != NULL ? reader_create(options, reader) : MPROF_ERR_ARGUMENT;

	if (status != MPROF_OK) {
		*reader = NULL;
		if (source->close != NULL)
			source->close(source->user);
		return status;
	}
	(*reader)->source = *source;
	return reader_start(reader, 0);
}

mprof_status mprof_reader_class(const mprof_reader *reader, uint32_t id, mprof_mapping *mapping)
{
	return name_table_class(&reader->names, id, mapping) ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

mprof_status mprof_reader_method(const mprof_reader *reader, uint32_t id, mprof_mapping *mapping)
{
	return name_table_method(&reader->names, id, mapping) ? MPROF_OK : MPROF_ERR_UNDEFINED_ID;
}

size_t mprof_reader_method_name(const mprof_reader *reader, uint32_t id, char *text, size_t size)
{
	return name_table_method_name(&reader->names, id, text, size);
}

uint64_t mprof_reader_class_count(const mprof_reader *reader)
{
	return reader->names.classes.count;
}

uint64_t mprof_reader_method_count(const mprof_reader *reader)
{
	return reader->names.methods.count;
}

mprof_status mprof_reader_time(const mprof_reader *reader, uint64_t counter, int64_t *nanoseconds)
{
	return time_scale_convert(&reader->scale, counter, nanoseconds) ? MPROF_OK : MPROF_AGAIN;
}

mprof_status mprof_reader_session(const mprof_reader *reader, mprof_session *session)
{
	mprof_session own;

	memset(&own, 0, sizeof(own));
	own.struct_size = sizeof(own);
	own.flags = reader->intro.flags;
	own.runtime = reader->runtime != NULL ? reader->runtime : "";
	own.start = reader->scale.first;
	own.last = reader->scale.last;
	own.counters_per_second = time_scale_counters_per_second(&reader->scale);
	own.lost_events = reader->lost_events;
	own.compressed = (uint32_t)reader->is_compressed;
	if (reader->parser != NULL) {
		own.dialect = mprof_parser_dialect(reader->parser);
		own.version = reader->parser->is_past_intro ? reader->parser->decoding.rules->version : 0;
		own.complete = (uint32_t)(mprof_parser_complete(reader->parser) && !reader->is_damaged);
		own.valid_bytes = mprof_parser_valid_bytes(reader->parser);
	}
	return struct_copy_out(session, &own, sizeof(own));
}

mprof_status mprof_reader_error(const mprof_reader *reader, mprof_error *error)
{
	return error_copy(&reader->error, error);
}
