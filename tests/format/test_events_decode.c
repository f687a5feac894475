/* SPDX-License-Identifier: MIT */
/* Decodes events and compares them with a simple second decoder; edge cases. */
#include "format/events/events_decode.h"

#include "base/caller_structs.h"
#include "format/values/varint.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define EVENTS 3000
#define MAX_FRAMES 70
#define MAX_EVENT_LENGTH (1 + 2 * 5 + MAX_FRAMES * 5)
#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

typedef struct expected_event {
	mprof_event event;
	mprof_event_detail detail;
	int has_detail;
	size_t end; /* End of its bytes. */
	uint64_t frames[MAX_FRAMES];
	uint8_t arguments[16];
} expected_event;

static events_decode_state state_of(const uint8_t *bytes, size_t length, size_t readable, uint64_t counter)
{
	return (events_decode_state){.bytes = bytes, .length = length, .readable = readable, .counter = counter};
}

static event_section sections[EVENTS];

static events_decode_batch batch_of(mprof_event *events, size_t capacity, mprof_event_detail *details,
				    size_t detail_capacity)
{
	cr_assert(detail_capacity <= EVENTS);
	return (events_decode_batch){.events = events,
				     .capacity = capacity,
				     .details = details,
				     .detail_capacity = detail_capacity,
				     .sections = sections};
}

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A number of random length, more often short than a uniform random number would be. */
static uint64_t random_number(uint32_t most_bits)
{
	uint32_t bits = (uint32_t)(random_next() % (most_bits + 1));

	return bits == 0 ? 0 : random_next() >> (64 - bits);
}

static uint64_t common_number(uint32_t most_bits)
{
	return random_next() % 16 == 0 ? random_number(most_bits) : random_number(most_bits < 14 ? most_bits : 14);
}

/* Sizes of classes by ID; some classes have none. */
#define CLASSES 5000

static id_map sizes;

static uint32_t size_of_class(uint32_t id)
{
	return id % 7 == 0 ? UINT32_MAX - id : id * 3;
}

static void make_sizes(void)
{
	mprof_allocator allocator;

	allocator_init(&allocator, NULL);
	id_map_init(&sizes, &allocator);
	for (uint32_t id = 1; id <= CLASSES; id++)
		cr_assert(id_map_put(&sizes, id, size_of_class(id)));
}

/* Builds the tables with those sizes. */
static void make_tables(event_decode_table *table, event_code codes[256], mprof_dialect dialect, uint64_t directives)
{
	make_sizes();
	event_codes_build(codes, dialect_get(dialect), directives);
	event_decode_table_build(table, dialect_get(dialect), directives, &sizes);
}

/* Adds a varint after the others of an event, and its expected value. Returns the position after it. */
static uint8_t *expected_put_extra(expected_event *expected, uint8_t *out, uint32_t extra)
{
	uint64_t number = common_number(extra == EVENT_FIELD_CALLER || extra == EVENT_FIELD_STACK ? 32 : 64);

	switch (extra) {
	case EVENT_FIELD_VALUE:
		expected->event.value = number;
		break;
	case EVENT_FIELD_HANDLE:
		expected->event.value = number / 4;
		expected->detail.handle_type = (uint32_t)(number % 4);
		break;
	case EVENT_FIELD_CALLER:
		expected->detail.caller = (uint32_t)number;
		break;
	case EVENT_FIELD_STACK:
		expected->detail.stack = (uint32_t)number;
		break;
	default:
		cr_assert_eq(extra, EVENT_FIELD_OBJECT);
		expected->detail.object = number;
		break;
	}
	return varint_put(out, number);
}

static int is_packed(const event_code *code)
{
	return code->layout == EVENT_LAYOUT_PACKED_ID || code->layout == EVENT_LAYOUT_ALLOCATION ||
	       code->layout == EVENT_LAYOUT_ALLOCATION_FIXED || code->layout == EVENT_LAYOUT_IMPLICIT_LEAVE;
}

static int has_id(const event_code *code)
{
	return is_packed(code) ? code->layout != EVENT_LAYOUT_IMPLICIT_LEAVE
			       : code->layout == EVENT_LAYOUT_ID || code->layout == EVENT_LAYOUT_DETAILED ||
					 code->layout == EVENT_LAYOUT_ALLOCATION_UNPACKED;
}

static int is_allocation(const event_code *code)
{
	return code->kind == MPROF_EVENT_ALLOCATION || code->kind == MPROF_EVENT_ALLOCATION_AT_JIT;
}

/* Very long times of monitor events are treated as uninitialized memory, which has its own test. */
static uint64_t random_time(const event_code *code)
{
	return common_number(code->layout == EVENT_LAYOUT_DETAILED ? 40 : 60);
}

/* The first varint of an event, including the bits that the event code holds. */
static uint64_t random_main_number(uint32_t byte, const event_code *code)
{
	uint64_t number = common_number(has_id(code) ? 32 : 64);

	if (code->layout == EVENT_LAYOUT_ALLOCATION_FIXED)
		number %= CLASSES - 31;
	return is_packed(code) ? (number & ~UINT64_C(31)) | byte >> 3 : number;
}

/*
 * A collection, or a new size of the heap. Once a collection number was found, mono stores the number of a new size in
 * place of its time. In the first event of that kind, a time of 1 is taken for a number.
 */
static uint8_t *expected_put_collection(expected_event *expected, uint8_t *out, const event_code *code,
					uint64_t *counter, collection_numbers *numbers)
{
	uint64_t time = common_number(60);

	expected->event.id = (uint32_t)common_number(32);
	if (code->layout == EVENT_LAYOUT_COLLECTION) {
		expected->event.value = common_number(8);
		if (*numbers != COLLECTION_NUMBERS_SURE)
			*numbers = expected->event.id != 0 ? COLLECTION_NUMBERS_SURE : COLLECTION_NUMBERS_NONE;
		*counter += time;
		return varint_put(varint_put(out, (uint64_t)expected->event.id << 8 | expected->event.value), time);
	}
	expected->event.value = common_number(64);
	out = varint_put(out, expected->event.value);
	if (code->layout == EVENT_LAYOUT_RESIZE && *numbers == COLLECTION_NUMBERS_UNKNOWN) {
		*numbers = time == 1 ? COLLECTION_NUMBERS_LIKELY : COLLECTION_NUMBERS_NONE;
		expected->event.id = 1;
	}
	if (code->layout == EVENT_LAYOUT_RESIZE && *numbers != COLLECTION_NUMBERS_NONE)
		return varint_put(out, expected->event.id);
	*counter += time;
	out = varint_put(out, time);
	if (code->layout == EVENT_LAYOUT_RESIZE_TIMED)
		return varint_put(out, expected->event.id);
	expected->event.id = 0;
	return out;
}

static uint8_t *expected_put_stack_section(expected_event *expected, uint8_t *out)
{
	expected->event.value = common_number(32);
	/* Some need several windows of the fast path. */
	expected->detail.reference_count = (uint32_t)(random_next() % (random_next() % 8 == 0 ? MAX_FRAMES + 1 : 5));
	expected->detail.references = expected->frames;
	expected->has_detail = 1;
	out = varint_put(varint_put(out, expected->event.value), expected->detail.reference_count);
	for (uint32_t i = 0; i < expected->detail.reference_count; i++) {
		expected->frames[i] = common_number(32);
		out = varint_put(out, expected->frames[i]);
	}
	return out;
}

/* Adds an address as the delta to the previous one. */
static uint8_t *expected_put_place(uint8_t *out, uint64_t address, uint64_t *previous)
{
	uint64_t distance = address - *previous;
	int64_t units = (int64_t)(distance - (distance & 15)) / 16;
	uint64_t folded = units < 0 ? (uint64_t)(-2 * units - 1) : (uint64_t)(2 * units);

	*previous = address;
	out = varint_put(out, 2 * folded + ((distance & 15) != 0));
	return (distance & 15) != 0 ? varint_put(out, distance & 15) : out;
}

static uint64_t last_address;
static uint64_t last_object;

static uint8_t *expected_put_memory(expected_event *expected, uint8_t *out, const event_code *code, uint64_t *counter)
{
	uint64_t time = common_number(60);
	uint64_t duration = common_number(40);

	*counter += time;
	out = varint_put(out, time);
	if (code->layout == EVENT_LAYOUT_MEMORY_RESIZED) {
		out = varint_put(out, duration);
		expected->detail.started = *counter - duration;
		expected->detail.object = last_address + common_number(64);
		out = expected_put_place(out, expected->detail.object, &last_address);
	}
	expected->event.value = last_address - common_number(64);
	if (random_next() % 2 == 0)
		expected->event.value &= ~UINT64_C(15);
	out = expected_put_place(out, expected->event.value, &last_address);
	expected->has_detail = code->layout != EVENT_LAYOUT_MEMORY_FREED;
	if (!expected->has_detail)
		return out;
	if (code->layout != EVENT_LAYOUT_MEMORY_FREED_STACK) {
		expected->detail.size = common_number(64);
		out = varint_put(out, expected->detail.size);
	}
	expected->detail.stack = (uint32_t)common_number(32);
	return varint_put(out, expected->detail.stack);
}

static uint8_t *expected_put_common(expected_event *expected, uint8_t *out, uint32_t byte, const event_code *code,
				    uint64_t *counter)
{
	uint64_t main_number = random_main_number(byte, code);
	uint64_t second = is_allocation(code) ? common_number(64) : random_time(code);

	out = varint_put(out, is_packed(code) ? main_number >> 5 : main_number);
	if (has_id(code))
		expected->event.id = (uint32_t)main_number;
	else if (code->layout != EVENT_LAYOUT_IMPLICIT_LEAVE)
		expected->event.value = main_number;
	if (code->layout == EVENT_LAYOUT_ALLOCATION_FIXED)
		expected->event.value = size_of_class((uint32_t)main_number);
	else if (is_allocation(code))
		expected->event.value = second;
	else
		*counter += code->layout == EVENT_LAYOUT_IMPLICIT_LEAVE ? main_number : second;
	if (code->layout != EVENT_LAYOUT_IMPLICIT_LEAVE && code->layout != EVENT_LAYOUT_ALLOCATION_FIXED)
		out = varint_put(out, second);
	for (uint32_t fields = code->fields; fields != 0; fields = EVENT_FIELDS_NEXT(fields))
		out = expected_put_extra(expected, out, EVENT_FIELDS_FIRST(fields));
	expected->has_detail = code->fields != 0;
	return out;
}

static uint8_t *expected_put_object(expected_event *expected, uint8_t *out, const event_code *code, uint64_t *counter)
{
	const int is_resized = code->layout == EVENT_LAYOUT_OBJECT_RESIZED;
	const uint64_t time = common_number(60);
	const uint64_t size = common_number(64);

	*counter += time;
	expected->event.id = (uint32_t)common_number(32);
	out = varint_put(varint_put(out, expected->event.id), time);
	expected->detail.object = last_object + common_number(64);
	out = expected_put_place(out, expected->detail.object, &last_object);
	expected->event.value = is_resized ? last_object - common_number(64) : size;
	if (is_resized)
		out = expected_put_place(out, expected->event.value, &last_object);
	expected->detail.size = is_resized ? size : 0;
	expected->has_detail = 1;
	return varint_put(out, size);
}

/* Arguments are any bytes, also such that would be varints that continue. */
static uint8_t *expected_put_sized(expected_event *expected, uint8_t *out, uint64_t *counter)
{
	const size_t length = random_next() % (sizeof(expected->arguments) + 1);
	const uint64_t time = common_number(60);

	expected->event.id = (uint32_t)common_number(32);
	out = varint_put(varint_put(out, expected->event.id), length);
	for (size_t i = 0; i < length; i++) {
		expected->arguments[i] = (uint8_t)random_next();
		*out++ = expected->arguments[i];
	}
	*counter += time;
	expected->detail.argument_size = length;
	expected->has_detail = length > 0;
	return varint_put(out, time);
}

/* Adds an event of a code with random numbers, and its expected value. Returns the position after it. */
static uint8_t *expected_put(expected_event *expected, uint8_t *out, uint32_t byte, const event_code *code,
			     uint64_t *counter, collection_numbers *numbers)
{
	memset(expected, 0, sizeof(*expected));
	expected->detail.struct_size = sizeof(expected->detail);
	expected->event.kind = code->kind;
	expected->event.flags = code->flags;
	expected->event.code = (uint8_t)byte;
	*out++ = (uint8_t)byte;
	switch (code->layout) {
	case EVENT_LAYOUT_COLLECTION:
	case EVENT_LAYOUT_RESIZE:
	case EVENT_LAYOUT_RESIZE_TIMED:
		out = expected_put_collection(expected, out, code, counter, numbers);
		break;
	case EVENT_LAYOUT_MEMORY_ALLOCATED:
	case EVENT_LAYOUT_MEMORY_FREED:
	case EVENT_LAYOUT_MEMORY_FREED_STACK:
	case EVENT_LAYOUT_MEMORY_RESIZED:
		out = expected_put_memory(expected, out, code, counter);
		break;
	case EVENT_LAYOUT_OBJECT_FREED:
	case EVENT_LAYOUT_OBJECT_RESIZED:
		out = expected_put_object(expected, out, code, counter);
		break;
	case EVENT_LAYOUT_STACK_SECTION:
		out = expected_put_stack_section(expected, out);
		break;
	case EVENT_LAYOUT_SIZED:
		out = expected_put_sized(expected, out, counter);
		break;
	default:
		out = expected_put_common(expected, out, byte, code, counter);
		break;
	}
	expected->event.counter = *counter;
	return out;
}

static void expect_detail(const expected_event *expected, const mprof_event *event)
{
	mprof_event_detail detail = *event->more.detail;

	for (uint32_t i = 0; i < expected->detail.reference_count; i++)
		cr_assert_eq(detail.references[i], expected->frames[i]);
	detail.references = expected->detail.references;
	cr_assert_eq(detail.argument_size, expected->detail.argument_size);
	cr_assert(detail.argument_size == 0 ||
		  memcmp(detail.arguments, expected->arguments, detail.argument_size) == 0);
	detail.arguments = NULL;
	cr_assert_eq(memcmp(&expected->detail, &detail, sizeof(detail)), 0, "byte %02x", event->code);
}

static void expect_event(const expected_event *expected, const mprof_event *event, size_t number)
{
	cr_assert_eq(memcmp(&expected->event, event, offsetof(mprof_event, more)), 0, "event %zu, byte %02x", number,
		     expected->event.code);
	if (expected->has_detail)
		expect_detail(expected, event);
	else
		cr_assert_eq(event->more.detail_bits, 0);
}

/* The batch lists exactly its stack sections, in order. */
static void expect_sections(const events_decode_batch *batch)
{
	size_t found = 0;

	for (size_t i = 0; i < batch->count; i++) {
		if (batch->events[i].kind != MPROF_EVENT_STACK_SECTION)
			continue;
		cr_assert_lt(found, batch->section_count);
		cr_assert_eq(&batch->details[batch->sections[found].detail_index], batch->events[i].more.detail);
		cr_assert_eq(batch->sections[found].kept, batch->events[i].value);
		found++;
	}
	cr_assert_eq(found, batch->section_count);
}

typedef struct made_events {
	expected_event *expected;
	uint8_t *bytes;
	size_t length;
} made_events;

static int is_event(const event_code *code)
{
	return code->layout != EVENT_LAYOUT_INVALID && code->layout != EVENT_LAYOUT_END &&
	       code->layout != EVENT_LAYOUT_LEFTOVER;
}

/* An event code: most events enter or leave, or they allocate. */
static uint32_t random_byte(const event_code codes[256], int most_allocate)
{
	uint32_t byte;

	/* If there are stack sections, they precede most allocations. */
	if (most_allocate && codes[0x4f].layout == EVENT_LAYOUT_STACK_SECTION && random_next() % 3 == 0)
		return 0x4f;
	do {
		byte = (uint32_t)random_next() & 0xff;
		if (random_next() % 4 < 3)
			byte = (byte & 0xf8) | (most_allocate ? byte & 4 : (byte & 2) | 1);
	} while (!is_event(&codes[byte]));
	return byte;
}

/* Random valid events. */
static made_events make_events(const event_code codes[256], int most_allocate)
{
	made_events created = {calloc(EVENTS, sizeof(expected_event)), malloc(EVENTS * MAX_EVENT_LENGTH), 0};
	uint64_t counter = 1000;
	collection_numbers numbers = COLLECTION_NUMBERS_UNKNOWN;
	uint8_t *out = created.bytes;

	last_address = 0;
	last_object = 0;
	cr_assert(created.expected != NULL && created.bytes != NULL);
	for (size_t i = 0; i < EVENTS; i++) {
		uint32_t byte = random_byte(codes, most_allocate);

		out = expected_put(&created.expected[i], out, byte, &codes[byte], &counter, &numbers);
		created.expected[i].end = (size_t)(out - created.bytes);
	}
	created.length = (size_t)(out - created.bytes);
	return created;
}

static void made_events_free(made_events *created)
{
	free(created->expected);
	free(created->bytes);
}

/* Decodes with a capacity, from memory in which \p more_readable bytes after the events can be read as well. */
static void check_decoding(const made_events *created, const event_decode_table *table, size_t capacity,
			   size_t more_readable)
{
	mprof_event *events = malloc(capacity * sizeof(*events));
	mprof_event_detail details[50];
	uint64_t frames[MAX_FRAMES + 10];
	uint8_t *copy = malloc(created->length + more_readable);
	events_decode_state state = state_of(copy, created->length, created->length + more_readable, 1000);
	events_decode_result result;
	size_t total = 0;

	cr_assert(events != NULL && copy != NULL);
	memcpy(copy, created->bytes, created->length);
	/* Bytes that would make events longer if the decoder used them. */
	memset(copy + created->length, 0x01, more_readable);
	do {
		events_decode_batch batch = batch_of(events, capacity, details, 50);

		batch.frames = frames;
		batch.frame_capacity = sizeof(frames) / sizeof(frames[0]);
		result = events_decode(table, &state, &batch);
		cr_assert(batch.count <= capacity);
		for (size_t i = 0; i < batch.count; i++)
			expect_event(&created->expected[total + i], &events[i], total + i);
		expect_sections(&batch);
		total += batch.count;
		cr_assert_eq(state.position, created->expected[total - 1].end);
	} while (result == EVENTS_DECODE_FULL);
	cr_assert_eq(result, EVENTS_DECODE_DONE, "result %d after %zu", (int)result, total);
	cr_assert_eq(total, EVENTS);
	free(copy);
	free(events);
}

static void check_table(const event_decode_table *table, const event_code codes[256])
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		made_events created;

		random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
		created = make_events(codes, seed % 2 == 0);
		check_decoding(&created, table, EVENTS, 0);
		check_decoding(&created, table, EVENTS, 100);
		check_decoding(&created, table, 1, 0);
		check_decoding(&created, table, 7, 10);
		check_decoding(&created, table, 256, 72);
		made_events_free(&created);
	}
}

/* With the fast path of this machine and with the portable code. */
static void check_dialect(mprof_dialect dialect, uint64_t directives)
{
	event_decode_table table;
	event_code codes[256];

	make_tables(&table, codes, dialect, directives);
	check_table(&table, codes);
	if (table.extracts) {
		table.extracts = 0;
		check_table(&table, codes);
	}
	id_map_destroy(&sizes);
}

Test(events_decode, mail)
{
	check_dialect(MPROF_DIALECT_MAIL, 0);
}

Test(events_decode, mprof2)
{
	check_dialect(MPROF_DIALECT_MPROF2, 0);
}

/* All directives that change events, alone and combined. */
Test(events_decode, mprof2_with_directives)
{
	static const uint32_t directives[] = {
		MPROF_DIRECTIVE_ALLOCATION_CALLER, MPROF_DIRECTIVE_ALLOCATION_OBJECT,   MPROF_DIRECTIVE_IMPLICIT_LEAVE,
		MPROF_DIRECTIVE_CLASS_SIZES,       MPROF_DIRECTIVE_ALLOCATION_STACK_ID,
	};
	const size_t count = sizeof(directives) / sizeof(directives[0]);

	for (uint32_t subset = 0; subset < 1u << count; subset++) {
		uint64_t declared = 0;

		for (size_t i = 0; i < count; i++)
			declared |= (subset >> i & 1) != 0 ? BIT(directives[i]) : 0;
		check_dialect(MPROF_DIALECT_MPROF2, declared);
	}
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_DETAILED_EVENTS));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_COLLECTION_NUMBERS));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_STACK_SWITCHES));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_EXCEPTION_STACK_ID));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_EXCEPTION_CLAUSES));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_METHOD_CODE));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_MONITOR_HOLDERS));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_TYPED_EVENTS));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_OBJECT_EVENTS));
	check_dialect(MPROF_DIALECT_MPROF2, dialect_get(MPROF_DIALECT_MPROF2)->directives);
}

Test(events_decode, drop)
{
	check_dialect(MPROF_DIALECT_DROP, 0);
}

Test(events_decode, mono)
{
	check_dialect(MPROF_DIALECT_MONO, 0);
	check_dialect(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER));
	check_dialect(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT));
	check_dialect(MPROF_DIALECT_MONO, BIT(MPROF_DIRECTIVE_ALLOCATION_STACK));
	check_dialect(MPROF_DIALECT_UNITY, dialect_get(MPROF_DIALECT_UNITY)->directives);
}

/* A log truncated at any byte yields all events before that, and whether it ends inside an event. */
static void check_cuts(mprof_dialect dialect)
{
	event_decode_table table;
	event_code codes[256];
	made_events created;
	mprof_event events[EVENTS];
	mprof_event_detail details[EVENTS];
	static uint64_t frames[EVENTS * MAX_FRAMES];
	size_t whole = 0;

	random_state = 5;
	make_tables(&table, codes, dialect, dialect_get(dialect)->directives);
	created = make_events(codes, 1);
	for (size_t cut = 0; cut < created.expected[300].end; cut++) {
		uint8_t *copy = malloc(cut + 1);
		events_decode_state state = state_of(copy, cut, cut, 1000);
		events_decode_batch batch = batch_of(events, EVENTS, details, EVENTS);
		events_decode_result result;

		batch.frames = frames;
		batch.frame_capacity = sizeof(frames) / sizeof(frames[0]);
		memcpy(copy, created.bytes, cut);
		while (created.expected[whole].end <= cut)
			whole++;
		result = events_decode(&table, &state, &batch);
		cr_assert_eq(batch.count, whole);
		cr_assert_eq(state.position, whole == 0 ? 0 : created.expected[whole - 1].end);
		cr_assert_eq(result, state.position == cut ? EVENTS_DECODE_DONE : EVENTS_DECODE_TRUNCATED);
		free(copy);
	}
	made_events_free(&created);
	id_map_destroy(&sizes);
}

Test(events_decode, cut_at_every_byte)
{
	check_cuts(MPROF_DIALECT_MPROF2);
	check_cuts(MPROF_DIALECT_MONO);
}

/* Decodes bytes after \p good valid events. The valid events must be returned. */
static events_decode_result decode_behind(mprof_dialect dialect, uint64_t directives, size_t good, const char *bytes,
					  size_t length)
{
	event_decode_table table;
	event_code codes[256];
	uint8_t log[1000];
	mprof_event events[400];
	mprof_event_detail details[400];
	events_decode_state state = state_of(log, good * 3 + length, sizeof(log), 0);
	events_decode_batch batch = batch_of(events, 400, details, 400);
	events_decode_result result;

	make_tables(&table, codes, dialect, directives);
	memset(log, 0x80, sizeof(log));
	for (size_t i = 0; i < good; i++)
		memcpy(log + i * 3, "\x09\x80\x81", 3);
	memcpy(log + good * 3, bytes, length);
	result = events_decode(&table, &state, &batch);
	cr_assert_eq(batch.count, good);
	cr_assert_eq(batch.detail_count, 0);
	cr_assert_eq(state.position, good * 3);
	cr_assert_eq(state.counter, good);
	id_map_destroy(&sizes);
	return result;
}

#define DECODE(good, bytes) decode_behind(MPROF_DIALECT_MAIL, 0, good, bytes, sizeof(bytes) - 1)
#define DECODE_WITH(directives, good, bytes)                                                                           \
	decode_behind(MPROF_DIALECT_MPROF2, directives, good, bytes, sizeof(bytes) - 1)

/* After each number of events the decoder may be in another state; sanitizers take several times as long. */
static size_t step_of_damage(void)
{
	return getenv("MPROF_SANITIZED") == NULL ? 1 : 7;
}

Test(events_decode, damage)
{
	for (size_t good = 0; good < 40; good += step_of_damage()) {
		cr_assert_eq(DECODE(good, "\x00"), EVENTS_DECODE_LIST_END);
		cr_assert_eq(DECODE(good, "\x0a\x80"), EVENTS_DECODE_BAD_CODE, "an implicit leave in a mail log");
		cr_assert_eq(DECODE(good, "\x15\x81\x81"), EVENTS_DECODE_BAD_CODE, "an extended event in a mail log");
		cr_assert_eq(DECODE(good, "\x08\x81\x81"), EVENTS_DECODE_BAD_CODE);
		cr_assert_eq(DECODE(good, "\x05\x7f\x7f\x7f\x7f\x90\x81"), EVENTS_DECODE_BAD_ID, "2^32 + ...");
		cr_assert_eq(DECODE(good, "\x01\x00\x00\x00\xc0\x81"), EVENTS_DECODE_BAD_ID, "2^27 << 5");
		cr_assert_eq(DECODE(good, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x81\x81"), EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE(good, "\x09\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82"),
			     EVENTS_DECODE_BAD_VARINT);
		cr_assert_eq(DECODE(good, "\x09\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"),
			     EVENTS_DECODE_BAD_VARINT);
		cr_assert_eq(DECODE(good, "\x09"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE(good, "\x09\x80"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE(good, "\x09\x80\x00"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE(good, "\x1e\x80\x80"), EVENTS_DECODE_BAD_CODE, "a detailed event in a mail log");
	}
}

Test(events_decode, damage_with_directives)
{
	const uint64_t class_sizes = BIT(MPROF_DIRECTIVE_CLASS_SIZES);
	const uint64_t caller = BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER);
	const uint64_t stack = BIT(MPROF_DIRECTIVE_ALLOCATION_STACK_ID);
	const uint64_t object = BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT);
	const uint64_t detailed = BIT(MPROF_DIRECTIVE_DETAILED_EVENTS);

	for (size_t good = 0; good < 40; good += step_of_damage()) {
		cr_assert_eq(DECODE_WITH(0, good, "\x08\x80"), EVENTS_DECODE_BAD_CODE);
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\x00"), EVENTS_DECODE_LIST_END);
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\x08"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\x08\x00"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\x08\x1d\x81"), EVENTS_DECODE_NO_SIZE, "class 5025");
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\xf8\x7f\x7f\x7f\xbf"), EVENTS_DECODE_NO_SIZE);
		cr_assert_eq(DECODE_WITH(class_sizes, good, "\x08\x00\x00\x00\xc0"), EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE_WITH(class_sizes | stack, good, "\x08\x80"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE_WITH(class_sizes | stack, good, "\x08\x80\x00\x00\x00\x00\x90"),
			     EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE_WITH(caller, good, "\x0c\x80\x81\x00\x00\x00\x00\x90"), EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE_WITH(object, good, "\x0c\x80\x81\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82"),
			     EVENTS_DECODE_BAD_VARINT);
		cr_assert_eq(DECODE_WITH(caller | object, good, "\x0c\x80\x81\x00\x00\x00\x00\x90\x00"),
			     EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE_WITH(detailed, good, "\x1e\x80\x81\x82\x80"), EVENTS_DECODE_TRUNCATED);
		cr_assert_eq(DECODE_WITH(detailed, good, "\x1e\x80\x81\x82\x80\x00\x00\x00\x00\x90"),
			     EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE_WITH(detailed, good, "\x46\x00\x00\x00\x00\x90\x81\x84\x80\x80"),
			     EVENTS_DECODE_BAD_ID);
	}
}

/* Values are returned as they are in the log, including those that this version does not define. */
Test(events_decode, detailed_events)
{
	/* An unknown state, of class 0; the largest handle. */
	static const char log[] = "\x1e\x80\x85\x09\x81\x81\x82"
				  "\x46\xa1\x85\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x83\x84"
				  "\xc6\x80\x85\x89\x86"
				  "\xce\xa1\x85\x87";
	event_decode_table table;
	event_code codes[256];
	mprof_event events[4];
	mprof_event_detail details[4];
	events_decode_state state = state_of((const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 100);
	events_decode_batch batch = batch_of(events, 4, details, 4);
	const mprof_event_detail expected[] = {
		{.struct_size = sizeof(mprof_event_detail), .object = 1, .stack = 2},
		{.struct_size = sizeof(mprof_event_detail),
		 .object = 3,
		 .stack = 4,
		 .handle_type = MPROF_HANDLE_PINNED},
		{.struct_size = sizeof(mprof_event_detail), .stack = 6, .handle_type = MPROF_HANDLE_WEAK_TRACK},
		{.struct_size = sizeof(mprof_event_detail), .object = 7},
	};

	make_tables(&table, codes, MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_DETAILED_EVENTS));
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 4);
	for (size_t i = 0; i < 4; i++) {
		cr_assert_eq(memcmp(events[i].more.detail, &expected[i], sizeof(expected[i])), 0, "event %zu", i);
		cr_assert_eq(events[i].id, i % 2 == 0 ? 0 : 33, "event %zu", i);
		cr_assert_eq(events[i].counter, 105 + i * 5, "event %zu", i);
	}
	cr_assert_eq(events[0].value, 137);
	cr_assert_eq(events[1].value, UINT64_MAX >> 2);
	cr_assert_eq(events[2].value, 2);
	cr_assert_eq(events[3].value, 0);
	id_map_destroy(&sizes);
}

/* Sizes of classes whose IDs are sparse. */
Test(events_decode, hashed_sizes)
{
	static const char log[] = "\x08\x00\x00\x00\x81\x08\x80\x08\x00\x00\x00\x81";
	event_decode_table table;
	event_code codes[256];
	mprof_event events[3];
	events_decode_state state = state_of((const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 0);
	events_decode_batch batch = batch_of(events, 3, NULL, 0);

	make_tables(&table, codes, MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_CLASS_SIZES));
	cr_assert(id_map_put(&sizes, (UINT32_C(1) << 26) + 1, 4096));
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 3);
	cr_assert_eq(events[0].value, 4096);
	cr_assert_eq(events[1].value, size_of_class(1));
	cr_assert_eq(events[2].value, 4096);
	id_map_destroy(&sizes);
}

Test(events_decode, largest_numbers)
{
	static const char log[] = "\xf9\x7f\x7f\x7f\xbf\x81"     /* Method 2^32 - 1. */
				  "\x05\x7f\x7f\x7f\x7f\x8f\x81" /* Method 2^32 - 1 again. */
				  "\x0f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
				  "\x09\x00\x00\x00\x80\x00\x00\x00\x82"; /* Longer than necessary. */
	event_decode_table table;
	mprof_event events[4];
	events_decode_state state = state_of((const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 10);
	events_decode_batch batch = batch_of(events, 4, NULL, 0);

	event_decode_table_build(&table, dialect_get(MPROF_DIALECT_MAIL), 0, &sizes);
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 4);
	cr_assert_eq(events[0].id, UINT32_MAX);
	cr_assert_eq(events[1].id, UINT32_MAX);
	cr_assert_eq(events[2].value, UINT64_MAX);
	cr_assert_eq(events[2].counter, 11, "a delta of -1 after 12");
	cr_assert_eq(events[3].id, 1);
	cr_assert_eq(events[3].counter, 11 + (UINT64_C(2) << 21));
}

Test(events_decode, nothing)
{
	event_decode_table table;
	mprof_event event;
	events_decode_state state = state_of((const uint8_t *)"", 0, 0, 0);
	events_decode_batch batch = batch_of(&event, 1, NULL, 0);

	event_decode_table_build(&table, dialect_get(MPROF_DIALECT_MPROF2), 0, &sizes);
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 0);
}

/* A batch ends early when there is no room for the optional fields. */
Test(events_decode, no_room_for_details)
{
	const dialect_rules *rules = dialect_get(MPROF_DIALECT_MPROF2);
	static const char log[] = "\x0c\x80\x81\x82\x0c\x80\x83\x84\x09\x80\x81\x0c\x80\x85\x86";
	event_decode_table table;
	mprof_event events[8];
	mprof_event_detail details[2];
	events_decode_state state = state_of((const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 0);
	events_decode_batch batch = batch_of(events, 8, details, 2);

	event_decode_table_build(&table, rules, BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER), &sizes);
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_FULL);
	cr_assert_eq(batch.count, 3);
	cr_assert_eq(events[1].more.detail->caller, 4);
	batch.count = 0;
	batch.detail_count = 0;
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 1);
	cr_assert_eq(events[0].more.detail->caller, 6);
}
