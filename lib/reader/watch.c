/* SPDX-License-Identifier: MIT */
/* Reports the progress of long operations, and interrupts them. */
#include "reader/watch.h"

#include "base/error.h"
#include "parser/parser.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

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
