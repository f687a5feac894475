/* SPDX-License-Identifier: MIT */
/* Errors of the reader, its progress, and its interruption. */
#include "reader/errors.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/reader_internal.h"

#include <errno.h>

mprof_status reader_fail_parser(mprof_reader *reader, mprof_status status)
{
	reader->error = *parser_last_error(reader->parser);
	if (status == MPROF_ERR_TRUNCATED && reader->is_damaged)
		reader->error.what = "the compressed data is damaged from here, inside a block";
	if (status == MPROF_ERR_MEMORY)
		reader->memory_error = reader->error;
	return status;
}

mprof_status reader_fail_memory(mprof_reader *reader, const char *what)
{
	error_set(&reader->error, MPROF_ERR_MEMORY, MPROF_SEVERITY_FATAL, what);
	if (reader->parser != NULL) {
		reader->error.block_code = parser_block(reader->parser)->code;
		reader->error.block_offset = parser_block(reader->parser)->offset;
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
				 "a required pointer argument is NULL");
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

mprof_status reader_end_fetch(mprof_reader *reader, mprof_status status, size_t *count)
{
	if (reader->memory_error.status == MPROF_OK)
		return status;
	*count = 0;
	return reader_check(reader);
}

mprof_status reader_fail_system(mprof_reader *reader, int system_error, const char *what)
{
	if (system_error == ENOMEM)
		return reader_fail_memory(reader, "out of memory in the source");
	return error_set_system(&reader->error, system_error, what);
}

mprof_status reader_fail_names(mprof_reader *reader, mprof_status status, const mprof_block *block)
{
	const char *what = "some definitions of the block cannot be stored";

	if (status == MPROF_ERR_MEMORY)
		return reader_fail_memory(reader, "out of memory for names");
	if (status == MPROF_ERR_REDEFINED_ID)
		what = "the block defines an ID that was defined before: the first definition is kept";
	else if (status == MPROF_ERR_LIMIT)
		what = "the names of the log exceed the memory limit: raise max_names_memory";
	else if (status == MPROF_ERR_MALFORMED)
		what = "a definition is missing before the block: its IDs leave a gap";
	error_set(&reader->error, status, MPROF_SEVERITY_BLOCK, what);
	reader->error.block_code = block->code;
	reader->error.block_offset = block->offset;
	reader->error.offset = block->offset;
	/* Exceeding a limit of the caller is not damage. */
	if (status != MPROF_ERR_LIMIT && block->offset < reader->fault_offset)
		reader->fault_offset = block->offset;
	return status;
}

void reader_note_fault(mprof_reader *reader, mprof_status status)
{
	if (status == MPROF_ERR_MEMORY)
		(void)reader_fail_memory(reader, "out of memory for call stacks");
	else if (reader->fetch_fault == MPROF_OK)
		reader->fetch_fault = status;
}

mprof_status reader_end_parsed(mprof_reader *reader, mprof_status status)
{
	if (status <= MPROF_END)
		return status;
	/* The events after the damage are missing. */
	reader->frames.has_gap = 1;
	return reader_fail_parser(reader, status);
}

/* Bytes of the source between two calls of the progress function. */
#define PROGRESS_SPAN (UINT64_C(1) << 20)

/* A signal handler may set the flag only if the atomic store is lock-free. */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "the interrupt flag has to be lock-free");

/* Reports progress, and returns 1 if the operation is to be interrupted. Called on the thread that calls the reader. */
static int report_progress(void *user, uint64_t position)
{
	mprof_reader *reader = user;
	reader_watch *watch = &reader->watch;

	if (atomic_load_explicit(&watch->interrupt, memory_order_relaxed) != 0) {
		atomic_store_explicit(&watch->interrupt, 0, memory_order_relaxed);
		watch->has_stopped = 1;
		return 1;
	}
	/* To return to an earlier position is no progress. The next pass for the index continues at the furthest. */
	if (position < watch->last_position) {
		if (!watch->is_indexing)
			watch->last_position = position;
		return 0;
	}
	if (watch->progress == NULL || position - watch->last_position < PROGRESS_SPAN)
		return 0;
	watch->last_position = position;
	watch->has_stopped = watch->progress(watch->user, position, watch->total) != 0;
	return watch->has_stopped;
}

void reader_watch_init(mprof_reader *reader, const mprof_reader_options *options)
{
	reader->watch.source.look = report_progress;
	reader->watch.source.user = reader;
	reader->watch.progress = options->progress;
	reader->watch.user = options->progress_user;
	atomic_init(&reader->watch.interrupt, 0);
}

static mprof_status report_interruption(mprof_reader *reader)
{
	reader->watch.has_stopped = 0;
	return error_set(&reader->error, MPROF_ERR_INTERRUPTED, MPROF_SEVERITY_NONE,
			 "reading was interrupted: repeat the call to continue");
}

mprof_status reader_watch_look(mprof_reader *reader)
{
	uint64_t position = reader->is_compressed ? source_gzip_get_compressed_position(&reader->source)
						  : parser_fed_end(reader->parser);

	return report_progress(reader, position) ? report_interruption(reader) : MPROF_OK;
}

mprof_status reader_watch_fail_seek(mprof_reader *reader, int fault)
{
	if (reader->watch.has_stopped)
		return report_interruption(reader);
	return reader_fail_system(reader, fault, "cannot seek in the log");
}

void mprof_reader_interrupt(mprof_reader *reader)
{
	if (reader != NULL)
		atomic_store_explicit(&reader->watch.interrupt, 1, memory_order_relaxed);
}
