/* SPDX-License-Identifier: MIT */
/* What is the same gets the same ID, and nothing else does. */
#include "dictionary/definition_table.h"
#include "format/blocks/records.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

static failing_allocator memory;
static memory_budget budget;
static name_table names;
static definition_table table;
static definition_interner interner;

static void open_tables(uint64_t max_memory)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	memory_budget_init(&budget, &allocator, max_memory);
	name_table_init(&names, &budget);
	definition_table_init(&table, &names);
	definition_interner_init(&interner, &table);
}

static void close_tables(void)
{
	cr_assert_eq(budget.used, memory.bytes, "all memory is counted");
	definition_interner_destroy(&interner);
	definition_table_destroy(&table);
	name_table_destroy(&names);
	cr_assert_eq(memory.blocks, 0);
}

static uint32_t intern(mprof_record record)
{
	record_complete(&record);
	cr_assert_eq(definition_intern(&interner, &record), MPROF_OK);
	return record.id;
}

static uint32_t intern_stack(uint32_t caller, uint32_t frame, uint32_t flags)
{
	uint32_t stack = 0;

	cr_assert_eq(definition_intern_stack(&interner, caller, frame, flags, &stack), MPROF_OK);
	return stack;
}

Test(definition_interner, stacks)
{
	open_tables(UINT64_MAX);
	for (int round = 0; round < 2; round++) {
		cr_assert_eq(intern_stack(0, 0, 0), 1, "nothing at all is a chain too");
		cr_assert_eq(intern_stack(0, 5, 0), 2);
		cr_assert_eq(intern_stack(0, 5, MPROF_EVENT_FLAG_NATIVE), 3);
		cr_assert_eq(intern_stack(0, 5, MPROF_EVENT_FLAG_COMPILING), 4);
		cr_assert_eq(intern_stack(2, 5, 0), 5);
		cr_assert_eq(intern_stack(2, UINT32_MAX, 0), 6);
		cr_assert_eq(intern_stack(6, UINT32_MAX, MPROF_EVENT_FLAG_NATIVE), 7);
	}
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 7);
	close_tables();
}

/* Each field makes a difference. */
Test(definition_interner, others)
{
	const mprof_record base = {.kind = MPROF_RECORD_MODULE,
				   .as.module.address = 1,
				   .as.module.size = 2,
				   .as.module.file_offset = 3,
				   .as.module.file = "a"};
	const mprof_record function = {.kind = MPROF_RECORD_FUNCTION, .as.function = {1, 0, 2, 3, "a"}};
	const mprof_record location = {.kind = MPROF_RECORD_LOCATION, .as.location = {1, 2, 3}};
	mprof_record record;

	open_tables(UINT64_MAX);
	for (int round = 0; round < 2; round++) {
		cr_assert_eq(intern(base), 1);
		record = base;
		record.as.module.address = 2;
		cr_assert_eq(intern(record), 2);
		record = base;
		record.as.module.size = 3;
		cr_assert_eq(intern(record), 3);
		record = base;
		record.as.module.file_offset = 4;
		cr_assert_eq(intern(record), 4);
		record = base;
		record.as.module.file = "b";
		cr_assert_eq(intern(record), 5);
		record = base;
		record.as.module.file = "";
		cr_assert_eq(intern(record), 6);
		record = function;
		cr_assert_eq(intern(record), 1, "each kind has IDs of its own");
		record.as.function.module = 2;
		cr_assert_eq(intern(record), 2);
		record = function;
		record.as.function.offset = 3;
		cr_assert_eq(intern(record), 3);
		record = function;
		record.as.function.size = 4;
		cr_assert_eq(intern(record), 4);
		record = function;
		record.as.function.name = "b";
		cr_assert_eq(intern(record), 5);
		record = location;
		cr_assert_eq(intern(record), 1);
		record.as.location.module = 2;
		cr_assert_eq(intern(record), 2);
		record = location;
		record.as.location.function = 3;
		cr_assert_eq(intern(record), 3);
		record = location;
		record.as.location.offset = 4;
		cr_assert_eq(intern(record), 4);
	}
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_MODULE), 6);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_FUNCTION), 5);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_LOCATION), 4);
	close_tables();
}

Test(definition_interner, many)
{
	char name[16];

	open_tables(UINT64_MAX);
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 1; i <= 20000; i++) {
			mprof_record record = {
				.kind = MPROF_RECORD_FUNCTION, .as.function.module = i % 7, .as.function.name = name};

			snprintf(name, sizeof(name), "function %u", (unsigned)i);
			cr_assert_eq(intern(record), i);
		}
	}
	close_tables();
}

Test(definition_interner, first_of_name)
{
	mprof_record record = {
		.kind = MPROF_RECORD_MODULE, .as.module.address = 1, .as.module.file = "a", .as.module.build_id = ""};
	uint32_t first;

	open_tables(UINT64_MAX);
	for (uint64_t start = 1; start < 5; start++) {
		record.as.module.address = start;
		record.as.module.file = start % 2 != 0 ? "a" : "b";
		cr_assert_eq(definition_intern(&interner, &record), MPROF_OK);
		cr_assert_eq(definition_first_of_name(&interner, &record, &first), MPROF_OK);
		cr_assert_eq(first, start % 2 != 0 ? 1 : 2);
	}
	close_tables();
}

/* For a log that has IDs of its own. */
Test(definition_interner, after)
{
	const mprof_record function = {.kind = MPROF_RECORD_FUNCTION, .as.function.name = "a"};

	open_tables(UINT64_MAX);
	definition_interner_set_first_id(&interner, 1000);
	cr_assert_eq(intern_stack(0, 1, 0), 1001);
	cr_assert_eq(intern_stack(1001, 1, 0), 1002);
	cr_assert_eq(intern(function), 1001);
	/* Chains of the log itself have callees of their own. */
	cr_assert_eq(intern_stack(1000, 1, 0), 1003);
	cr_assert_eq(intern_stack(1, 1, 0), 1004);
	cr_assert_eq(intern_stack(0, 1, 0), 1001);
	cr_assert_eq(intern_stack(1000, 1, 0), 1003);
	cr_assert_eq(intern_stack(1, 1, 0), 1004);
	close_tables();
}

Test(definition_interner, limit)
{
	mprof_status status = MPROF_OK;
	uint32_t last = 0;
	uint32_t stack = 77;

	open_tables(20000);
	for (uint32_t frame = 1; status == MPROF_OK; frame++) {
		last = stack;
		status = definition_intern_stack(&interner, 0, frame, 0, &stack);
	}
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_eq(stack, last, "it stays");
	cr_assert_leq(memory.most_bytes, 20000 + 64 * 16);
	cr_assert_eq(intern_stack(0, 1, 0), 1, "what is known is found");
	close_tables();
}
