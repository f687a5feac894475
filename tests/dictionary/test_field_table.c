/* SPDX-License-Identifier: MIT */
/* Fields by class and offset: of objects, of elements of arrays, and within their memory. */
#include "dictionary/definition_table.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

#define PLENTY (UINT64_C(1) << 30)

static failing_allocator memory;
static memory_budget budget;
static name_table names;
static field_table table;

static void open_tables(uint64_t max_memory)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	memory_budget_init(&budget, &allocator, max_memory);
	name_table_init(&names, &budget);
	field_table_init(&table, &names);
}

static void close_tables(void)
{
	cr_assert_eq(budget.used, memory.bytes, "all memory is counted");
	field_table_destroy(&table);
	name_table_destroy(&names);
	cr_assert_eq(memory.blocks, 0);
	cr_assert_eq(memory.bytes, 0);
}

static mprof_status add_field(uint32_t class_id, uint32_t offset, uint32_t stride, const char *name)
{
	mprof_record record = {.kind = MPROF_RECORD_FIELD, .id = class_id};

	record.as.field.offset = offset;
	record.as.field.stride = stride;
	record.as.field.name = name;
	return field_table_add(&table, &record);
}

static void expect_field(uint32_t class_id, uint64_t offset, const char *name, uint64_t index)
{
	uint64_t found_index = 77;
	mprof_record found;

	cr_assert_eq(field_table_get(&table, class_id, offset, &found, &found_index), 1);
	cr_assert_eq(found.kind, MPROF_RECORD_FIELD);
	cr_assert_eq(found.id, class_id);
	cr_assert_str_eq(found.as.field.name, name);
	cr_assert_eq(found_index, index, "index %llu", (unsigned long long)found_index);
}

static void expect_none(uint32_t class_id, uint64_t offset)
{
	uint64_t index = 77;
	mprof_record found;

	cr_assert_eq(field_table_get(&table, class_id, offset, &found, &index), 0);
	cr_assert_eq(found.kind, 0);
	cr_assert_eq(index, 0);
}

Test(field_table, objects_and_arrays)
{
	open_tables(PLENTY);
	cr_assert_eq(add_field(1, 16, 0, "entries"), MPROF_OK);
	cr_assert_eq(add_field(1, UINT32_MAX, 0, ""), MPROF_OK);
	cr_assert_eq(add_field(2, 40, 24, "[].key"), MPROF_OK);
	cr_assert_eq(add_field(2, 48, 24, "[].value"), MPROF_OK);
	cr_assert_eq(add_field(UINT32_MAX, UINT32_MAX, UINT32_MAX, "[]"), MPROF_OK);
	cr_assert_eq(field_table_count(&table), 5);
	expect_field(1, 16, "entries", 0);
	expect_field(1, UINT32_MAX, "", 0);
	expect_none(1, 24);
	expect_none(1, UINT64_C(16) << 32);
	expect_none(1, (UINT64_C(1) << 32) + 16);
	expect_none(3, 16);
	expect_field(2, 40, "[].key", 0);
	expect_field(2, 48 + 24 * 1000, "[].value", 1000);
	expect_none(2, 32 + 24 * 1000);
	expect_none(2, 16);
	expect_none(2, 0);
	expect_field(2, 40 + UINT64_C(24) * UINT32_MAX * 8, "[].key", UINT64_C(8) * UINT32_MAX);
	expect_field(UINT32_MAX, UINT32_MAX, "[]", 0);
	expect_none(UINT32_MAX, UINT64_MAX - 1);
	close_tables();
}

Test(field_table, repeated_and_contradicting)
{
	open_tables(PLENTY);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_eq(add_field(1, 16, 0, "first"), MPROF_OK);
		cr_assert_eq(add_field(2, 32, 8, "[]"), MPROF_OK);
	}
	cr_assert_eq(field_table_count(&table), 2);
	cr_assert_eq(add_field(1, 16, 0, "second"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(add_field(2, 40, 8, "[]"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(add_field(2, 36, 16, "[]"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(field_table_count(&table), 2);
	expect_field(1, 16, "first", 0);
	expect_field(2, 40, "[]", 1);
	close_tables();
}

Test(field_table, limit)
{
	mprof_status status = MPROF_OK;
	uint32_t added = 0;

	open_tables(20000);
	while (status == MPROF_OK)
		status = add_field(1 + added % 3, 16 + 8 * added, 0, "name"), added += status == MPROF_OK;
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_eq(field_table_count(&table), added);
	cr_assert_leq(budget.used, 20000);
	for (uint32_t i = 0; i < added; i++)
		expect_field(1 + i % 3, 16 + 8 * i, "name", 0);
	close_tables();
}

/* Each request in turn is refused. */
Test(field_table, refused_memory)
{
	int is_refused = 1;

	for (size_t request = 1; is_refused; request++) {
		mprof_status status = MPROF_OK;

		open_tables(PLENTY);
		memory.fail_at = request;
		for (uint32_t i = 0; i < 200 && status == MPROF_OK; i++)
			status = add_field(1 + i, 16, i % 2 * 8, "name");
		is_refused = status != MPROF_OK;
		cr_assert(status == MPROF_OK || status == MPROF_ERR_MEMORY);
		for (uint32_t i = 0; i < field_table_count(&table); i++)
			expect_field(1 + i, 16, "name", 0);
		close_tables();
	}
}

/* The fields that were added last are removed, and with them the size of elements unless it was known before. */
Test(field_table, roll_back)
{
	size_t count;

	open_tables(PLENTY);
	cr_assert_eq(add_field(1, 8, 0, "a"), MPROF_OK);
	cr_assert_eq(add_field(2, 16, 24, "b"), MPROF_OK);
	count = field_table_count(&table);
	cr_assert_eq(add_field(1, 16, 0, "c"), MPROF_OK);
	cr_assert_eq(add_field(2, 24, 24, "d"), MPROF_OK);
	cr_assert_eq(add_field(3, 16, 8, "e"), MPROF_OK);
	field_table_roll_back(&table, count);
	cr_assert_eq(field_table_count(&table), 2);
	expect_field(1, 8, "a", 0);
	expect_field(2, 40, "b", 1);
	expect_none(1, 16);
	expect_none(2, 24);
	expect_none(3, 16);
	cr_assert_eq(add_field(2, 24, 32, "f"), MPROF_ERR_REDEFINED_ID, "another size");
	cr_assert_eq(add_field(3, 16, 32, "g"), MPROF_OK);
	expect_field(3, 48, "g", 1);
	close_tables();
}
