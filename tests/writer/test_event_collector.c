/* SPDX-License-Identifier: MIT */
/* Blocks that another thread has encoded and compressed for the writer. */
#include <mprof/reader.h>

#include "logs/log_fixture.h"
#include "base/caller_structs.h"
#include "writer/events.h"
#include "writer/writer_internal.h"

#include <criterion/criterion.h>

#define EVENTS 150
#define METHODS 30

TestSuite(event_collector, .timeout = 60);

static void collect_calls(event_collector *collector, const mprof_writer *writer)
{
	event_collector_begin(collector, writer, 7, 1000);
	for (uint32_t i = 0; i < EVENTS; i++) {
		const mprof_event event = {.kind = i % 2 == 0 ? MPROF_EVENT_METHOD_ENTER : MPROF_EVENT_METHOD_LEAVE,
					   .id = i / 2 * 7 % METHODS + 1,
					   .counter = 1000 + UINT64_C(5) * i};

		cr_assert(event_columns_reserve(&collector->columns, 1));
		cr_assert_eq(event_columns_add_event(&collector->columns, &collector->encoder, &event), MPROF_OK);
	}
	cr_assert_eq(event_collector_encode(collector), MPROF_OK);
	cr_assert_gt(collector->packed.length, 0);
}

/* The log has the calls in one compressed block. */
static void expect_calls(const log_bytes *log)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[EVENTS];
	mprof_reader *reader;
	size_t count;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	do
		cr_assert_eq(mprof_reader_next_block(reader, &block), MPROF_OK);
	while (block.kind != MPROF_BLOCK_EVENTS);
	cr_assert_neq(block.codec, MPROF_CODEC_NONE);
	cr_assert_eq(mprof_reader_next_events(reader, events, EVENTS, &count), MPROF_OK);
	cr_assert_eq(count, EVENTS);
	for (uint32_t i = 0; i < EVENTS; i++) {
		cr_assert_eq(events[i].id, i / 2 * 7 % METHODS + 1);
		cr_assert_eq(events[i].counter, 1000 + UINT64_C(5) * i);
	}
	mprof_reader_destroy(reader);
}

/* The writer takes what the other thread has compressed: it needs no codec of its own. */
Test(event_collector, blocks_are_compressed_once)
{
	for (uint32_t codec = MPROF_CODEC_DEFLATE; codec <= MPROF_CODEC_ZSTD; codec++) {
		mprof_writer_options options;
		mprof_allocator allocator;
		event_collector collector;
		mprof_writer *writer;
		log_bytes log;

		if (codec_max_level(codec) == 0)
			continue;
		mprof_writer_options_init(&options, sizeof(options));
		options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
		options.codec = codec;
		options.has_columns = 1;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
		cr_assert(allocator_init(&allocator, NULL));
		event_collector_init(&collector, &allocator);
		collect_calls(&collector, writer);
		cr_assert_eq(writer_put_collected(writer, &collector), MPROF_OK);
		cr_assert_null(writer->packer.contexts[CODEC_PLACE_DEFLATE]);
		cr_assert_null(writer->packer.contexts[CODEC_PLACE_ZSTD]);
		event_collector_destroy(&collector);
		log = log_take(writer);
		expect_calls(&log);
		log_free(&log);
	}
}
