/* SPDX-License-Identifier: MIT */
/*
 * Events in columns: a reader delivers the same events as from rows, also those before the end of a truncated block,
 * and no damage leads it astray. As arrays by field, events are the same as structs.
 */
#include <mprof/reader.h>
#include <mprof/writer.h>
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define IDS 200
#define STACKS 3
#define MAX_EVENTS 140000

/* The first elements of the list of kinds in make_event() have a symbol. */
#define SYMBOL_KINDS 7

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
static uint32_t keeps_implicit;

/* 1: few events of kinds without a symbol. 2: none. */
static uint32_t few_rows;

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
static void make_event(written_event *created, uint64_t *counter)
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
	mprof_event *event = &created->event;

	memset(created, 0, sizeof(*created));
	created->detail.struct_size = sizeof(created->detail);
	event->kind = kinds[next_random() % (few_rows == 2 || (few_rows == 1 && next_random() % 100 != 0)
						     ? SYMBOL_KINDS
						     : sizeof(kinds) / sizeof(kinds[0]))];
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
		created->detail.object = next_random() % 5 == 0 ? next_random() : 0x7f0012340000u + any_size();
		created->detail.caller = next_random() % 3 == 0 ? 0 : any_id();
		created->detail.stack = (uint32_t)(next_random() % (STACKS + 1));
		break;
	case MPROF_EVENT_MONITOR:
		event->id = any_id();
		event->value = MPROF_MONITOR_ACQUIRED;
		created->detail.object = next_random();
		break;
	case MPROF_EVENT_MEMORY_ALLOCATED:
		created->detail.size = any_size();
		/* fall through */
	case MPROF_EVENT_MEMORY_FREED:
		event->value = next_random() >> 20;
		created->detail.stack = (uint32_t)(next_random() % (STACKS + 1));
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

/* Writes the events to a log, in pieces of a given length. */
static log_bytes write_log(uint32_t has_columns, uint64_t directives, size_t piece)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = directives | MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
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
	return log_take(writer);
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
	options.keep_implicit_leaves = keeps_implicit;
	mprof_block_init(&block, sizeof(block));
	*status = mprof_reader_open_memory(bytes, length, &options, &reader);
	while (*status == MPROF_OK && (*status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		size_t count;

		if (*status != MPROF_OK && *status != MPROF_ERR_TRUNCATED && *status != MPROF_ERR_MALFORMED)
			break;
		if (block.kind != MPROF_BLOCK_EVENTS || !block.loaded)
			continue;
		while ((*status = mprof_reader_next_events(reader, read, batch, &count)) == MPROF_OK) {
			for (size_t i = 0; i < count && total < MAX_EVENTS; i++, total++) {
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
	written_event *of_rows = calloc(MAX_EVENTS, sizeof(*of_rows));
	written_event *of_columns = calloc(MAX_EVENTS, sizeof(*of_columns));
	log_bytes rows;
	log_bytes columns;
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
	compare_layouts(MAX_EVENTS, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1000, 4096);
}

Test(columns, are_refused_by_other_dialects)
{
	mprof_writer_options options;
	mprof_writer *writer;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
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
	written_event *whole = calloc(MAX_EVENTS, sizeof(*whole));
	written_event *found = calloc(MAX_EVENTS, sizeof(*found));
	mprof_status status;
	log_bytes log;
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
	written_event *found = calloc(MAX_EVENTS, sizeof(*found));
	written_event *whole = calloc(MAX_EVENTS, sizeof(*whole));
	mprof_writer_options options;
	mprof_status status;
	size_t refused = 0;
	log_bytes log;

	make_events(3000);
	log = write_log(1, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1000);
	cr_assert_eq(read_log(log.bytes, log.length, 100, whole, &status), 3000);
	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = ALLOCATION_FIELDS | OTHER_DIRECTIVES;
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
	written_event *found = calloc(MAX_EVENTS, sizeof(*found));
	mprof_status status;
	log_bytes log;

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

#define ALL_COLUMNS 127

/* Each call wants other columns, and some fetch structs. */
#define MIXED_COLUMNS 128

/* Where the next values of a batch are. */
typedef struct batch_cursor {
	const mprof_columns *columns;
	uint32_t wanted;
	size_t method;
	size_t time;
	size_t allocation;
	size_t row;
} batch_cursor;

static void expect_allocation(batch_cursor *cursor, const written_event *expected, size_t index)
{
	const mprof_columns *columns = cursor->columns;
	const size_t next = cursor->allocation++;

	cr_assert_eq(expected->event.kind, MPROF_EVENT_ALLOCATION);
	cr_assert_lt(next, columns->allocation_count);
	if (columns->classes != NULL)
		cr_assert_eq(columns->classes[next], expected->event.id, "event %zu", index);
	if (columns->sizes != NULL)
		cr_assert_eq(columns->sizes[next], expected->event.value, "event %zu", index);
	if (columns->callers != NULL)
		cr_assert_eq(columns->callers[next], expected->detail.caller, "event %zu", index);
	if (columns->stacks != NULL)
		cr_assert_eq(columns->stacks[next], expected->detail.stack, "event %zu", index);
	if (columns->objects != NULL)
		cr_assert_eq(columns->objects[next], expected->detail.object, "event %zu", index);
}

static void expect_call(batch_cursor *cursor, uint8_t symbol, const written_event *expected, size_t index)
{
	static const uint8_t kinds[] = {[MPROF_SYMBOL_ENTER] = MPROF_EVENT_METHOD_ENTER,
					[MPROF_SYMBOL_LEAVE_IMPLICIT] = MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					[MPROF_SYMBOL_LEAVE] = MPROF_EVENT_METHOD_LEAVE};
	const mprof_columns *columns = cursor->columns;

	cr_assert_eq(kinds[symbol], expected->event.kind, "event %zu", index);
	cr_assert_lt(cursor->time, columns->time_count);
	if (columns->times != NULL)
		cr_assert_eq(columns->times[cursor->time], expected->event.counter, "event %zu", index);
	cursor->time++;
	if (symbol == MPROF_SYMBOL_LEAVE_IMPLICIT)
		return;
	cr_assert_lt(cursor->method, columns->method_count);
	if (columns->methods != NULL)
		cr_assert_eq(columns->methods[cursor->method], expected->event.id, "event %zu", index);
	cursor->method++;
}

static void expect_struct(const mprof_event *event, const written_event *expected, size_t index)
{
	written_event found = {.event = *event};

	if (event->more.detail != NULL)
		found.detail = *event->more.detail;
	expect_equal(&found, expected, index);
}

/* The batch has the events from \p index on. Each column has the values of its events and no more. */
static void expect_batch(const mprof_columns *columns, uint32_t wanted, const written_event *expected, size_t index)
{
	batch_cursor cursor = {.columns = columns, .wanted = wanted};

	cr_assert_eq(columns->methods != NULL, (wanted & MPROF_COLUMN_METHODS) != 0);
	cr_assert_eq(columns->times != NULL, (wanted & MPROF_COLUMN_TIMES) != 0);
	cr_assert_eq(columns->classes != NULL, (wanted & MPROF_COLUMN_CLASSES) != 0);
	cr_assert_eq(columns->sizes != NULL, (wanted & MPROF_COLUMN_SIZES) != 0);
	cr_assert_eq(columns->start_counter, columns->times == NULL ? 0
					     : index > 0            ? expected[index - 1].event.counter
								    : columns->start_counter);
	for (size_t i = 0; i < columns->event_count; i++) {
		const written_event *next = &expected[index + i];

		switch (columns->symbols[i]) {
		case MPROF_SYMBOL_ALLOCATION:
			expect_allocation(&cursor, next, index + i);
			break;
		case MPROF_SYMBOL_ROW:
			cr_assert_lt(cursor.row, columns->row_count);
			expect_struct(&columns->rows[cursor.row++], next, index + i);
			break;
		default:
			cr_assert_leq(columns->symbols[i], MPROF_SYMBOL_LEAVE);
			expect_call(&cursor, columns->symbols[i], next, index + i);
			break;
		}
	}
	cr_assert_eq(cursor.method, columns->method_count);
	cr_assert_eq(cursor.time, columns->time_count);
	cr_assert_eq(cursor.allocation, columns->allocation_count);
	cr_assert_eq(cursor.row, columns->row_count);
}

/* Fetches a batch of structs, which has the events from \p index on. */
static mprof_status expect_structs(mprof_reader *reader, const written_event *expected, size_t index, size_t total,
				   size_t *count)
{
	mprof_event batch[60];
	mprof_status status = mprof_reader_next_events(reader, batch, next_random() % 60 + 1, count);

	cr_assert_leq(index + *count, total);
	for (size_t i = 0; i < *count; i++)
		expect_struct(&batch[i], &expected[index + i], index + i);
	return status;
}

/* Fetches the events of a block, those from \p index on. Returns the status of the last call. */
static mprof_status expect_block(mprof_reader *reader, uint32_t wanted, const written_event *expected, size_t *index,
				 size_t total)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_status status = MPROF_OK;

	while (status == MPROF_OK) {
		const uint32_t now = wanted == MIXED_COLUMNS ? (uint32_t)(next_random() % (ALL_COLUMNS + 1)) : wanted;
		size_t count;

		if (wanted == MIXED_COLUMNS && next_random() % 2 == 0) {
			status = expect_structs(reader, expected, *index, total, &count);
		} else {
			status = mprof_reader_next_columns(reader, now, &columns);
			count = columns.event_count;
			cr_assert_eq(status == MPROF_OK, count > 0);
			cr_assert_leq(*index + count, total);
			expect_batch(&columns, now, expected, *index);
		}
		*index += count;
	}
	return status;
}

/* A log yields the same events and the same status as arrays as it does as structs. */
static void expect_same(const uint8_t *bytes, size_t length, uint32_t wanted, const written_event *expected,
			size_t total, mprof_status last)
{
	mprof_reader_options options;
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;
	size_t index = 0;

	mprof_reader_options_init(&options, sizeof(options));
	options.ignore_checksums = 1;
	options.keep_implicit_leaves = 1;
	options.threads = wanted == MIXED_COLUMNS ? 2 : 0;
	mprof_block_init(&block, sizeof(block));
	status = mprof_reader_open_memory(bytes, length, &options, &reader);
	while (status == MPROF_OK && (status = mprof_reader_next_block(reader, &block)) != MPROF_END) {
		if (status != MPROF_OK && status != MPROF_ERR_TRUNCATED && status != MPROF_ERR_MALFORMED)
			break;
		if (block.kind != MPROF_BLOCK_EVENTS || !block.loaded)
			continue;
		status = expect_block(reader, wanted, expected, &index, total);
		if (status == MPROF_END)
			status = MPROF_OK;
	}
	cr_assert_eq(status, last);
	cr_assert_eq(index, total);
	mprof_reader_destroy(reader);
}

static void compare_arrays(size_t count, uint64_t directives, uint32_t has_columns)
{
	static const uint32_t masks[] = {0,
					 MPROF_COLUMN_METHODS,
					 MPROF_COLUMN_TIMES,
					 MPROF_COLUMN_SIZES,
					 MPROF_COLUMN_METHODS | MPROF_COLUMN_CLASSES,
					 ALL_COLUMNS,
					 MIXED_COLUMNS};
	written_event *found = calloc(MAX_EVENTS, sizeof(*found));
	mprof_status status;
	log_bytes log;
	size_t total;

	keeps_implicit = 1;
	make_events(count);
	log = write_log(has_columns, directives, 1000);
	total = read_log(log.bytes, log.length, 500, found, &status);
	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		expect_same(log.bytes, log.length, masks[i], found, total, status);
	free(log.bytes);
	free(found);
	free_events();
	written = NULL;
	events = NULL;
}

Test(columns, are_the_same_as_arrays_and_as_structs)
{
	static const uint64_t directives[] = {0, OTHER_DIRECTIVES, ALLOCATION_FIELDS,
					      ALLOCATION_FIELDS | OTHER_DIRECTIVES};

	for (size_t i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {
		for (uint32_t has_columns = 0; has_columns <= 1; has_columns++) {
			compare_arrays(0, directives[i], has_columns);
			compare_arrays(1, directives[i], has_columns);
			compare_arrays(9001, directives[i], has_columns);
		}
	}
	compare_arrays(70000, OTHER_DIRECTIVES, 1);
}

/* Most logs have few rows, and then batches are decoded as a whole. */
Test(columns, are_the_same_as_arrays_with_few_rows)
{
	few_rows = 1;
	compare_arrays(70000, 0, 1);
	compare_arrays(20000, OTHER_DIRECTIVES, 1);
	compare_arrays(20000, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1);
	few_rows = 2;
	compare_arrays(20000, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 1);
}

/* Whether a log is truncated or damaged, arrays contain the events that structs contain, and the status is the same. */
Test(columns, are_the_same_as_arrays_after_damage)
{
	written_event *found = calloc(MAX_EVENTS, sizeof(*found));
	mprof_status status;
	log_bytes log;

	keeps_implicit = 1;
	few_rows = 1;
	make_events(150);
	log = write_log(1, ALLOCATION_FIELDS | OTHER_DIRECTIVES, 150);
	for (size_t i = 0; i < log.length; i++) {
		const uint8_t right = log.bytes[i];
		size_t total = read_log(log.bytes, i, 64, found, &status);

		expect_same(log.bytes, i, ALL_COLUMNS, found, total, status);
		for (uint32_t change = 1; change < 256; change = change * 3 + 1) {
			log.bytes[i] = (uint8_t)(right ^ change);
			total = read_log(log.bytes, log.length, 64, found, &status);
			expect_same(log.bytes, log.length, ALL_COLUMNS, found, total, status);
		}
		log.bytes[i] = right;
	}
	free(log.bytes);
	free(found);
}

static void write_calls(mprof_writer *writer, const uint32_t *methods, size_t count)
{
	cr_assert_eq(mprof_writer_begin_events(writer, 77, 900), MPROF_OK);
	for (size_t i = 0; i < count; i++) {
		const mprof_event event = {.kind = methods[i] != 0 ? MPROF_EVENT_METHOD_ENTER
								   : MPROF_EVENT_METHOD_LEAVE_IMPLICIT,
					   .id = methods[i],
					   .counter = 1000 + i};
		size_t taken;

		cr_assert_eq(mprof_writer_write_events(writer, &event, 1, &taken), MPROF_OK);
	}
	cr_assert_eq(mprof_writer_end_events(writer), MPROF_OK);
}

static mprof_status next_block_of_events(mprof_reader *reader)
{
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	do
		status = mprof_reader_next_block(reader, &block);
	while (status == MPROF_OK && block.kind != MPROF_BLOCK_EVENTS);
	return status;
}

/* The leaves of the next structs are of these methods. */
static void expect_leaves(mprof_reader *reader, const uint32_t *methods, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		mprof_event event;
		size_t fetched;

		cr_assert_eq(mprof_reader_next_events(reader, &event, 1, &fetched), MPROF_OK);
		if (event.kind == MPROF_EVENT_METHOD_ENTER)
			continue;
		cr_assert_eq(event.kind, MPROF_EVENT_METHOD_LEAVE);
		cr_assert_eq(event.flags, MPROF_EVENT_FLAG_IMPLICIT);
		cr_assert_eq(event.id, methods[i], "event %zu", i);
	}
}

/* Calls that were fetched as arrays are not followed. What is left of them has an unknown method, never a wrong one. */
Test(columns, leave_later_implicit_leaves_without_a_method)
{
	static const uint32_t calls[] = {1, 2, 3, 0, 0, 4, 0};
	static const uint32_t followed[] = {0, 0, 0, 3, 2, 0, 4};
	static const uint32_t passed[] = {0, 0, 0, 0, 0, 0, 4};
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_writer_options options;
	mprof_writer *writer;
	mprof_reader *reader;
	const uint8_t *bytes;
	size_t length;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = OTHER_DIRECTIVES;
	options.has_columns = 1;
	options.allow_undefined_ids = 1;
	cr_assert_eq(mprof_writer_open_memory(&options, &writer), MPROF_OK);
	write_calls(writer, calls, 3);
	write_calls(writer, calls + 3, 4);
	cr_assert_eq(mprof_writer_close(writer), MPROF_OK);
	cr_assert_eq(mprof_writer_get_memory(writer, &bytes, &length), MPROF_OK);
	for (uint32_t as_arrays = 0; as_arrays <= 2; as_arrays++) {
		cr_assert_eq(mprof_reader_open_memory(bytes, length, NULL, &reader), MPROF_OK);
		cr_assert_eq(next_block_of_events(reader), MPROF_OK);
		if (as_arrays == 1) {
			cr_assert_eq(mprof_reader_next_columns(reader, 0, &columns), MPROF_OK);
			cr_assert_eq(columns.event_count, 3);
		} else {
			expect_leaves(reader, followed, 3);
		}
		cr_assert_eq(next_block_of_events(reader), MPROF_OK);
		if (as_arrays == 2) {
			expect_leaves(reader, followed + 3, 1);
			cr_assert_eq(mprof_reader_next_columns(reader, 0, &columns), MPROF_OK);
			cr_assert_eq(columns.event_count, 3);
			cr_assert_eq(mprof_reader_next_columns(reader, 0, &columns), MPROF_END);
		} else {
			expect_leaves(reader, as_arrays == 1 ? passed + 3 : followed + 3, 4);
		}
		mprof_reader_destroy(reader);
	}
	(void)mprof_writer_destroy(writer);
}

Test(columns, are_refused_with_wrong_arguments)
{
	mprof_columns columns = {.struct_size = sizeof(columns)};
	mprof_status status;
	mprof_reader *reader;
	log_bytes log;

	make_events(10);
	log = write_log(1, OTHER_DIRECTIVES, 10);
	cr_assert_eq(mprof_reader_open_memory(log.bytes, log.length, NULL, &reader), MPROF_OK);
	cr_assert_eq(mprof_reader_next_columns(reader, 0, &columns), MPROF_ERR_STATE);
	cr_assert_eq(next_block_of_events(reader), MPROF_OK);
	cr_assert_eq(mprof_reader_next_columns(reader, ALL_COLUMNS + 1, &columns), MPROF_ERR_ARGUMENT);
	columns.struct_size = sizeof(columns) - 1;
	cr_assert_eq(mprof_reader_next_columns(reader, 0, &columns), MPROF_ERR_ARGUMENT);
	columns.struct_size = sizeof(columns);
	status = mprof_reader_next_columns(reader, ALL_COLUMNS, &columns);
	cr_assert_eq(status, MPROF_OK);
	cr_assert_eq(columns.event_count, 10);
	mprof_reader_destroy(reader);
	free(log.bytes);
}
