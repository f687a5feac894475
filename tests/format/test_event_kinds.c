/* SPDX-License-Identifier: MIT */
/* The tables of event kinds and dialects match the encoder and the decoder. */
#include "format/events/event_codes.h"
#include "base/caller_structs.h"
#include "format/events/event_kinds.h"
#include "format/events/events_encode.h"

#include <criterion/criterion.h>

#include <string.h>

static mprof_event_info info_of(uint32_t kind)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	cr_assert_eq(mprof_event_get_info(kind, &info), MPROF_OK, "kind %u", kind);
	return info;
}

Test(event_kinds, all_have_a_name_of_their_own)
{
	for (uint32_t kind = 1; kind < EVENT_KIND_COUNT; kind++) {
		cr_expect_str_eq(info_of(kind).name, mprof_event_get_name(kind));
		cr_expect_str_neq(info_of(kind).name, "unknown", "kind %u", kind);
		for (uint32_t other = 1; other < kind; other++)
			cr_expect_str_neq(info_of(kind).name, info_of(other).name);
	}
	cr_expect_str_eq(info_of(MPROF_EVENT_UNKNOWN).name, "unknown");
}

Test(event_kinds, unknown_ones_are_refused)
{
	mprof_event_info info = {.struct_size = sizeof(info)};

	cr_expect_eq(mprof_event_get_info(EVENT_KIND_COUNT, &info), MPROF_ERR_ARGUMENT);
	cr_expect_eq(mprof_event_get_info(-1, &info), MPROF_ERR_ARGUMENT);
	info.struct_size = sizeof(size_t) - 1;
	cr_expect_eq(mprof_event_get_info(MPROF_EVENT_GC_START, &info), MPROF_ERR_ARGUMENT);
}

Test(event_kinds, an_older_client_gets_what_it_has_room_for)
{
	mprof_event_info info;

	memset(&info, 0x55, sizeof(info));
	info.struct_size = offsetof(mprof_event_info, value);
	cr_expect_eq(mprof_event_get_info(MPROF_EVENT_ALLOCATION, &info), MPROF_OK);
	cr_expect_eq(info.id, MPROF_EVENT_ID_CLASS);
	cr_expect_eq(info.value, 0x55555555);
	cr_expect_eq(info.struct_size, offsetof(mprof_event_info, value));
}

Test(event_kinds, a_category_has_its_kinds)
{
	uint64_t all = 0;

	for (uint32_t category = 0; category <= MPROF_EVENT_CATEGORY_OBJECT; category++) {
		const uint64_t kinds = event_kinds_in(category);

		cr_expect_neq(kinds, 0, "category %u", category);
		cr_expect_eq(all & kinds, 0);
		for (uint32_t kind = 0; kind < EVENT_KIND_COUNT; kind++)
			cr_expect_eq(kinds >> kind & 1, info_of(kind).category == category, "kind %u", kind);
		all |= kinds;
	}
	cr_expect_eq(all, (UINT64_C(1) << EVENT_KIND_COUNT) - 1);
}

/* Encodes an event of a kind, with no definitions, after one at counter 100. */
static mprof_status encode(mprof_dialect dialect, uint64_t directives, uint32_t kind, int any, event_encoder *encoder)
{
	const uint32_t id = info_of(kind).id != MPROF_EVENT_ID_NONE ? 7 : 0;
	const mprof_event event = {.kind = (uint8_t)kind, .id = id, .counter = 1000, .value = 3};
	mprof_allocator allocator;
	encode_buffer buffer;
	id_set none;
	id_map sizes;
	uint32_t stacks = 0;
	uint32_t types = 0;
	const event_definitions definitions = {{NULL, &none, &none}, &sizes, &stacks, &types, any};
	mprof_writer_stats stats = {.struct_size = sizeof(stats)};
	mprof_status status;
	size_t taken;

	allocator_init(&allocator, NULL);
	id_set_init(&none, &allocator);
	id_map_init(&sizes, &allocator);
	encode_buffer_init(&buffer, &allocator, SIZE_MAX);
	memset(encoder, 0, sizeof(*encoder));
	event_checker_init(&encoder->checker, dialect_get(dialect), directives, 0, &definitions, &stats);
	encoder->last_counter = 100;
	status = events_encode(encoder, &buffer, &event, 1, &taken);
	encode_buffer_destroy(&buffer);
	id_map_destroy(&sizes);
	id_set_destroy(&none);
	return status;
}

static void check_encoding(mprof_dialect dialect, uint64_t directives)
{
	size_t encoded = 0;

	for (uint32_t kind = 1; kind < EVENT_KIND_COUNT; kind++) {
		const mprof_event_info info = info_of(kind);
		const int names_id = info.id == MPROF_EVENT_ID_METHOD || info.id == MPROF_EVENT_ID_CLASS ||
				     info.id == MPROF_EVENT_ID_TYPE;
		const mprof_event numbered = {.kind = (uint8_t)kind, .id = 7};
		event_encoder encoder;
		mprof_status status = encode(dialect, directives, kind, 1, &encoder);

		if (status == MPROF_ERR_UNSUPPORTED)
			continue;
		encoded++;
		cr_expect_eq(status, MPROF_OK, "%s: %d", info.name, (int)status);
		/* Directive 21 adds a time to the only kind whose number takes the place of its time in other dialects. */
		if (info.time != MPROF_EVENT_TIME_UNNUMBERED || dialect_get(dialect)->counts_collections)
			cr_expect_eq(encoder.last_counter == 1000, event_has_time(&numbered), "%s in %s", info.name,
				     mprof_dialect_get_name(dialect));
		status = encode(dialect, directives, kind, 0, &encoder);
		cr_expect_eq(status == MPROF_ERR_UNDEFINED_ID, names_id, "%s: %d", info.name, (int)status);
	}
	cr_expect_geq(encoded, 20);
}

Test(event_kinds, ids_and_times_are_those_of_encoding)
{
	check_encoding(MPROF_DIALECT_MAIL, 0);
	check_encoding(MPROF_DIALECT_DROP, 0);
	check_encoding(MPROF_DIALECT_MONO, 0);
	check_encoding(MPROF_DIALECT_MPROF2, dialect_get(MPROF_DIALECT_MPROF2)->directives);
}

Test(dialects, are_numbered_without_gaps)
{
	uint32_t count = 0;

	for (uint32_t dialect = 1;; dialect++, count++) {
		mprof_dialect_info info = {.struct_size = sizeof(info)};

		if (mprof_dialect_get_info(dialect, &info) != MPROF_OK)
			break;
		cr_expect_str_eq(info.name, mprof_dialect_get_name(dialect));
		cr_expect_eq(info.can_write, dialect != MPROF_DIALECT_UNITY_FIXED, "%s", info.name);
		cr_expect(mprof_number_set_has(&info.blocks, MPROF_BLOCK_EVENTS), "%s", info.name);
		cr_expect_eq(mprof_number_set_has(&info.blocks, MPROF_BLOCK_STACKS), dialect == MPROF_DIALECT_MPROF2);
		cr_expect_eq(info.directives.bits[0], dialect_get((mprof_dialect)dialect)->directives);
	}
	cr_expect_eq(count, MPROF_DIALECT_UNITY_FIXED);
}

Test(dialects, the_default_is_that_of_writers)
{
	mprof_dialect_info info = {.struct_size = sizeof(info)};

	cr_expect_eq(mprof_dialect_get_info(MPROF_DIALECT_DEFAULT, &info), MPROF_OK);
	cr_expect_str_eq(info.name, "mprof2");
	cr_expect_eq(info.version, 2);
	cr_expect_eq(mprof_dialect_get_info(99, &info), MPROF_ERR_ARGUMENT);
}
