/* SPDX-License-Identifier: MIT */
/* Events from bytes: against a plain decoder that is written down here a second time, and at all edges. */
#include "format/events_decode.h"

#include "format/int.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#define EVENTS 3000
#define LONGEST_EVENT 41
#define BIT(directive) MPROF_DIRECTIVE_BIT(directive)

typedef struct expected_event {
	mprof_event event;
	mprof_event_detail detail;
	size_t end; /* Where its bytes end. */
} expected_event;

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* A number of any length, short ones more often than in a table of random numbers. */
static uint64_t random_number(uint32_t most_bits)
{
	uint32_t bits = (uint32_t)(random_next() % (most_bits + 1));

	return bits == 0 ? 0 : random_next() >> (64 - bits);
}

static uint64_t common_number(uint32_t most_bits)
{
	return random_next() % 16 == 0 ? random_number(most_bits) : random_number(most_bits < 14 ? most_bits : 14);
}

/* Adds an event of a byte with random numbers, and what it must be read as. Returns the place behind it. */
static uint8_t *expected_put(expected_event *expected, uint8_t *out, uint32_t byte, const event_code *code,
			     uint64_t directives, uint64_t *counter)
{
	uint64_t main_number = common_number(64);
	uint64_t second = common_number(64);
	int is_packed = code->form == EVENT_FORM_PACKED_ID || code->form == EVENT_FORM_ALLOCATION;

	memset(expected, 0, sizeof(*expected));
	expected->event.kind = code->kind;
	expected->event.flags = code->flags;
	expected->event.code = (uint8_t)byte;
	if (is_packed || code->form == EVENT_FORM_ID)
		main_number &= UINT32_MAX;
	if (is_packed || code->form == EVENT_FORM_IMPLICIT_LEAVE)
		main_number = (main_number & ~UINT64_C(31)) | byte >> 3;
	*out++ = (uint8_t)byte;
	out = int_put(out, is_packed || code->form == EVENT_FORM_IMPLICIT_LEAVE ? main_number >> 5 : main_number);
	if (code->form != EVENT_FORM_IMPLICIT_LEAVE)
		out = int_put(out, second);
	if (is_packed || code->form == EVENT_FORM_ID)
		expected->event.id = (uint32_t)main_number;
	if (code->form == EVENT_FORM_VALUE || code->form == EVENT_FORM_UNKNOWN)
		expected->event.value = main_number;
	if (code->form == EVENT_FORM_ALLOCATION) {
		expected->event.value = second;
		if ((directives & BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER)) != 0) {
			expected->detail.caller = (uint32_t)common_number(32);
			out = int_put(out, expected->detail.caller);
		}
		if ((directives & BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT)) != 0) {
			expected->detail.object = common_number(64);
			out = int_put(out, expected->detail.object);
		}
	} else {
		*counter += code->form == EVENT_FORM_IMPLICIT_LEAVE ? main_number : second;
	}
	expected->event.counter = *counter;
	return out;
}

static void expect_event(const expected_event *expected, const mprof_event *event, uint64_t directives, size_t number)
{
	const uint64_t extras = BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER) | BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT);

	cr_assert_eq(memcmp(&expected->event, event, offsetof(mprof_event, more)), 0, "event %zu, byte %02x", number,
		     expected->event.code);
	if (event->kind == MPROF_EVENT_ALLOCATION && (directives & extras) != 0)
		cr_assert_eq(memcmp(&expected->detail, event->more.detail, sizeof(expected->detail)), 0);
	else
		cr_assert_eq(event->more.detail_bits, 0);
}

typedef struct made_events {
	expected_event *expected;
	uint8_t *bytes;
	size_t length;
} made_events;

/* Events of random bytes that are valid; three of four enter or leave. */
static made_events make_events(const event_code codes[256], uint64_t directives)
{
	made_events made = {calloc(EVENTS, sizeof(expected_event)), malloc(EVENTS * LONGEST_EVENT), 0};
	uint64_t counter = 1000;
	uint8_t *out = made.bytes;

	cr_assert(made.expected != NULL && made.bytes != NULL);
	for (size_t i = 0; i < EVENTS; i++) {
		uint32_t byte;

		do
			byte = (uint32_t)(random_next() % 4 < 3 ? (random_next() & 0xf8) | (random_next() & 2) | 1
								: random_next() & 255);
		while (codes[byte].form == EVENT_FORM_INVALID || codes[byte].form == EVENT_FORM_END);
		out = expected_put(&made.expected[i], out, byte, &codes[byte], directives, &counter);
		made.expected[i].end = (size_t)(out - made.bytes);
	}
	made.length = (size_t)(out - made.bytes);
	return made;
}

static void made_events_free(made_events *made)
{
	free(made->expected);
	free(made->bytes);
}

/* Decodes with some capacity, from memory that ends with the events and can be looked at for some bytes more. */
static void check_decoding(const made_events *made, const events_decode_table *table, uint64_t directives,
			   size_t capacity, size_t more_readable)
{
	mprof_event *events = malloc(capacity * sizeof(*events));
	mprof_event_detail details[50];
	uint8_t *copy = malloc(made->length + more_readable);
	events_decode_state state = {copy, made->length, made->length + more_readable, 0, 1000};
	events_decode_result result;
	size_t total = 0;

	cr_assert(events != NULL && copy != NULL);
	memcpy(copy, made->bytes, made->length);
	/* What would make events longer if it were taken for theirs. */
	memset(copy + made->length, 0x01, more_readable);
	do {
		events_decode_batch batch = {events, capacity, 0, details, 50, 0};

		result = events_decode(table, &state, &batch);
		cr_assert(batch.count <= capacity);
		for (size_t i = 0; i < batch.count; i++)
			expect_event(&made->expected[total + i], &events[i], directives, total + i);
		total += batch.count;
		cr_assert_eq(state.position, made->expected[total - 1].end);
	} while (result == EVENTS_DECODE_FULL);
	cr_assert_eq(result, EVENTS_DECODE_DONE, "result %d after %zu", (int)result, total);
	cr_assert_eq(total, EVENTS);
	free(copy);
	free(events);
}

static void check_dialect(mprof_dialect dialect, uint64_t directives)
{
	const dialect_rules *rules = dialect_get(dialect);
	events_decode_table table;
	event_code codes[256];

	event_codes_build(codes, rules, directives);
	events_decode_table_build(&table, rules, directives);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		made_events made;

		random_state = seed * UINT64_C(0x9e3779b97f4a7c15);
		made = make_events(codes, directives);
		check_decoding(&made, &table, directives, EVENTS, 0);
		check_decoding(&made, &table, directives, EVENTS, 100);
		check_decoding(&made, &table, directives, 1, 0);
		check_decoding(&made, &table, directives, 7, 10);
		check_decoding(&made, &table, directives, 256, 72);
		made_events_free(&made);
	}
}

Test(events_decode, mail)
{
	check_dialect(MPROF_DIALECT_MAIL, 0);
}

Test(events_decode, mprof2)
{
	check_dialect(MPROF_DIALECT_MPROF2, 0);
}

Test(events_decode, mprof2_with_directives)
{
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_IMPLICIT_LEAVE));
	check_dialect(MPROF_DIALECT_MPROF2, BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER));
	check_dialect(MPROF_DIALECT_MPROF2,
		      BIT(MPROF_DIRECTIVE_ALLOCATION_OBJECT) | BIT(MPROF_DIRECTIVE_EXTENDED_EVENTS));
	check_dialect(MPROF_DIALECT_MPROF2, dialect_get(MPROF_DIALECT_MPROF2)->directives);
}

/* A cut anywhere gives all events in front of it, and says whether it is inside one. */
Test(events_decode, cut_at_every_byte)
{
	const dialect_rules *rules = dialect_get(MPROF_DIALECT_MPROF2);
	events_decode_table table;
	event_code codes[256];
	made_events made;
	mprof_event events[EVENTS];
	mprof_event_detail details[EVENTS];
	size_t whole = 0;

	random_state = 5;
	event_codes_build(codes, rules, rules->directives);
	events_decode_table_build(&table, rules, rules->directives);
	made = make_events(codes, rules->directives);
	for (size_t cut = 0; cut < made.expected[300].end; cut++) {
		uint8_t *copy = malloc(cut + 1);
		events_decode_state state = {copy, cut, cut, 0, 1000};
		events_decode_batch batch = {events, EVENTS, 0, details, EVENTS, 0};
		events_decode_result result;

		memcpy(copy, made.bytes, cut);
		while (made.expected[whole].end <= cut)
			whole++;
		result = events_decode(&table, &state, &batch);
		cr_assert_eq(batch.count, whole);
		cr_assert_eq(state.position, whole == 0 ? 0 : made.expected[whole - 1].end);
		cr_assert_eq(result, state.position == cut ? EVENTS_DECODE_DONE : EVENTS_DECODE_CUT);
		free(copy);
	}
	made_events_free(&made);
}

/* Decodes bytes behind so many good events; the good ones must come out. */
static events_decode_result decode_behind(size_t good, const char *bytes, size_t length)
{
	const dialect_rules *rules = dialect_get(MPROF_DIALECT_MAIL);
	events_decode_table table;
	uint8_t log[1000];
	mprof_event events[400];
	events_decode_state state = {log, good * 3 + length, sizeof(log), 0, 0};
	events_decode_batch batch = {events, 400, 0, NULL, 0, 0};
	events_decode_result result;

	events_decode_table_build(&table, rules, 0);
	memset(log, 0x80, sizeof(log));
	for (size_t i = 0; i < good; i++)
		memcpy(log + i * 3, "\x09\x80\x81", 3);
	memcpy(log + good * 3, bytes, length);
	result = events_decode(&table, &state, &batch);
	cr_assert_eq(batch.count, good);
	cr_assert_eq(state.position, good * 3);
	return result;
}

#define DECODE(good, bytes) decode_behind(good, bytes, sizeof(bytes) - 1)

Test(events_decode, damage)
{
	for (size_t good = 0; good < 40; good++) {
		cr_assert_eq(DECODE(good, "\x00"), EVENTS_DECODE_LIST_END);
		cr_assert_eq(DECODE(good, "\x0a\x80"), EVENTS_DECODE_BAD_CODE, "an implicit leave in a mail log");
		cr_assert_eq(DECODE(good, "\x15\x81\x81"), EVENTS_DECODE_BAD_CODE, "an extended event in a mail log");
		cr_assert_eq(DECODE(good, "\x08\x81\x81"), EVENTS_DECODE_BAD_CODE);
		cr_assert_eq(DECODE(good, "\x05\x7f\x7f\x7f\x7f\x90\x81"), EVENTS_DECODE_BAD_ID, "2^32 + ...");
		cr_assert_eq(DECODE(good, "\x01\x00\x00\x00\xc0\x81"), EVENTS_DECODE_BAD_ID, "2^27 << 5");
		cr_assert_eq(DECODE(good, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x81\x81"), EVENTS_DECODE_BAD_ID);
		cr_assert_eq(DECODE(good, "\x09\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x82"), EVENTS_DECODE_BAD_INT);
		cr_assert_eq(DECODE(good, "\x09\x80\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"),
			     EVENTS_DECODE_BAD_INT);
		cr_assert_eq(DECODE(good, "\x09"), EVENTS_DECODE_CUT);
		cr_assert_eq(DECODE(good, "\x09\x80"), EVENTS_DECODE_CUT);
		cr_assert_eq(DECODE(good, "\x09\x80\x00"), EVENTS_DECODE_CUT);
	}
}

Test(events_decode, largest_numbers)
{
	static const char log[] = "\xf9\x7f\x7f\x7f\xbf\x81"     /* Method 2^32 - 1. */
				  "\x05\x7f\x7f\x7f\x7f\x8f\x81" /* The same. */
				  "\x0f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x81"
				  "\x09\x00\x00\x00\x80\x00\x00\x00\x82"; /* Longer than needed. */
	events_decode_table table;
	mprof_event events[4];
	events_decode_state state = {(const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 0, 10};
	events_decode_batch batch = {events, 4, 0, NULL, 0, 0};

	events_decode_table_build(&table, dialect_get(MPROF_DIALECT_MAIL), 0);
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 4);
	cr_assert_eq(events[0].id, UINT32_MAX);
	cr_assert_eq(events[1].id, UINT32_MAX);
	cr_assert_eq(events[2].value, UINT64_MAX);
	cr_assert_eq(events[2].counter, 11, "a difference of -1 behind 12");
	cr_assert_eq(events[3].id, 1);
	cr_assert_eq(events[3].counter, 11 + (UINT64_C(2) << 21));
}

Test(events_decode, nothing)
{
	events_decode_table table;
	mprof_event event;
	events_decode_state state = {(const uint8_t *)"", 0, 0, 0, 0};
	events_decode_batch batch = {&event, 1, 0, NULL, 0, 0};

	events_decode_table_build(&table, dialect_get(MPROF_DIALECT_MPROF2), 0);
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 0);
}

/* A batch ends early when there is no room for extras. */
Test(events_decode, no_room_for_details)
{
	const dialect_rules *rules = dialect_get(MPROF_DIALECT_MPROF2);
	static const char log[] = "\x0c\x80\x81\x82\x0c\x80\x83\x84\x09\x80\x81\x0c\x80\x85\x86";
	events_decode_table table;
	mprof_event events[8];
	mprof_event_detail details[2];
	events_decode_state state = {(const uint8_t *)log, sizeof(log) - 1, sizeof(log) - 1, 0, 0};
	events_decode_batch batch = {events, 8, 0, details, 2, 0};

	events_decode_table_build(&table, rules, BIT(MPROF_DIRECTIVE_ALLOCATION_CALLER));
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_FULL);
	cr_assert_eq(batch.count, 3);
	cr_assert_eq(events[1].more.detail->caller, 4);
	batch.count = 0;
	batch.detail_count = 0;
	cr_assert_eq(events_decode(&table, &state, &batch), EVENTS_DECODE_DONE);
	cr_assert_eq(batch.count, 1);
	cr_assert_eq(events[0].more.detail->caller, 6);
}
