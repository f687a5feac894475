/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_heap_offsets.c
 * \brief Heap snapshots with offsets: each reference has the offset that was reported, in whatever form it was
 * recorded, and the fields of a class are in the log before its first object.
 */
#include "heap_fixture.h"

#include <stdio.h>

TestSuite(heap_offsets, .fini = fini, .timeout = 120);

/* A reference that was read, with the name of its field. */
typedef struct read_reference {
	uint64_t object;
	uint64_t target;
	uint64_t offset; /* UINT64_MAX if it is not known. */
	char field[32];  /* "" if there is none at the offset; "[3]" for an element, and "[3].a" for a part of it. */
	char declaring[32];
} read_reference;

static read_reference read[8192];
static size_t read_count;
static size_t field_blocks;

static void name_field(mprof_reader *reader, uint32_t class_id, read_reference *reference)
{
	mprof_record field;
	mprof_mapping declaring;
	uint64_t index;

	if (mprof_reader_lookup_field(reader, class_id, reference->offset, &field, sizeof(field), &index) != MPROF_OK)
		return;
	if (field.as.field.stride != 0)
		snprintf(reference->field, sizeof(reference->field), "[%u]%.20s", (unsigned)index,
			 field.as.field.name + 2);
	else
		snprintf(reference->field, sizeof(reference->field), "%.30s", field.as.field.name);
	if (field.as.field.class_id == 0)
		return;
	cr_assert_eq(mprof_reader_lookup_class(reader, field.as.field.class_id, &declaring, sizeof(declaring)),
		     MPROF_OK);
	snprintf(reference->declaring, sizeof(reference->declaring), "%.30s", declaring.name);
}

static void read_events(mprof_reader *reader)
{
	static uint64_t object;
	static uint32_t class_id;
	mprof_event event;
	size_t count;

	while (mprof_reader_next_events(reader, &event, 1, &count) == MPROF_OK) {
		const mprof_event_detail *detail = event.more.detail;

		if (event.kind == MPROF_EVENT_HEAP_OBJECT) {
			object = detail->object;
			class_id = event.id;
		}
		for (uint32_t i = 0; i < detail->reference_count; i++) {
			read_reference *added = &read[read_count++];

			*added = (read_reference){.object = object,
						  .target = detail->references[i],
						  .offset = detail->offsets != NULL ? detail->offsets[i] : UINT64_MAX};
			name_field(reader, class_id, added);
		}
	}
}

/* Reads the references of all objects in the log. */
static void read_references(void)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_reader_open_memory(recorded.bytes, recorded.length, NULL, &reader), MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		cr_assert_eq(mprof_reader_load(reader, &block), MPROF_OK);
		if (block.kind == MPROF_BLOCK_HEAP_DATA)
			read_events(reader);
		field_blocks += block.kind == MPROF_BLOCK_FIELDS;
	}
	cr_assert_eq(status, MPROF_END);
	mprof_reader_destroy(reader);
}

static void open_with_offsets(uint32_t heap_offsets)
{
	mprof_recorder_options options;

	mprof_recorder_options_init(&options, sizeof(options));
	options.heap_offsets = heap_offsets;
	open_with(&options);
}

static void end_and_read(void)
{
	mprof_recorder_end_heap(recorder);
	close_and_read();
	read_references();
}

static void define(mprof_key class_key, const mprof_class_field *fields, size_t count)
{
	cr_assert_eq(mprof_recorder_define_fields(recorder, class_key, fields, sizeof(*fields), count), MPROF_OK);
}

static void check_reference(size_t index, uint64_t target, uint64_t offset, const char *field)
{
	cr_assert_lt(index, read_count);
	cr_assert_eq(read[index].target, target, "target of reference %zu", index);
	cr_assert_eq(read[index].offset, offset, "reference %zu: offset %llu", index,
		     (unsigned long long)read[index].offset);
	cr_assert_str_eq(read[index].field, field, "reference %zu: field \"%s\"", index, read[index].field);
}

Test(heap_offsets, references_have_the_names_of_fields)
{
	const mprof_class_field list[] = {{"head", TREE, 16, 0}, {"count.owner", 0, 40, 0}};
	const mprof_class_field tree[] = {{"[].key", 0, 32, 24}, {"[].value", 0, 48, 24}};
	const uint64_t references[] = {HEAP + 64, HEAP + 128, HEAP + 64};
	const uint64_t of_list[] = {16, 40, 32};
	const uint64_t of_tree[] = {32, 48, 48 + 24 * 2};

	open_with_offsets(1);
	define(LIST, list, 2);
	define(TREE, tree, 2);
	/* The first definition counts. */
	define(TREE, list, 2);
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 48, references, of_list, 3);
	mprof_recorder_add_heap_object(recorder, HEAP + 64, TREE, 64, references, of_tree, 3);
	mprof_recorder_add_heap_object(recorder, HEAP + 128, POINT, 24, NULL, NULL, 0);
	end_and_read();
	cr_assert_eq(field_blocks, 1, "classes of one block share a FIELDS block");
	cr_assert_eq(read_count, 6);
	check_reference(0, HEAP + 64, 16, "head");
	cr_assert_str_eq(read[0].declaring, "Tree");
	check_reference(1, HEAP + 128, 40, "count.owner");
	cr_assert_str_eq(read[1].declaring, "");
	check_reference(2, HEAP + 64, 32, "");
	check_reference(3, HEAP + 64, 32, "[0].key");
	check_reference(4, HEAP + 128, 48, "[0].value");
	check_reference(5, HEAP + 64, 96, "[2].value");
}

Test(heap_offsets, every_form_of_record_keeps_offsets)
{
	static uint64_t references[600];
	static uint64_t offsets[600];
	size_t checked = 0;

	open_with_offsets(1);
	begin(MPROF_HEAP_USE_SHOT, 1);
	/* Slots, gaps of all sizes, offsets that descend, odd ones, huge ones, and far targets. */
	for (size_t form = 0; form < 6; form++) {
		for (size_t i = 0; i < 600; i++) {
			references[i] = HEAP + i * 8 + (form == 5 && i % 7 == 0 ? UINT64_C(1) << 50 : 0);
			offsets[i] = form == 0   ? 8 * i
				     : form == 1 ? 8 * i * (i % 40 + 1)
				     : form == 2 ? 8 * (600 - i)
				     : form == 3 ? 8 * i + (i % 5 == 0 ? 4 : 0)
				     : form == 4 ? (UINT64_C(1) << (i % 64)) & ~UINT64_C(7)
						 : 16 + 8 * i;
		}
		mprof_recorder_add_heap_object(recorder, HEAP + form * 8, POINT, 24, references, offsets, form + 10);
		mprof_recorder_add_heap_references(recorder, references, offsets, 600);
		mprof_recorder_add_heap_object(recorder, HEAP + form * 8 + (UINT64_C(1) << 45), LIST, 24, references,
					       offsets, 600);
	}
	end_and_read();
	for (size_t form = 0; form < 6; form++)
		checked += form + 10 + 600 + 600;
	cr_assert_eq(read_count, checked);
	/* The last form: what was read is what was given. */
	checked -= 15 + 600 + 600;
	for (size_t i = 0; i < 15; i++)
		check_reference(checked + i, references[i], offsets[i], "");
	for (size_t i = 0; i < 600; i++) {
		check_reference(checked + 15 + i, references[i], offsets[i], "");
		check_reference(checked + 615 + i, references[i], offsets[i], "");
	}
	/* The others: the offset follows from the number of the target. */
	for (size_t i = 0; i < checked; i++) {
		uint64_t number = (read[i].target - HEAP) / 8;
		uint64_t form = (read[i].object - HEAP) / 8 % 8;
		uint64_t expected = form == 0   ? 8 * number
				    : form == 1 ? 8 * number * (number % 40 + 1)
				    : form == 2 ? 8 * (600 - number)
				    : form == 3 ? 8 * number + (number % 5 == 0 ? 4 : 0)
						: (UINT64_C(1) << (number % 64)) & ~UINT64_C(7);

		cr_assert_eq(read[i].offset, expected, "form %u, reference %u", (unsigned)form, (unsigned)number);
	}
}

/* References with and without offsets of the same object stay apart. */
Test(heap_offsets, offsets_may_be_unknown)
{
	const uint64_t references[] = {HEAP + 64, HEAP + 128};
	const uint64_t offsets[] = {16, 24};

	open_with_offsets(1);
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 48, references, NULL, 1);
	mprof_recorder_add_heap_references(recorder, references, offsets, 2);
	mprof_recorder_add_heap_references(recorder, references, NULL, 2);
	end_and_read();
	cr_assert_eq(read_count, 5);
	check_reference(0, HEAP + 64, UINT64_MAX, "");
	check_reference(1, HEAP + 64, 16, "");
	check_reference(2, HEAP + 128, 24, "");
	check_reference(3, HEAP + 64, UINT64_MAX, "");
}

Test(heap_offsets, without_the_option_references_have_none)
{
	const mprof_class_field list[] = {{"head", 0, 16, 0}};
	const uint64_t references[] = {HEAP + 64};
	const uint64_t offsets[] = {16};

	open_with_offsets(0);
	define(LIST, list, 1);
	begin(MPROF_HEAP_USE_SHOT, 1);
	mprof_recorder_add_heap_object(recorder, HEAP, LIST, 48, references, offsets, 1);
	end_and_read();
	cr_assert_eq(field_blocks, 0);
	cr_assert_eq(read_count, 1);
	check_reference(0, HEAP + 64, UINT64_MAX, "");
}

/* A retired key has no fields, and its successor has those that are defined for it. */
Test(heap_offsets, fields_are_those_of_the_class_at_the_time)
{
	const mprof_class_field before[] = {{"before", 0, 16, 0}};
	const mprof_class_field after[] = {{"after", 0, 16, 0}};
	const mprof_key_range range = {LIST, LIST};
	const uint64_t references[] = {HEAP + 64};
	const uint64_t offsets[] = {16};

	open_with_offsets(1);
	define(LIST, before, 1);
	define(TREE, before, 1);
	for (int i = 0; i < 2; i++) {
		begin(MPROF_HEAP_USE_SHOT, 1);
		mprof_recorder_add_heap_object(recorder, HEAP, LIST, 48, references, offsets, 1);
		mprof_recorder_end_heap(recorder);
		cr_assert_eq(mprof_recorder_retire_keys(recorder, &range, sizeof(range), 1), MPROF_OK);
		/* Without a class, fields are ignored. */
		define(LIST, before, 1);
		define_class(recorder, LIST, "Other");
		define(LIST, after, 1);
	}
	close_and_read();
	read_references();
	cr_assert_eq(read_count, 2);
	check_reference(0, HEAP + 64, 16, "before");
	check_reference(1, HEAP + 64, 16, "after");
}

Test(heap_offsets, impossible_fields_are_refused)
{
	const mprof_class_field descending[] = {{"a", 0, 24, 0}, {"b", 0, 16, 0}};
	const mprof_class_field equal[] = {{"a", 0, 16, 0}, {"b", 0, 16, 0}};
	const mprof_class_field mixed[] = {{"[]", 0, 16, 8}, {"b", 0, 20, 0}};
	const mprof_class_field distant[] = {{"[].a", 0, 16, 24}, {"[].b", 0, 40, 24}};
	const mprof_class_field nameless[] = {{NULL, 0, 16, 0}};
	const mprof_class_field fine[] = {{"a", 0, 16, 0}};
	const mprof_class_field *const refused[] = {descending, equal, mixed, distant};
	const size_t size = sizeof(fine[0]);

	open_with_offsets(1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, refused[i], size, 2), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, nameless, size, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_fields(recorder, 0, fine, size, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, NULL, size, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, fine, 8, 1), MPROF_ERR_ARGUMENT);
	cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, NULL, size, 0), MPROF_OK);
	cr_assert_eq(mprof_recorder_define_fields(recorder, LIST, fine, size, 1), MPROF_OK);
	close_and_read();
}
