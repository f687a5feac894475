/* SPDX-License-Identifier: MIT */
/* All that a copy lacks is counted, each loss once and nothing else. */
#include "convert_fixture.h"
#include "logs/mono_fixture.h"

#include <criterion/criterion.h>

#define DIRECTIVES                                                                                                     \
	(BIT(MPROF_DIRECTIVE_ALLOCATION_STACK) | BIT(MPROF_DIRECTIVE_ELEMENT_IDS) |                                    \
	 BIT(MPROF_DIRECTIVE_ASSEMBLY_IDS) | BIT(MPROF_DIRECTIVE_METHOD_FLAGS))

/* Closes the writer's log and converts it. */
static conversion convert_from(mprof_writer *writer, mprof_dialect target)
{
	log_bytes log = {NULL, 0};
	const uint8_t *bytes;
	conversion created;

	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = (uint8_t *)(uintptr_t)bytes;
	created = convert(&log, target);
	cr_assert_eq(created.status, MPROF_OK);
	mprof_writer_destroy(writer);
	return created;
}

static uint64_t count_samples(const log_bytes *log)
{
	mprof_block block = {.struct_size = sizeof(block)};
	mprof_event events[64];
	mprof_reader *reader;
	uint64_t found = 0;
	size_t got;

	cr_assert_eq(mprof_reader_open_memory(log->bytes, log->length, NULL, &reader), MPROF_OK);
	while (mprof_reader_next_block(reader, &block) == MPROF_OK) {
		while (mprof_reader_next_events(reader, events, 64, &got) == MPROF_OK)
			found += got;
	}
	mprof_reader_destroy(reader);
	return found;
}

/* Expects the number of samples in a copy, and how many of these are truncated. */
static void expect_samples(mprof_dialect source, mprof_dialect target, const mprof_event *samples, size_t count,
			   uint64_t copied, uint64_t shortened)
{
	mprof_writer *writer = open_mono(source, source == MPROF_DIALECT_MPROF2 ? 0 : DIRECTIVES, 1);
	conversion created;
	uint64_t found;

	define_stacks(writer);
	cr_assert_eq(mprof_writer_write_samples(writer, 0, 0, samples, count), MPROF_OK);
	created = convert_from(writer, target);
	found = count_samples(&created.log);
	cr_assert_eq(found, copied, "%llu samples", (unsigned long long)found);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_SAMPLE], shortened, "%llu shortened",
		     (unsigned long long)created.stats.shortened_events[MPROF_EVENT_SAMPLE]);
	cr_assert_eq(created.stats.left_out_events[MPROF_EVENT_SAMPLE], count - copied);
	log_free(&created.log);
}

static mprof_event sample_of(uint32_t chain)
{
	mprof_event sample = {.kind = MPROF_EVENT_SAMPLE};

	sample.value = chain;
	return sample;
}

/*
 * A list of hits holds only methods without callers: functions lose their names and callers are dropped. Samples
 * without an ID are left out.
 */
Test(convert_losses, samples_in_lists)
{
	const mprof_event samples[] = {sample_of(2), sample_of(3), sample_of(5), sample_of(6)};

	expect_samples(MPROF_DIALECT_MONO, MPROF_DIALECT_MAIL, samples, 1, 1, 0);
	expect_samples(MPROF_DIALECT_MONO, MPROF_DIALECT_MAIL, samples, 4, 3, 2);
}

/* A hit with a weight counts as that many hits. */
Test(convert_losses, weights_in_lists)
{
	const mprof_event_detail many = {.struct_size = sizeof(mprof_event_detail), .samples = 3000};
	mprof_event samples[] = {sample_of(5)};
	mprof_writer *writer = open_mono(MPROF_DIALECT_DROP, 0, 1);
	conversion created;

	samples[0].more.detail = &many;
	define_stacks(writer);
	cr_assert_eq(mprof_writer_write_samples(writer, 0, 0, samples, 1), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_MAIL);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_SAMPLE], 3000);
	log_free(&created.log);
}

/*
 * A large weight must not make the copy arbitrarily large: up to 2^22 hits of a log are repeated, the rest is
 * truncated.
 */
Test(convert_losses, weights_beyond_the_bound)
{
	const uint64_t most = UINT64_C(1) << 22;
	const mprof_event_detail many = {.struct_size = sizeof(many), .samples = most + 100};
	const mprof_event_detail some = {.struct_size = sizeof(some), .samples = 5};
	mprof_event samples[] = {sample_of(5), sample_of(5)};
	mprof_writer *writer = open_mono(MPROF_DIALECT_DROP, 0, 1);
	conversion created;

	samples[0].more.detail = &many;
	samples[1].more.detail = &some;
	define_stacks(writer);
	cr_assert_eq(mprof_writer_write_samples(writer, 0, 0, samples, 2), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_MPROF2);
	cr_assert_eq(count_samples(&created.log), most + 2);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_SAMPLE], 2);
	log_free(&created.log);
}

/* In mono a function without a name becomes an address, and the flag that a method was being compiled is lost. */
Test(convert_losses, places_of_samples)
{
	const mprof_record function = {.kind = MPROF_RECORD_FUNCTION, .id = 3, .as.function.name = ""};
	const mprof_record location = {.kind = MPROF_RECORD_LOCATION, .id = 4, .as.location.function = 3};
	const mprof_record stack = {.kind = MPROF_RECORD_STACK, .id = 9, .as.stack.target = 4, .as.stack.is_native = 1};
	const mprof_event samples[] = {sample_of(1), sample_of(2), sample_of(5), sample_of(9)};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MPROF2, 0, 0);
	conversion created;

	define_stacks(writer);
	put_records(writer, MPROF_BLOCK_CODE, &function, 1);
	put_records(writer, MPROF_BLOCK_CODE, &location, 1);
	put_records(writer, MPROF_BLOCK_STACKS, &stack, 1);
	cr_assert_eq(mprof_writer_write_samples(writer, 0, 0, samples, 4), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_MONO);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_SAMPLE], 2);
	log_free(&created.log);
}

/* The same where the log has the call stacks before the events. */
Test(convert_losses, chains_of_allocations)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 3};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, DIRECTIVES, 0);
	conversion created;

	define_stacks(writer);
	begin_events(writer, 1);
	ADD(writer, ALLOCATION, 3, 16, 0, &detail);
	ADD(writer, ALLOCATION, 3, 16, 0, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_MAIL);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_ALLOCATION], 1);
	log_free(&created.log);
}

/* The second event is truncated if the event before it was. */
Test(convert_losses, time_of_a_new_size)
{
	mprof_writer *writer = open_mono(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS), 0);
	conversion created;

	begin_events(writer, 1);
	ADD(writer, GC_START, 1, 0, 3, NULL);
	ADD(writer, GC_RESIZE, 1, 64, 2, NULL);
	ADD(writer, GC_END, 1, 0, 3, NULL);
	ADD(writer, GC_RESIZE, 1, 64, 0, NULL);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_MONO);
	cr_assert_eq(created.stats.shortened_events[MPROF_EVENT_GC_RESIZE], 1);
	cr_assert_eq(created.stats.left_out, 1);
	log_free(&created.log);
}

/* What directives add to names and code units, and the flag that memory for a heap snapshot ran out. */
Test(convert_losses, blocks)
{
	const mprof_assembly_name assembly = {.struct_size = sizeof(mprof_assembly_name), .base_name = "a"};
	const mprof_element elements[] = {
		{.struct_size = sizeof(mprof_element), .kind = MPROF_ELEMENT_MODULE, .name = "m", .name_length = 1},
		{.struct_size = sizeof(mprof_element),
		 .kind = MPROF_ELEMENT_MODULE,
		 .id = 1,
		 .name = "m",
		 .name_length = 1},
		{.struct_size = sizeof(mprof_element),
		 .kind = MPROF_ELEMENT_ASSEMBLY,
		 .name = "a",
		 .name_length = 1,
		 .assembly = &assembly},
	};
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .object = 0x1000};
	const mprof_event object = {.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 24, .more.detail = &detail};
	const uint32_t shot = MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST;
	mprof_writer *writer = open_mono(MPROF_DIALECT_MPROF2, FIXTURE_ALL_DIRECTIVES, 0);
	conversion created;

	define_names(writer);
	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
		cr_assert_eq(mprof_writer_write_loaded(writer, &elements[i]), MPROF_OK);
	cr_assert_eq(mprof_writer_write_unloaded(writer, &elements[1]), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 1, shot, 0, &object, 1), MPROF_OK);
	cr_assert_eq(mprof_writer_write_heap(writer, 2, shot | MPROF_HEAP_FLAG_INCOMPLETE, 0, &object, 1), MPROF_OK);
	created = convert_from(writer, MPROF_DIALECT_DROP);
	cr_assert_eq(created.stats.shortened_blocks[MPROF_BLOCK_MAPPING], 1);
	cr_assert_eq(created.stats.shortened_blocks[MPROF_BLOCK_LOADED], 2);
	cr_assert_eq(created.stats.shortened_blocks[MPROF_BLOCK_UNLOADED], 1);
	cr_assert_eq(created.stats.shortened_blocks[MPROF_BLOCK_HEAP_DATA], 1);
	cr_assert_eq(created.stats.left_out, 5);
	log_free(&created.log);
}

/* Every counted loss ends the copy if lossy conversion is not allowed. */
Test(convert_losses, are_refused_unless_wanted)
{
	const mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .stack = 3};
	mprof_writer *writer = open_mono(MPROF_DIALECT_MONO, DIRECTIVES, 0);
	mprof_writer_options options;
	log_bytes log = {NULL, 0};
	const uint8_t *bytes;
	conversion created;

	define_stacks(writer);
	cr_assert_eq(mprof_writer_flush(writer), MPROF_OK);
	begin_events(writer, 1);
	ADD(writer, ALLOCATION, 3, 16, 0, &detail);
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &log.length), MPROF_OK);
	log.bytes = (uint8_t *)(uintptr_t)bytes;
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.dialect = MPROF_DIALECT_UNITY;
	created = convert_with(&log, &options);
	cr_assert_eq(created.status, MPROF_OK);
	log_free(&created.log);
	options.dialect = MPROF_DIALECT_DROP;
	options.lossy = 0;
	created = convert_with(&log, &options);
	cr_assert_eq(created.status, MPROF_ERR_UNSUPPORTED);
	cr_assert(created.has_failed);
	cr_assert_geq(created.stats.left_out, 1);
	log_free(&created.log);
	mprof_writer_destroy(writer);
}
