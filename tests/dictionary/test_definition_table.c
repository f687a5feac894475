/* SPDX-License-Identifier: MIT */
/* Definitions by ID: dense and with gaps, within their memory. */
#include "dictionary/definition_table.h"
#include "format/blocks/records.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <string.h>

#define PLENTY (UINT64_C(1) << 30)

static failing_allocator memory;
static memory_budget budget;
static name_table names;
static definition_table table;

static void open_tables(uint64_t max_memory)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	memory_budget_init(&budget, &allocator, max_memory);
	name_table_init(&names, &budget);
	definition_table_init(&table, &names);
}

static void close_tables(void)
{
	cr_assert_eq(budget.used, memory.bytes, "all memory is counted");
	definition_table_destroy(&table);
	name_table_destroy(&names);
	cr_assert_eq(memory.blocks, 0);
	cr_assert_eq(memory.bytes, 0);
}

static mprof_record record_of(uint32_t kind, uint32_t id)
{
	mprof_record record;

	record_clear(&record, kind);
	record.id = id;
	return record;
}

static mprof_status add_stack(uint32_t id, uint32_t target)
{
	mprof_record record = record_of(MPROF_RECORD_STACK, id);

	record.as.stack.caller = id - 1;
	record.as.stack.target = target;
	record.as.stack.is_native = target % 2 == 0;
	return definition_table_add(&table, &record);
}

static void expect_stack(uint32_t id, uint32_t target)
{
	mprof_record record;

	cr_assert_eq(definition_table_get(&table, MPROF_RECORD_STACK, id, &record), 1, "stack %u", (unsigned)id);
	cr_assert_eq(record.kind, MPROF_RECORD_STACK);
	cr_assert_eq(record.id, id);
	cr_assert_eq(record.as.stack.caller, id - 1);
	cr_assert_eq(record.as.stack.target, target);
	cr_assert_eq(record.as.stack.is_native, target % 2 == 0);
	cr_assert_eq(record.as.stack.is_compiling, 0);
}

static void expect_no_stack(uint32_t id)
{
	mprof_record record;

	cr_assert_eq(definition_table_get(&table, MPROF_RECORD_STACK, id, &record), 0, "stack %u", (unsigned)id);
	cr_assert_eq(record.kind, 0);
}

Test(definition_table, stacks)
{
	open_tables(PLENTY);
	expect_no_stack(0);
	expect_no_stack(1);
	for (uint32_t id = 1; id <= 1000; id++)
		cr_assert_eq(add_stack(id, UINT32_MAX - id), MPROF_OK);
	for (uint32_t id = 1; id <= 1000; id++)
		expect_stack(id, UINT32_MAX - id);
	expect_no_stack(0);
	expect_no_stack(1001);
	expect_no_stack(UINT32_MAX);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 1000);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_MODULE), 0);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_METRIC_VALUE), 0);
	cr_assert_eq(definition_table_count(&table, 0), 0);
	close_tables();
}

static mprof_record full_record(uint32_t kind, uint32_t id)
{
	mprof_record record = record_of(kind, id);

	switch (kind) {
	case MPROF_RECORD_MODULE:
		record.as.module = (mprof_module_record){
			UINT64_MAX - 5, UINT64_MAX - 7, UINT64_MAX - 8, "a name", "a second text", 0, 0};
		break;
	case MPROF_RECORD_FUNCTION:
		record.as.function = (mprof_function_record){3, 0, UINT64_MAX - 5, UINT64_MAX - 7, "a name"};
		break;
	case MPROF_RECORD_LOCATION:
		record.as.location = (mprof_location_record){3, 4, UINT64_MAX - 5};
		break;
	case MPROF_RECORD_ROOT:
		record.as.root = (mprof_root_record){6, 4, UINT64_MAX - 8, UINT64_MAX - 5, UINT64_MAX - 7, "a name"};
		break;
	default:
		record.as.metric = (mprof_metric_record){6, 0, "a second text", "a name", UINT64_MAX - 3, "a unit"};
		break;
	}
	return record;
}

/* Every field that a kind may have is kept, and names are copied. */
Test(definition_table, all_other_kinds)
{
	char name[] = "a name";
	mprof_record found;

	open_tables(PLENTY);
	for (uint32_t kind = MPROF_RECORD_MODULE; kind <= MPROF_RECORD_METRIC; kind++) {
		mprof_record expected = full_record(kind, 1);
		mprof_record added = expected;

		if (record_name(&added) != NULL)
			*record_name(&added) = name;
		cr_assert_eq(definition_table_add(&table, &added), MPROF_OK);
		name[0] = 'X';
		cr_assert_eq(definition_table_get(&table, kind, 1, &found), 1);
		name[0] = 'a';
		cr_assert_eq(definition_is_same(&found, &expected), 1, "kind %u", (unsigned)kind);
		cr_assert_eq(definition_table_count(&table, kind), 1);
		cr_assert_eq(definition_table_get(&table, kind, 2, &found), 0);
	}
	cr_assert_eq(definition_table_get(&table, MPROF_RECORD_METRIC_VALUE, 1, &found), 0);
	cr_assert_eq(definition_table_get(&table, 0, 1, &found), 0);
	cr_assert_eq(definition_table_get(&table, UINT32_MAX, 1, &found), 0);
	close_tables();
}

Test(definition_table, defined_again)
{
	mprof_record record;

	open_tables(PLENTY);
	cr_assert_eq(add_stack(1, 5), MPROF_OK);
	cr_assert_eq(add_stack(2, 6), MPROF_OK);
	cr_assert_eq(add_stack(1, 5), MPROF_OK, "the same is no second definition");
	cr_assert_eq(add_stack(1, 7), MPROF_ERR_REDEFINED_ID);
	expect_stack(1, 5);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 2);
	record = full_record(MPROF_RECORD_MODULE, 1);
	cr_assert_eq(definition_table_add(&table, &record), MPROF_OK);
	cr_assert_eq(definition_table_add(&table, &record), MPROF_OK);
	for (uint32_t field = 0; field < 5; field++) {
		record = full_record(MPROF_RECORD_MODULE, 1);
		record.as.module.address += field == 0;
		record.as.module.size += field == 1;
		record.as.module.file_offset += field == 2;
		record.as.module.file = field == 3 ? "another" : record.as.module.file;
		record.as.module.build_id = field == 4 ? "" : record.as.module.build_id;
		cr_assert_eq(definition_table_add(&table, &record), MPROF_ERR_REDEFINED_ID, "field %u",
			     (unsigned)field);
	}
	close_tables();
}

/* A gap is reported once; what is defined is found. */
Test(definition_table, gaps)
{
	open_tables(PLENTY);
	cr_assert_eq(add_stack(10, 1), MPROF_ERR_MALFORMED);
	cr_assert_eq(add_stack(11, 2), MPROF_OK);
	cr_assert_eq(add_stack(20, 3), MPROF_ERR_MALFORMED);
	cr_assert_eq(add_stack(20, 3), MPROF_OK, "the same once more");
	cr_assert_eq(add_stack(21, 4), MPROF_OK);
	/* Those in front come later, as they do after a seek back. */
	cr_assert_eq(add_stack(1, 5), MPROF_OK);
	cr_assert_eq(add_stack(2, 6), MPROF_OK);
	cr_assert_eq(add_stack(12, 7), MPROF_OK, "after a run that is not the last");
	cr_assert_eq(add_stack(13, 8), MPROF_OK);
	cr_assert_eq(add_stack(22, 9), MPROF_OK);
	for (uint32_t id = 0; id < 30; id++) {
		static const uint32_t targets[30] = {
			[1] = 5, [2] = 6, [10] = 1, [11] = 2, [12] = 7, [13] = 8, [20] = 3, [21] = 4, [22] = 9};

		if (targets[id] == 0)
			expect_no_stack(id);
		else
			expect_stack(id, targets[id]);
	}
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 9);
	close_tables();
}

/* A log made of gaps costs neither much memory nor much time. */
Test(definition_table, many_gaps, .timeout = 60)
{
	mprof_status status = MPROF_ERR_MALFORMED;
	uint32_t id = 1 << 29;

	open_tables(PLENTY);
	for (; status == MPROF_ERR_MALFORMED; id -= 2)
		status = add_stack(id, 1);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), DEFINITION_MAX_RANGES);
	cr_assert_leq(memory.most_bytes, 400000);
	expect_stack(1 << 29, 1);
	cr_assert_eq(add_stack((1 << 29) - 1, 1), MPROF_ERR_LIMIT, "it would be a run of its own among others");
	/* What comes after all others, as the ranges of code of a ring buffer do, is not limited. */
	for (id = (1 << 29) + 2; id < (1 << 29) + 20000; id += 2)
		cr_assert_eq(add_stack(id, 1), MPROF_ERR_MALFORMED);
	expect_stack((1 << 29) + 19998, 1);
	close_tables();
}

/* IDs that would need more bits than are kept. */
Test(definition_table, highest_stack)
{
	open_tables(PLENTY);
	cr_assert_eq(add_stack(DEFINITION_MAX_STACKS, 1), MPROF_ERR_MALFORMED);
	expect_stack(DEFINITION_MAX_STACKS, 1);
	cr_assert_eq(add_stack(DEFINITION_MAX_STACKS + 1, 1), MPROF_ERR_LIMIT);
	expect_no_stack(DEFINITION_MAX_STACKS + 1);
	close_tables();
}

Test(definition_table, limit)
{
	mprof_record record = full_record(MPROF_RECORD_FUNCTION, 1);
	uint32_t id = 1;

	open_tables(100000);
	while (add_stack(id, 1) == MPROF_OK)
		id++;
	cr_assert_eq(add_stack(id, 1), MPROF_ERR_LIMIT);
	cr_assert_gt(id, 4000, "eight bytes each");
	cr_assert_leq(memory.most_bytes, 100000);
	while (definition_table_add(&table, &record) == MPROF_OK)
		record.id++;
	cr_assert_eq(definition_table_add(&table, &record), MPROF_ERR_LIMIT);
	cr_assert_gt(record.id, 1);
	cr_assert_leq(memory.bytes, 100000, "but while an array grows");
	expect_stack(id - 1, 1);
	expect_no_stack(id);
	close_tables();
}

/* No memory: nothing is lost, and the same can be added later. */
Test(definition_table, no_memory)
{
	for (size_t fail_at = 1;; fail_at++) {
		size_t refused = 0;

		open_tables(PLENTY);
		memory.fail_at = fail_at;
		memory.fail_once = 1;
		for (uint32_t id = 1; id <= 100; id++) {
			mprof_record record = full_record(MPROF_RECORD_ROOT, id);
			mprof_status status = definition_table_add(&table, &record);

			if (status == MPROF_ERR_MEMORY) {
				refused++;
				status = definition_table_add(&table, &record);
			}
			cr_assert_eq(status, MPROF_OK);
			status = add_stack(id, id);
			if (status == MPROF_ERR_MEMORY) {
				refused++;
				status = add_stack(id, id);
			}
			cr_assert_eq(status, MPROF_OK);
		}
		cr_assert_eq(refused, memory.refused);
		for (uint32_t id = 1; id <= 100; id++)
			expect_stack(id, id);
		close_tables();
		if (refused == 0)
			break;
	}
}

/* What was added after a mark is removed: appended to a range, as a range of its own, and out of order. */
Test(definition_table, roll_back)
{
	mprof_record function = record_of(MPROF_RECORD_FUNCTION, 1);
	definition_mark empty;
	definition_mark mark;

	open_tables(PLENTY);
	empty = definition_table_mark(&table);
	for (uint32_t id = 1; id <= 10; id++)
		cr_assert_eq(add_stack(id, id), MPROF_OK);
	cr_assert_eq(add_stack(100, 5), MPROF_ERR_MALFORMED);
	cr_assert_eq(add_stack(101, 6), MPROF_OK);
	mark = definition_table_mark(&table);
	cr_assert_eq(add_stack(102, 7), MPROF_OK);
	cr_assert_eq(add_stack(11, 8), MPROF_OK);
	cr_assert_eq(add_stack(50, 9), MPROF_ERR_MALFORMED);
	cr_assert_eq(definition_table_add(&table, &function), MPROF_OK);
	definition_table_roll_back(&table, &mark);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 12);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_FUNCTION), 0);
	cr_assert_eq(definition_table_get(&table, MPROF_RECORD_FUNCTION, 1, &function), 0);
	expect_no_stack(11);
	expect_no_stack(50);
	expect_no_stack(102);
	expect_stack(10, 10);
	expect_stack(101, 6);
	cr_assert_eq(add_stack(102, 3), MPROF_OK);
	cr_assert_eq(add_stack(11, 2), MPROF_OK);
	expect_stack(102, 3);
	expect_stack(11, 2);
	definition_table_roll_back(&table, &empty);
	cr_assert_eq(definition_table_count(&table, MPROF_RECORD_STACK), 0);
	expect_no_stack(1);
	cr_assert_eq(add_stack(1, 4), MPROF_OK);
	expect_stack(1, 4);
	close_tables();
}
