/* SPDX-License-Identifier: MIT */
/* The writer in error cases: calls out of order, arguments out of range, failing sinks, refused memory. */
#include "writer_fixture.h"

#include "base/failing_allocator.h"
#include "writer/writer.h"

#include <errno.h>
#include <string.h>

/* All calls that write to the log; each must return the status. */
static void expect_all(mprof_writer *writer, mprof_status status)
{
	mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_MODULE, 0, 1, 2, 3, "a", 1, NULL};
	mprof_property property = {"program", "test"};
	uint64_t counts[] = {0, 1};

	cr_assert_eq(define_class(writer, 10, "A"), status);
	cr_assert_eq(define_method(writer, 10, 0, "f"), status);
	cr_assert_eq(mprof_writer_write_loaded(writer, &element), status);
	cr_assert_eq(mprof_writer_write_unloaded(writer, &element), status);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 1), status);
	cr_assert_eq(mprof_writer_write_statistical(writer, 0, NULL, 0, NULL, 0, 0), status);
	cr_assert_eq(mprof_writer_write_session(writer, &property, sizeof(property), 1), status);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), status);
	cr_assert_eq(mprof_writer_write_losses(writer, 1, counts, 2), status);
	cr_assert_eq(mprof_writer_flush(writer), status);
	cr_assert_eq(mprof_writer_close(writer), status);
}

Test(writer_failures, calls_out_of_order)
{
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	mprof_event event = event_of(MPROF_EVENT_GC_START, 0, 5);
	size_t written = 9;
	size_t length;

	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, &written), MPROF_ERR_STATE);
	cr_assert_eq(written, 0);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_ERR_STATE);
	expect_error(writer, MPROF_ERR_STATE, MPROF_SEVERITY_BLOCK);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	expect_all(writer, MPROF_ERR_STATE);
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, &written), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	EXPECT_BLOCK(writer, 1, 5, "\x82\x85\x81\x80\x17\x80\x85\0\x83\x85");
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	length = log_length(writer);
	expect_all(writer, MPROF_ERR_STATE);
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, &written), MPROF_ERR_STATE);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_ERR_STATE);
	cr_assert_eq(log_length(writer), length);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer_failures, nothing_to_work_on)
{
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_writer *writer = open_plain(MPROF_DIALECT_MPROF2, 0);
	const uint8_t *bytes;
	size_t length;

	expect_all(NULL, MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_write_events(NULL, NULL, 0, NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_end_events(NULL), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_get_memory(NULL, &bytes, &length), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_get_stats(NULL, &stats), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_get_error(NULL, &error), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_destroy(NULL), MPROF_OK);
	stats.struct_size = 0;
	error.struct_size = 0;
	cr_assert_eq(mprof_writer_get_stats(writer, &stats), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_get_error(writer, &error), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
}

Test(writer_failures, options_out_of_range)
{
	mprof_allocator incomplete = {sizeof(mprof_allocator), NULL, NULL, NULL, NULL};
	mprof_writer *const nothing = (mprof_writer *)&ticks;
	mprof_writer_options options;
	mprof_sink sink = {sizeof(mprof_sink), NULL, NULL, NULL, NULL};
	mprof_writer *writer;

#define EXPECT_REFUSED(field, value)                                                                                   \
	do {                                                                                                           \
		options = options_of(MPROF_DIALECT_MPROF2, 0);                                                         \
		options.field = value;                                                                                 \
		writer = nothing;                                                                                      \
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);                         \
		cr_assert_null(writer);                                                                                \
	} while (0)
	EXPECT_REFUSED(struct_size, 0);
	EXPECT_REFUSED(dialect, 7);
	EXPECT_REFUSED(lossy, 2);
	EXPECT_REFUSED(allow_undefined_ids, 2);
	EXPECT_REFUSED(gzip_level, 10);
	EXPECT_REFUSED(max_name_length, UINT64_MAX);
	EXPECT_REFUSED(allocator, &incomplete);
	writer = nothing;
	cr_assert_eq(mprof_writer_open_path(NULL, NULL, &writer), MPROF_ERR_ARGUMENT);
	cr_assert_null(writer);
	cr_assert_eq(mprof_writer_open_sink(NULL, NULL, &writer), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_open_sink(&sink, NULL, &writer), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_writer_open_memory(NULL, NULL), MPROF_ERR_ARGUMENT);
}

typedef struct test_sink {
	size_t writes;
	size_t fail_at;
	size_t flushes;
	size_t closes;
	int flush_error;
	int close_error;
	size_t header_length; /* Of blocks; 0 for that of mprof2. */
	size_t bytes;
} test_sink;

static int sink_count(void *user, const void *bytes, size_t length)
{
	test_sink *self = user;

	/* Each write is one complete block. */
	cr_assert_eq(bytes_load_32((const uint8_t *)bytes + 2),
		     length - (self->header_length != 0 ? self->header_length : 6));
	if (++self->writes == self->fail_at)
		return EDQUOT;
	self->bytes += length;
	return 0;
}

static int sink_count_flush(void *user)
{
	((test_sink *)user)->flushes++;
	return ((test_sink *)user)->flush_error;
}

static int sink_count_close(void *user)
{
	((test_sink *)user)->closes++;
	return ((test_sink *)user)->close_error;
}

static mprof_status open_sink(test_sink *self, const mprof_writer_options *options, mprof_writer **writer)
{
	mprof_sink sink = {sizeof(mprof_sink), sink_count, sink_count_flush, sink_count_close, self};

	return mprof_writer_open_sink(&sink, options, writer);
}

Test(writer_failures, io_errors_stick)
{
	test_sink sink = {.fail_at = 3};
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_event event = event_of(MPROF_EVENT_GC_START, 0, 5);
	mprof_error error = {.struct_size = sizeof(error)};
	mprof_writer *writer;

	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	cr_assert_eq(sink.flushes, 1);
	cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_OK);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_get_error(writer, &error), MPROF_OK);
	cr_assert_eq(error.status, MPROF_ERR_IO);
	cr_assert_eq(error.severity, MPROF_SEVERITY_FATAL);
	cr_assert_eq(error.system_error, EDQUOT);
	cr_assert_eq(error.offset, sink.bytes);
	cr_assert_eq(stats_of(writer).events, 0);
	cr_assert_eq(stats_of(writer).blocks, 2);
	cr_assert_eq(stats_of(writer).bytes, sink.bytes);
	expect_all(writer, MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_write_events(writer, &event, 1, NULL), MPROF_ERR_IO);
	cr_assert_eq(sink.writes, 3);
	expect_error(writer, MPROF_ERR_IO, MPROF_SEVERITY_FATAL);
	cr_assert_eq(sink.closes, 0);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
	cr_assert_eq(sink.closes, 1);
}

Test(writer_failures, sinks_are_closed_once)
{
	test_sink sink = {.close_error = ENOSPC};
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	mprof_writer *writer;

	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(sink.flushes, 1);
	cr_assert_eq(sink.closes, 0);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
	cr_assert_eq(sink.closes, 1);

	/* The sink is closed once, by the writer if there is one, though opening failed. */
	memset(&sink, 0, sizeof(sink));
	sink.fail_at = 1;
	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_ERR_IO);
	cr_assert_not_null(writer);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
	cr_assert_eq(sink.closes, 1);
	memset(&sink, 0, sizeof(sink));
	options.directives.bits[0] = BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);
	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_UNSUPPORTED);
	cr_assert_eq(sink.closes, 1);
	cr_assert_eq(sink.writes, 0);
	options.gzip_level = 99;
	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_ERR_ARGUMENT);
	cr_assert_null(writer);
	cr_assert_eq(sink.closes, 2);

	memset(&sink, 0, sizeof(sink));
	sink.flush_error = EIO;
	options = options_of(MPROF_DIALECT_MPROF2, 0);
	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_OK);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_close(writer), MPROF_ERR_IO);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_ERR_IO);
}

Test(writer_failures, steady_writing_takes_no_memory)
{
	failing_allocator memory = {0};
	mprof_allocator allocator = failing_allocator_interface(&memory);
	mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
	test_sink sink = {0};
	static mprof_event events[4096];
	mprof_writer *writer;
	size_t requests = 0;

	options.allocator = &allocator;
	for (size_t i = 0; i < 4096; i++)
		events[i] = event_of(i % 2 ? MPROF_EVENT_METHOD_LEAVE : MPROF_EVENT_METHOD_ENTER, 1, i * 100);
	cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_OK);
	cr_assert_eq(define_method(writer, 1, 0, "f ()"), MPROF_OK);
	for (int i = 0; i < 20; i++) {
		if (i == 1)
			requests = memory.requests;
		cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, events, 4096, NULL), MPROF_OK);
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_write_thread_name(writer, 1, "main", 4), MPROF_OK);
	}
	cr_assert_eq(memory.requests, requests);
	cr_assert_eq(mprof_writer_destroy(writer), MPROF_OK);
	cr_assert_eq(memory.blocks, 0);
}

/* Call stacks and blocks that use them. */
static size_t write_chains(mprof_writer *writer, mprof_status *results)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 8, .stack = 2};
	const mprof_event events[] = {
		{.kind = MPROF_EVENT_ALLOCATION, .id = 1000, .value = 16, .more.detail = &detail},
		{.kind = MPROF_EVENT_METHOD_ENTER, .id = 7},
		{.kind = MPROF_EVENT_ALLOCATION, .id = 1000, .value = 16, .more.detail = &detail},
	};
	const mprof_event samples[] = {{.kind = MPROF_EVENT_SAMPLE, .value = 2},
				       {.kind = MPROF_EVENT_SAMPLE, .value = 3}};
	const mprof_record code[] = {
		{.kind = MPROF_RECORD_MODULE,
		 .id = 1,
		 .as.module.address = 4096,
		 .as.module.size = 4096,
		 .as.module.file = "a module"},
		{.kind = MPROF_RECORD_FUNCTION, .id = 1, .as.function.module = 1, .as.function.name = "a function"},
		{.kind = MPROF_RECORD_LOCATION, .id = 1, .as.location.module = 1, .as.location.function = 1},
	};
	const mprof_record stacks[] = {
		{.kind = MPROF_RECORD_STACK, .id = 1, .as.stack.target = 7},
		{.kind = MPROF_RECORD_STACK, .id = 2, .as.stack.caller = 1, .as.stack.target = 7},
		{.kind = MPROF_RECORD_STACK,
		 .id = 3,
		 .as.stack.caller = 1,
		 .as.stack.target = 1,
		 .as.stack.is_native = 1},
	};
	size_t count = 0;

	results[count++] = mprof_writer_write_records(writer, MPROF_BLOCK_CODE, 0, code, sizeof(*code), 3);
	results[count++] = mprof_writer_write_records(writer, MPROF_BLOCK_STACKS, 0, stacks, sizeof(*stacks), 3);
	results[count++] = mprof_writer_begin_events(writer, 1, 0);
	results[count++] = mprof_writer_write_events(writer, events, 3, NULL);
	if (writer->state == WRITER_IN_EVENTS)
		results[count++] = mprof_writer_end_events(writer);
	results[count++] = mprof_writer_write_samples(writer, 1, 0, samples, 2);
	return count;
}

/* A heap snapshot in two parts. */
static size_t write_shot(mprof_writer *writer, mprof_status *results)
{
	const uint64_t references[] = {8, 16, 24};
	const mprof_event_detail detail = {
		.struct_size = sizeof(mprof_event_detail), .object = 8, .reference_count = 3, .references = references};
	const mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1000, .value = 16, .more.detail = &detail};

	results[0] = mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_FIRST, 0, &object, 1);
	results[1] = mprof_writer_write_heap(writer, 1, MPROF_HEAP_FLAG_LAST, 0, &object, 1);
	return 2;
}

/* Writes blocks of all kinds. Continues after errors and returns the last one. */
static mprof_status write_everything(mprof_writer *writer)
{
	mprof_property property = {"program", "test"};
	mprof_element element = {sizeof(mprof_element), MPROF_ELEMENT_MODULE, 0, 1, 2, 3, "module", 6, NULL};
	uint32_t hits[] = {7, 9000000};
	uint64_t counts[] = {0, 1};
	mprof_event event = event_of(MPROF_EVENT_METHOD_ENTER, 9000000, 5);
	mprof_event freed = event_of(MPROF_EVENT_HEAP_FREE, 1000, 0);
	mprof_record metric = {.kind = MPROF_RECORD_METRIC, .id = 1, .as.metric.flags = MPROF_METRIC_FLAG_DOUBLE};
	mprof_status results[32];
	size_t count = 0;
	mprof_status last = MPROF_OK;

	results[count++] = mprof_writer_write_session(writer, &property, sizeof(property), 1);
	results[count++] = mprof_writer_write_loaded(writer, &element);
	results[count++] = define_class(writer, 1000, "A class");
	results[count++] = define_method(writer, 7, 0, "A method of some length ()");
	results[count++] = define_method(writer, 9000000, 0, "Another ()");
	results[count++] = mprof_writer_begin_events(writer, 1, 0);
	for (int i = 0; i < 500 && results[count - 1] == MPROF_OK; i++)
		results[count - 1] = mprof_writer_write_events(writer, &event, 1, NULL);
	if (writer->state == WRITER_IN_EVENTS)
		results[count++] = mprof_writer_end_events(writer);
	count += write_chains(writer, results + count);
	results[count++] = mprof_writer_write_statistical(writer, 1, hits, 2, hits, 2, 3);
	results[count++] = mprof_writer_write_thread_name(writer, 1, "main", 4);
	results[count++] = mprof_writer_write_losses(writer, 1, counts, 2);
	results[count++] = mprof_writer_write_unloaded(writer, &element);
	results[count++] = mprof_writer_write_records(writer, MPROF_BLOCK_METRICS, 0, &metric, sizeof(metric), 1);
	count += write_shot(writer, results + count);
	results[count++] = mprof_writer_write_heap(writer, 0, 0, 0, &freed, 1);
	results[count++] = mprof_writer_write_mark(writer, 1, 0, "here", 4);
	results[count++] = mprof_writer_flush(writer);
	results[count++] = mprof_writer_close(writer);
	for (size_t i = 0; i < count; i++) {
		if (results[i] != MPROF_OK)
			last = results[i];
		cr_assert(results[i] == MPROF_OK || results[i] == MPROF_ERR_MEMORY ||
				  results[i] == MPROF_ERR_UNDEFINED_ID || results[i] == MPROF_ERR_STATE ||
				  results[i] == MPROF_ERR_IO,
			  "%zu: %s", i, mprof_status_get_text(results[i]));
	}
	return last;
}

/* Refuses each request for memory in turn, alone or with all later ones; the writer must survive it. */
static void refuse_memory_in_turn(uint32_t dialect, uint32_t gzip_level, int into_memory, int fail_once)
{
	uint64_t directives = dialect == MPROF_DIALECT_MPROF2 ? ALL_DIRECTIVES : BIT(MPROF_DIRECTIVE_ALLOCATION_STACK);

	for (size_t n = 1;; n++) {
		failing_allocator memory = {.fail_at = n, .fail_once = fail_once};
		mprof_allocator allocator = failing_allocator_interface(&memory);
		mprof_writer_options options = options_of(dialect, directives);
		test_sink sink = {.header_length = dialect == MPROF_DIALECT_MPROF2 ? 6 : 10};
		mprof_writer *writer;
		mprof_status status;

		options.allocator = &allocator;
		options.lossy = dialect != MPROF_DIALECT_MPROF2;
		options.gzip_level = gzip_level;
		status =
			into_memory ? mprof_writer_open_memory(&options, &writer) : open_sink(&sink, &options, &writer);
		if (status != MPROF_OK) {
			cr_assert_eq(status, MPROF_ERR_MEMORY);
			cr_assert_null(writer);
			cr_assert_eq(sink.closes, !into_memory);
		} else {
			status = write_everything(writer);
			cr_assert(status == MPROF_OK || memory.refused > 0);
			mprof_writer_destroy(writer);
			cr_assert_eq(sink.closes, !into_memory);
		}
		cr_assert_eq(memory.blocks, 0, "%zu blocks leak after request %zu", memory.blocks, n);
		if (memory.refused == 0) {
			cr_assert_eq(status, MPROF_OK);
			cr_assert_gt(n, 8);
			return;
		}
	}
}

Test(writer_failures, out_of_memory)
{
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 0, 1, 0);
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 0, 1, 1);
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 0, 0, 0);
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 0, 0, 1);
}

Test(writer_failures, out_of_memory_in_mono)
{
	for (int fail_once = 0; fail_once <= 1; fail_once++) {
		refuse_memory_in_turn(MPROF_DIALECT_MONO, 0, 1, fail_once);
		refuse_memory_in_turn(MPROF_DIALECT_MONO, 0, 0, fail_once);
	}
}

/* The number of blocks that reach a sink that fails at the block \p fail_at; 0 for a sink that does not fail. */
static size_t write_to_disk(size_t fail_at, mprof_status expected)
{
	mprof_writer_options options = options_of(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK));
	test_sink sink = {.fail_at = fail_at, .header_length = 10};
	mprof_writer *writer;
	mprof_status status;

	options.lossy = 1;
	status = open_sink(&sink, &options, &writer);
	if (status == MPROF_OK)
		status = write_everything(writer);
	cr_assert_eq(status, expected, "block %zu: %s", fail_at, mprof_status_get_text(status));
	cr_assert_eq(stats_of(writer).bytes, sink.bytes);
	cr_assert_eq(mprof_writer_destroy(writer), expected);
	cr_assert_eq(sink.closes, 1);
	return sink.writes;
}

Test(writer_failures, full_disk_in_mono)
{
	size_t blocks = write_to_disk(0, MPROF_OK);

	cr_assert_gt(blocks, 8);
	for (size_t n = 1; n <= blocks; n++)
		cr_assert_eq(write_to_disk(n, MPROF_ERR_IO), n);
}

#ifdef MPROF_WITH_ZLIB

Test(writer_failures, out_of_memory_compressed)
{
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 6, 1, 0);
	refuse_memory_in_turn(MPROF_DIALECT_MPROF2, 6, 1, 1);
}

#endif

/* A full block of columns that cannot be written leaves no block open. The log can be closed, if the sink works. */
Test(writer_failures, full_block_of_columns)
{
	const size_t count = 65537;
	mprof_event *events = calloc(count, sizeof(*events));

	for (size_t i = 0; i < count; i++)
		events[i] = event_of(MPROF_EVENT_METHOD_ENTER, (uint32_t)i + 1, i);
	for (size_t has_limit = 0; has_limit <= 1; has_limit++) {
		/* The block of events follows INTRO. */
		test_sink sink = {.fail_at = has_limit ? SIZE_MAX : 2};
		mprof_writer_options options = options_of(MPROF_DIALECT_MPROF2, 0);
		const mprof_status status = has_limit ? MPROF_ERR_LIMIT : MPROF_ERR_IO;
		mprof_writer *writer;
		size_t written;

		options.has_columns = 1;
		options.allow_undefined_ids = 1;
		cr_assert_eq(open_sink(&sink, &options, &writer), MPROF_OK);
		if (has_limit)
			cr_assert_eq(writer_set_limit(writer, 10000), MPROF_OK);
		cr_assert_eq(mprof_writer_begin_events(writer, 1, 0), MPROF_OK);
		cr_assert_eq(mprof_writer_write_events(writer, events, count, &written), status);
		cr_assert_eq(written, 65536);
		cr_assert_eq(stats_of(writer).events, 0);
		cr_assert_eq(mprof_writer_end_events(writer), has_limit ? MPROF_ERR_STATE : MPROF_ERR_IO);
		cr_assert_eq(mprof_writer_close(writer), has_limit ? MPROF_OK : MPROF_ERR_IO);
		(void)mprof_writer_destroy(writer);
	}
	free(events);
}
