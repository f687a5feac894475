/* SPDX-License-Identifier: MIT */
/*
 * Events in columns: a reader delivers the same events as from rows, also those before the end of a truncated block,
 * and no damage leads it astray.
 */
#include <mprof/reader.h>
#include <mprof/writer.h>

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define IDS 200
#define STACKS 3
#define MOST_EVENTS 140000

#define ALLOCATION_FIELDS                                                                                              \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) |                                                      \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID))
#define OTHER_DIRECTIVES                                                                                               \
	(MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS) |  \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_CLASS_SIZES) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_DETAILED_EVENTS) |     \
	 MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS) | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_MEMORY_EVENTS))

/* The parts of an event that a log has. */
typedef struct written_event {
	mprof_event event;
	mprof_event_detail detail;
} written_event;

static written_event *written;
static mprof_event *events;
static size_t written_count;

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint32_t any_id(void)
{
	/* Most IDs are small, as in a real log; some need more bytes. */
	return (uint32_t)(next_random() % 8 == 0 ? 70000 : 0) + (uint32_t)(next_random() % IDS) + 1;
}

static uint64_t any_size(void)
{
	return next_random() % 20 == 0 ? next_random() : next_random() % 4 * 8;
}

/* An event of one of the kinds that have a symbol, or of others. */
static void make_event(written_event *made, uint64_t *counter)
{
	static const uint8_t kinds[] = {MPROF_EVENT_METHOD_ENTER,
					MPROF_EVENT_METHOD_ENTER,
					MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					MPROF_EVENT_METHOD_LEAVE,
					MPROF_EVENT_ALLOCATION,
					MPROF_EVENT_ALLOCATION,
					MPROF_EVENT_METHOD_LEAVE_EXCEPTION,
					MPROF_EVENT_GC_START,
					MPROF_EVENT_GC_RESIZE,
					MPROF_EVENT_MONITOR,
					MPROF_EVENT_MEMORY_ALLOCATED,
					MPROF_EVENT_MEMORY_FREED,
					MPROF_EVENT_METHOD_JIT_END};
	mprof_event *event = &made->event;

	memset(made, 0, sizeof(*made));
	made->detail.struct_size = sizeof(made->detail);
	event->kind = kinds[next_random() % (sizeof(kinds) / sizeof(kinds[0]))];
	*counter += next_random() % 50 == 0 ? next_random() >> next_random() % 64 : next_random() % 300;
	event->counter = *counter;
	switch (event->kind) {
	case MPROF_EVENT_METHOD_LEAVE_IMPLICIT:
		break;
	case MPROF_EVENT_GC_START:
	case MPROF_EVENT_GC_RESIZE:
		event->id = any_id();
		event->value = 1;
		break;
	case MPROF_EVENT_METHOD_JIT_END:
		event->id = any_id();
		event->flags = next_random() % 2 * MPROF_EVENT_FLAG_FAILED;
		break;
	case MPROF_EVENT_ALLOCATION:
		event->id = any_id();
		event->value = any_size();
		made->detail.object = next_random() % 5 == 0 ? next_random() : 0x7f0012340000u + any_size();
		made->detail.caller = next_random() % 3 == 0 ? 0 : any_id();
		made->detail.stack = (uint32_t)(next_random() % (STACKS + 1));
		break;
	case MPROF_EVENT_MONITOR:
		event->id = any_id();
		event->value = MPROF_MONITOR_ACQUIRED;
		made->detail.object = next_random();
		break;
	case MPROF_EVENT_MEMORY_ALLOCATED:
		made->detail.size = any_size();
		/* fall through */
	case MPROF_EVENT_MEMORY_FREED:
		event->value = next_random() >> 20;
		made->detail.stack = (uint32_t)(next_random() % (STACKS + 1));
		break;
	default:
		event->id = any_id();
		break;
	}
}

static void make_events(size_t count)
{
	uint64_t counter = 1000;

	written = calloc(count, sizeof(*written));
	events = calloc(count, sizeof(*events));
	written_count = count;
	for (size_t i = 0; i < count; i++) {
		make_event(&written[i], &counter);
		events[i] = written[i].event;
		events[i].more.detail = &written[i].detail;
	}
}

static void free_events(void)
{
	free(written);
	free(events);
}

TestSuite(columns, .fini = free_events, .timeout = 60);

static void define_classes(mprof_writer *writer)
{
	for (uint32_t id = 1; id <= IDS; id++) {
		const mprof_class_definition definition = {
			.struct_size = sizeof(definition), .id = id, .name = "C", .name_length = 1, .size = id % 3 * 8};

		cr_assert_eq(mprof_writer_define_class(writer, &definition), MPROF_OK);
	}
}

typedef struct log_copy {
	uint8_t *bytes;
	size_t length;
} log_copy;

/* Writes the events to a log, in pieces of a given length. */
static log_copy write_log(uint32_t has_columns, uint64_t directives, size_t piece)
{
	mprof_writer_options options;
	mprof_writer *writer;
	const uint8_t *bytes;
	log_copy copy;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives = directives;
	options.has_columns = has_columns;
	options.allow_undefined_ids = 1;
	options.lossy = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	define_classes(writer);
	cr_assert_eq(mprof_writer_begin_events(writer, 77, 900), MPROF_OK);
	for (size_t i = 0; i < written_count; i += piece) {
		size_t count = written_count - i < piece ? written_count - i : piece;
		size_t taken;

		cr_assert_eq(mprof_writer_write_events(writer, events + i, count, &taken), MPROF_OK);
		cr_assert_eq(taken, count);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &copy.length), MPROF_OK);
	copy.bytes = malloc(copy.length);
	memcpy(copy.bytes, bytes, copy.length);
	(void)mprof_writer_destroy(writer);
	return copy;
}

/* Reads the events of a log, with checksums ignored. Returns their number, and the status of the last read. */
static size_t read_log(const uint8_t *bytes, size_t length, size_t batch, written_event *found, mprof_status *status)
{
	mprof_event *read = calloc(batch, sizeof(*read));
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	size_t total = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.ignore_checksums = 1;
	mprof_block_init(&block, sizeof(block));
	*status = mprof_reader_open_memory(bytes, length, &options, &reader);
	while (*status == MPROF_OK && (*status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		size_t count;

		if (*status != MPROF_OK && *status != MPROF_ERR_TRUNCATED && *status != MPROF_ERR_MALFORMED)
			break;
		if (block.kind != MPROF_BLOCK_EVENTS || !block.loaded)
			continue;
		while ((*status = mprof_reader_next_events(reader, read, batch, &count)) == MPROF_OK) {
			for (size_t i = 0; i < count && total < MOST_EVENTS; i++, total++) {
				found[total].event = read[i];
				memset(&found[total].detail, 0, sizeof(found[total].detail));
				if (read[i].more.detail != NULL)
					found[total].detail = *read[i].more.detail;
			}
		}
		if (*status == MPROF_END)
			*status = MPROF_OK;
	}
	mprof_reader_destroy(reader);
	free(read);
	return total;
}

static void expect_equal(const written_event *found, const written_event *expected, size_t index)
{
	cr_assert_eq(found->event.kind, expected->event.kind, "event %zu", index);
	cr_assert_eq(found->event.flags, expected->event.flags, "event %zu", index);
	cr_assert_eq(found->event.id, expected->event.id, "event %zu", index);
	cr_assert_eq(found->event.counter, expected->event.counter, "event %zu", index);
	cr_assert_eq(found->event.value, expected->event.value, "event %zu", index);
	cr_assert_eq(found->detail.object, expected->detail.object, "event %zu", index);
	cr_assert_eq(found->detail.caller, expected->detail.caller, "event %zu", index);
	cr_assert_eq(found->detail.stack, expected->detail.stack, "event %zu", index);
	cr_assert_eq(found->detail.size, expected->detail.size, "event %zu", index);
}

/* The log has the same events as rows and as columns. */
static void compare_layouts(size_t count, uint64_t directives, size_t piece, size_t batch)
{
	written_event *of_rows = calloc(MOST_EVENTS, sizeof(*of_rows));
	written_event *of_columns = calloc(MOST_EVENTS, sizeof(*of_columns));
	log_copy rows;
	log_copy columns;
	mprof_status status;
	size_t expected;

	make_events(count);
	rows = write_log(0, directives, piece);
	columns = write_log(1, directives, piece);
	expected = read_log(rows.bytes, rows.length, batch, of_rows, &status);
	cr_assert_eq(status, MPROF_END);
	cr_assert_eq(read_log(columns.bytes, columns.length, batch, of_columns, &status), expected);
	cr_assert_eq(status, MPROF_END);
	for (size_t i = 0; i < expected; i++)
		expect_equal(&of_columns[i], &of_rows[i], i);
	free(rows.bytes);
	free(columns.bytes);
	free(of_rows);
	free(of_columns);
	free_events();
	written = NULL;
	events = NULL;
}

Test(columns, have_the_events_of_rows)
{
	static const uint64_t fields[] = {0, ALLOCATION_FIELDS, MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT),
					  MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID)};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		compare_layouts(0, fields[i] | OTHER_DIRECTIVES, 1, 1);
		compare_layouts(1, fields[i] | OTHER_DIRECTIVES, 1, 1);
		compare_layouts(1000, fields[i] | OTHER_DIRECTIVES, 1, 3);
		compare_layouts(1000, fields[i], 1000, 1000);
		compare_layouts(5001, fields[i] | OTHER_DIRECTIVES, 777, 1);
		compare_layouts(5001, fields[i] | OTHER_DIRECTIVES, 5001, 777);
	}
}

/* A block has at most 65,536 events, so these are in three. */
Test(columns, are_divided_into_blocks)
{
	compare_layouts(MOST_EVENTS, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1000, 4096);
}

Test(columns, are_refused_by_other_dialects)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.has_columns = 1;
	options.dialect = MPROF_DIALECT_MONO;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_UNSUPPORTED);
	(void)mprof_writer_destroy(writer);
	options.has_columns = 2;
	options.dialect = MPROF_DIALECT_MPROF2;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_ERR_ARGUMENT);
}

/* A log that ends at any byte yields events from the start of the block, and the status that it is truncated. */
Test(columns, yield_the_events_before_they_are_truncated)
{
	written_event *whole = calloc(MOST_EVENTS, sizeof(*whole));
	written_event *found = calloc(MOST_EVENTS, sizeof(*found));
	mprof_status status;
	log_copy log;
	size_t most = 0;

	make_events(300);
	log = write_log(1, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 300);
	cr_assert_eq(read_log(log.bytes, log.length, 100, whole, &status), 300);
	for (size_t length = 0; length < log.length; length++) {
		uint8_t *copy = malloc(length + 1);
		size_t count;

		memcpy(copy, log.bytes, length);
		count = read_log(copy, length, 100, found, &status);
		cr_assert_neq(status, MPROF_OK);
		cr_assert_geq(count, most, "at %zu", length);
		most = count;
		for (size_t i = 0; i < count; i++)
			expect_equal(&found[i], &whole[i], i);
		free(copy);
	}
	cr_assert_eq(most, 300);
	free(log.bytes);
	free(whole);
	free(found);
}

/* Refuses the request after a number of others. */
static size_t requests_left;

static void *reallocate_at_times(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	return requests_left-- == 0 ? NULL : realloc(memory, new_size);
}

static void *allocate_at_times(void *user, size_t size)
{
	return reallocate_at_times(user, NULL, 0, size);
}

static void release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

/* A refused request has no effect: the same call succeeds later, and the log is the same. */
Test(columns, are_whole_after_refused_requests)
{
	const mprof_allocator allocator = {sizeof(allocator), allocate_at_times, reallocate_at_times, release, NULL};
	written_event *found = calloc(MOST_EVENTS, sizeof(*found));
	written_event *whole = calloc(MOST_EVENTS, sizeof(*whole));
	mprof_writer_options options;
	mprof_status status;
	size_t refused = 0;
	log_copy log;

	make_events(3000);
	log = write_log(1, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1000);
	cr_assert_eq(read_log(log.bytes, log.length, 100, whole, &status), 3000);
	mprof_writer_options_init(&options, sizeof(options));
	options.directives = ALLOCATION_FIELDS | OTHER_DIRECTIVES;
	options.has_columns = 1;
	options.allow_undefined_ids = 1;
	options.lossy = 1;
	options.allocator = &allocator;
	for (size_t request = 0; request < 200; request++) {
		mprof_writer *writer;
		const uint8_t *bytes;
		size_t length;
		size_t done = 0;

		requests_left = SIZE_MAX;
		cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
		define_classes(writer);
		cr_assert_eq(mprof_writer_begin_events(writer, 77, 900), MPROF_OK);
		requests_left = request;
		while (done < written_count) {
			size_t taken;

			status = mprof_writer_write_events(writer, events + done, written_count - done, &taken);
			cr_assert(status == MPROF_OK || status == MPROF_ERR_MEMORY);
			refused += status == MPROF_ERR_MEMORY;
			done += taken;
		}
		/* All memory for the block is reserved; what follows is memory of the sink, whose failure is final. */
		requests_left = SIZE_MAX;
		cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
		cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
		cr_assert_eq(read_log(bytes, length, 100, found, &status), 3000);
		for (size_t i = 0; i < 3000; i++)
			expect_equal(&found[i], &whole[i], i);
		(void)mprof_writer_destroy(writer);
	}
	cr_assert_gt(refused, 10);
	free(log.bytes);
	free(found);
	free(whole);
}

/* Whatever byte is wrong, reading ends, and not with more events than the block can have. */
Test(columns, survive_damage_of_each_byte)
{
	written_event *found = calloc(MOST_EVENTS, sizeof(*found));
	mprof_status status;
	log_copy log;

	make_events(200);
	log = write_log(1, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 200);
	for (size_t i = 0; i < log.length; i++) {
		const uint8_t right = log.bytes[i];

		for (uint32_t change = 1; change < 256; change = change * 3 + 1) {
			log.bytes[i] = (uint8_t)(right ^ change);
			cr_assert_leq(read_log(log.bytes, log.length, 64, found, &status), 65536);
		}
		log.bytes[i] = right;
	}
	free(log.bytes);
	free(found);
}
