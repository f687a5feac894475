/* SPDX-License-Identifier: MIT */
/*
 * Finds the clock of a whole log with a second reader, which decodes no events. Its source reads at given offsets, so
 * the source of the first reader stays where it is, and compression is detected again.
 *
 * The clock pairs of many blocks are in their contents. Writers add an index only to logs in which no block has a later
 * clock pair than END, so the contents of such a log are skipped.
 */
#include "reader/whole_clock.h"

#include "base/error.h"
#include "reader/errors.h"
#include "reader/reader_internal.h"

static int read_on(void *user, void *bytes, size_t length, size_t *got)
{
	reader_whole_clock *clock = user;
	const mprof_source *source = &clock->owner->plain_source;
	const int fault = source->read_at(source->user, clock->position, bytes, length, got);

	if (fault == 0)
		clock->position += *got;
	return fault;
}

static int seek_to(void *user, uint64_t offset)
{
	reader_whole_clock *clock = user;

	clock->position = offset;
	return 0;
}

/* Also an interruption of the first reader stops the second one. */
static int report_progress(void *user, uint64_t done, uint64_t total)
{
	reader_watch *watch = &((reader_whole_clock *)user)->owner->watch;

	(void)total;
	if (atomic_exchange_explicit(&watch->interrupt, 0, memory_order_relaxed) != 0)
		return 1;
	return watch->progress != NULL && watch->progress(watch->user, done, watch->total) != 0;
}

static mprof_status open_again(reader_whole_clock *clock)
{
	const mprof_source source = {sizeof(source), read_on, seek_to, NULL, clock, NULL};
	mprof_reader_options options;

	mprof_reader_options_init(&options, sizeof(options));
	options.allocator = &clock->owner->allocator;
	if (!clock->needs_contents)
		options.wanted.bits[0] = MPROF_BLOCK_BIT(MPROF_BLOCK_SESSION) | MPROF_BLOCK_BIT(MPROF_BLOCK_END);
	options.ignore_checksums = clock->owner->ignores_checksums;
	options.progress = report_progress;
	options.progress_user = clock;
	return mprof_reader_open_source(&source, &options, &clock->reader);
}

/* Whether reading continues after a status; damage is reported when the log is read for its contents. */
static int continues_after(const reader_whole_clock *clock, mprof_status status)
{
	return status == MPROF_OK || (status > MPROF_AGAIN && clock->reader->error.severity == MPROF_SEVERITY_BLOCK);
}

static mprof_status read_clocks(reader_whole_clock *clock)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_status status = clock->reader == NULL ? open_again(clock) : MPROF_OK;

	if (clock->reader == NULL)
		return status;
	while (status != MPROF_ERR_MEMORY && status != MPROF_ERR_INTERRUPTED && continues_after(clock, status)) {
		clock->is_damaged |= status != MPROF_OK;
		block.loaded = 0;
		status = mprof_reader_next_block(clock->reader, &block);
		clock->has_index |= block.loaded && block.kind == MPROF_BLOCK_END && block.as.end.index_distance != 0;
	}
	if (status == MPROF_ERR_MEMORY || status == MPROF_ERR_INTERRUPTED)
		return status;
	clock->scale = clock->reader->scale;
	clock->is_known = 1;
	mprof_reader_destroy(clock->reader);
	clock->reader = NULL;
	return MPROF_OK;
}

/* Reads all contents if they have to be read, which may turn out after they were skipped. */
static mprof_status read_needed(reader_whole_clock *clock)
{
	const int had_contents = clock->needs_contents;
	mprof_status status = read_clocks(clock);

	if (status != MPROF_OK || had_contents || (clock->has_index && !clock->is_damaged))
		return status;
	clock->needs_contents = 1;
	clock->is_known = 0;
	clock->position = 0;
	return read_clocks(clock);
}

mprof_status reader_find_whole_clock(mprof_reader *reader)
{
	mprof_status status;

	if (reader->memory_error.status != MPROF_OK)
		return MPROF_ERR_MEMORY;
	if (reader_may_grow(reader) || reader->has_index || reader->plain_source.read_at == NULL)
		return MPROF_OK;
	if (reader->whole_clock == NULL) {
		reader->whole_clock = allocator_allocate_zeroed(&reader->allocator, sizeof(*reader->whole_clock));
		if (reader->whole_clock == NULL)
			return reader_fail_memory(reader, "out of memory for the clock of the log");
		reader->whole_clock->owner = reader;
		/* Skipping compressed bytes takes as long as reading them. */
		reader->whole_clock->needs_contents = reader->is_compressed;
	}
	if (reader->whole_clock->is_known)
		return MPROF_OK;
	status = read_needed(reader->whole_clock);
	if (status == MPROF_ERR_INTERRUPTED)
		return error_set(&reader->error, status, MPROF_SEVERITY_NONE,
				 "reading was interrupted: repeat the call to continue");
	return status == MPROF_ERR_MEMORY ? reader_fail_memory(reader, "out of memory for the clock of the log")
					  : MPROF_OK;
}

int reader_get_whole_counter(const mprof_reader *reader, int64_t nanoseconds, uint64_t *counter)
{
	const int is_known = reader->whole_clock != NULL && reader->whole_clock->is_known;

	(void)time_scale_invert(is_known ? &reader->whole_clock->scale : &reader->scale, nanoseconds, counter);
	return is_known || (reader->has_index && !reader_may_grow(reader));
}
