/* SPDX-License-Identifier: MIT */
/* Names by ID: sparse and dense, never moving, within their memory. */
#include "dictionary/name_table.h"

#include "base/failing_allocator.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#define PLENTY (UINT64_C(1) << 30)

static mprof_mapping class_of(uint32_t id, uint32_t assembly_id, const char *name)
{
	mprof_mapping mapping = {0, id, 0, assembly_id, 0, id * 8, name, strlen(name), "", 0, 0, 0};

	return mapping;
}

static mprof_mapping method_of(uint32_t id, uint32_t class_id, const char *name)
{
	mprof_mapping mapping = {1, id, class_id, 0, MPROF_METHOD_FLAG_WRAPPER, 0, name, strlen(name), "", 0, 0, 0};

	return mapping;
}

static mprof_status add_class(name_table *table, uint32_t id, const char *name, uint64_t block_offset)
{
	mprof_mapping mapping = class_of(id, 5, name);

	return name_table_add(table, &mapping, block_offset);
}

static mprof_status add_method(name_table *table, uint32_t id, uint32_t class_id, const char *name)
{
	mprof_mapping mapping = method_of(id, class_id, name);

	return name_table_add(table, &mapping, 100);
}

static failing_allocator memory;
static memory_budget budget;

static void table_init(name_table *table, uint64_t max_memory)
{
	mprof_allocator allocator = failing_allocator_interface(&memory);

	memset(&memory, 0, sizeof(memory));
	memory_budget_init(&budget, &allocator, max_memory);
	name_table_init(table, &budget);
}

static void table_destroy(name_table *table)
{
	name_table_destroy(table);
	cr_assert_eq(memory.blocks, 0);
	cr_assert_eq(memory.bytes, 0);
}

Test(name_table, look_up)
{
	name_table table;
	mprof_mapping found;

	table_init(&table, PLENTY);
	cr_assert_eq(name_table_class(&table, 1, &found), 0);
	cr_assert_eq(add_class(&table, 1, "Class", 100), MPROF_OK);
	cr_assert_eq(add_method(&table, 1, 1, "Method ()"), MPROF_OK);
	cr_assert_eq(add_method(&table, UINT32_MAX, 0, ""), MPROF_OK);
	cr_assert_eq(name_table_class(&table, 1, &found), 1);
	cr_assert_eq(found.is_method, 0);
	cr_assert_eq(found.assembly_id, 5);
	cr_assert_eq(found.size, 8);
	cr_assert_str_eq(found.name, "Class");
	cr_assert_eq(found.name_length, 5);
	cr_assert_eq(name_table_method(&table, 1, &found), 1);
	cr_assert_eq(found.is_method, 1);
	cr_assert_eq(found.class_id, 1);
	cr_assert_eq(found.flags, MPROF_METHOD_FLAG_WRAPPER);
	cr_assert_eq(found.size, 0);
	cr_assert_eq(name_table_method(&table, UINT32_MAX, &found), 1);
	cr_assert_str_eq(found.name, "");
	cr_assert_eq(name_table_method(&table, 2, &found), 0);
	cr_assert_eq(name_table_class(&table, 0, &found), 0);
	table_destroy(&table);
}

Test(name_table, redefinition)
{
	name_table table;
	mprof_mapping found;

	table_init(&table, PLENTY);
	cr_assert_eq(add_class(&table, 1, "First", 100), MPROF_OK);
	cr_assert_eq(add_class(&table, 1, "First", 100), MPROF_OK, "the same block, read again");
	cr_assert_eq(add_class(&table, 1, "Other", 100), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(add_class(&table, 1, "First", 200), MPROF_ERR_REDEFINED_ID);
	found = class_of(1, 5, "First");
	found.size++;
	cr_assert_eq(name_table_add(&table, &found, 100), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(add_method(&table, 1, 1, "A method with the same ID"), MPROF_OK);
	cr_assert_eq(name_table_class(&table, 1, &found), 1);
	cr_assert_str_eq(found.name, "First");
	cr_assert_eq(table.classes.count, 1);
	table_destroy(&table);
}

Test(name_table, names_never_move)
{
	enum { COUNT = 20000 };
	static const char *names[COUNT];
	name_table table;
	mprof_mapping found;
	char name[32];

	table_init(&table, PLENTY);
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "Class%u", (unsigned)i);
		/* Spread over all of 32 bits. */
		cr_assert_eq(add_class(&table, i * 214013 + 1, name, i), MPROF_OK);
		cr_assert_eq(name_table_class(&table, i * 214013 + 1, &found), 1);
		names[i] = found.name;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "Class%u", (unsigned)i);
		cr_assert_eq(name_table_class(&table, i * 214013 + 1, &found), 1);
		cr_assert_eq(found.name, names[i]);
		cr_assert_str_eq(found.name, name);
	}
	table_destroy(&table);
}

Test(name_table, method_name)
{
	name_table table;
	char text[32];

	table_init(&table, PLENTY);
	add_class(&table, 1, "Space.Class", 100);
	add_method(&table, 7, 1, "Run (int)");
	add_method(&table, 8, 2, "Run ()");
	add_method(&table, 9, 0, "main");
	cr_assert_eq(name_table_method_name(&table, 7, text, sizeof(text)), 21);
	cr_assert_str_eq(text, "Space.Class.Run (int)");
	name_table_method_name(&table, 8, text, sizeof(text));
	cr_assert_str_eq(text, "#2.Run ()");
	name_table_method_name(&table, 9, text, sizeof(text));
	cr_assert_str_eq(text, "main");
	name_table_method_name(&table, 4294967295u, text, sizeof(text));
	cr_assert_str_eq(text, "#4294967295");
	for (size_t size = 1; size < 22; size++) {
		memset(text, 'x', sizeof(text));
		cr_assert_eq(name_table_method_name(&table, 7, text, size), 21);
		cr_assert_eq(strlen(text), size - 1);
		cr_assert_eq(strncmp(text, "Space.Class.Run (int)", size - 1), 0);
		cr_assert_eq(text[size], 'x');
	}
	cr_assert_eq(name_table_method_name(&table, 7, NULL, 0), 21);
	table_destroy(&table);
}

Test(name_table, limit)
{
	const uint64_t limit = 100000;
	name_table table;
	mprof_status status = MPROF_OK;
	uint32_t id = 1;

	table_init(&table, limit);
	while (status == MPROF_OK)
		status = add_class(&table, id++, "A name of some length, as names are", 100);
	cr_assert_eq(status, MPROF_ERR_LIMIT);
	cr_assert_gt(id, 200, "%u", (unsigned)id);
	cr_assert_leq(memory.bytes, limit);
	/* While a map grows the old one is still there, which is half as large. */
	cr_assert_leq(memory.most_bytes, limit + limit / 2);
	cr_assert_eq(budget.used, memory.bytes);
	cr_assert_eq(add_class(&table, 1, "A name of some length, as names are", 100), MPROF_OK, "known before");
	table_destroy(&table);
}

Test(name_table, limit_of_one_name)
{
	static char name[200001];
	name_table table;

	memset(name, 'n', sizeof(name) - 1);
	table_init(&table, 100000);
	cr_assert_eq(add_class(&table, 1, name, 100), MPROF_ERR_LIMIT);
	cr_assert_eq(add_class(&table, 2, "short", 100), MPROF_OK);
	table_destroy(&table);
}

/* After any refusal the same definition can be added again. */
Test(name_table, no_memory)
{
	for (size_t fail_at = 1;; fail_at++) {
		name_table table;
		mprof_mapping found;

		table_init(&table, PLENTY);
		memory.fail_at = fail_at;
		memory.fail_once = 1;
		for (uint32_t id = 1; id <= 200; id++) {
			mprof_status status = add_class(&table, id, "A name of some length, as names are", 100);

			if (status != MPROF_OK) {
				cr_assert_eq(status, MPROF_ERR_MEMORY);
				cr_assert_eq(add_class(&table, id, "A name of some length, as names are", 100),
					     MPROF_OK);
			}
			cr_assert_eq(name_table_class(&table, id, &found), 1);
		}
		cr_assert_eq(table.classes.count, 200);
		cr_assert_eq(budget.used, memory.bytes);
		table_destroy(&table);
		if (memory.refused == 0)
			break;
	}
}

static mprof_status add_with_file(name_table *table, uint32_t id, uint32_t file_id, const char *file)
{
	mprof_mapping mapping = method_of(id, 1, "Method");

	mapping.source_file_id = file_id;
	mapping.source_file = file;
	mapping.source_file_length = strlen(file);
	return name_table_add(table, &mapping, 300);
}

static void expect_file(const name_table *table, uint32_t file_id, const char *file)
{
	mprof_mapping mapping = method_of(1, 1, "Method");

	mapping.source_file_id = file_id;
	name_table_source(table, &mapping);
	cr_assert_str_eq(mapping.source_file, file);
	cr_assert_eq(mapping.source_file_length, strlen(file));
}

/* What was added after a mark is removed, whether IDs are dense or sparse, and can be added again with other names. */
Test(name_table, roll_back)
{
	enum { COUNT = 2000 };
	name_table table;
	name_mark empty;
	name_mark mark;
	mprof_mapping found;
	name_mark after;

	table_init(&table, PLENTY);
	empty = name_table_mark(&table);
	cr_assert_eq(add_class(&table, 1, "Class", 100), MPROF_OK);
	cr_assert_eq(add_method(&table, 1, 1, "Method ()"), MPROF_OK);
	cr_assert_eq(add_with_file(&table, 2, 1, "a.cs"), MPROF_OK);
	mark = name_table_mark(&table);
	for (uint32_t i = 2; i < COUNT; i++) {
		cr_assert_eq(add_class(&table, i % 2 == 0 ? i : i * 214013, "Another class", 200), MPROF_OK);
		cr_assert_eq(add_with_file(&table, i + 1, i, "b.cs"), MPROF_OK);
	}
	cr_assert_neq(table.chunks, mark.chunk);
	name_table_roll_back(&table, &mark);
	cr_assert_eq(table.chunks, mark.chunk);
	after = name_table_mark(&table);
	cr_assert_eq(after.chunk_used, mark.chunk_used);
	for (uint32_t i = 2; i < COUNT; i++) {
		cr_assert_eq(name_table_class(&table, i % 2 == 0 ? i : i * 214013, &found), 0);
		cr_assert_eq(name_table_method(&table, i + 1, &found), 0);
		expect_file(&table, i, "");
	}
	expect_file(&table, 1, "a.cs");
	cr_assert_eq(name_table_class(&table, 1, &found), 1);
	cr_assert_str_eq(found.name, "Class");
	cr_assert_eq(add_class(&table, 3 * 214013, "Third", 300), MPROF_OK);
	cr_assert_eq(add_with_file(&table, 3, 2, "c.cs"), MPROF_OK);
	cr_assert_eq(name_table_class(&table, 3 * 214013, &found), 1);
	cr_assert_str_eq(found.name, "Third");
	expect_file(&table, 2, "c.cs");
	name_table_roll_back(&table, &empty);
	cr_assert_null(table.chunks);
	cr_assert_eq(name_table_class(&table, 1, &found), 0);
	expect_file(&table, 1, "");
	table_destroy(&table);
}

/* The name of a source file is in one definition; another name for its ID is refused. */
Test(name_table, source_files)
{
	name_table table;

	table_init(&table, PLENTY);
	cr_assert_eq(add_with_file(&table, 1, 7, "a.cs"), MPROF_OK);
	cr_assert_eq(add_with_file(&table, 2, 7, ""), MPROF_OK);
	cr_assert_eq(add_with_file(&table, 1, 7, "a.cs"), MPROF_OK, "the same block, read again");
	cr_assert_eq(add_with_file(&table, 3, 7, "a.c"), MPROF_ERR_REDEFINED_ID);
	cr_assert_eq(add_with_file(&table, 3, UINT32_MAX >> 1, "b.cs"), MPROF_OK);
	expect_file(&table, 7, "a.cs");
	expect_file(&table, UINT32_MAX >> 1, "b.cs");
	expect_file(&table, 0, "");
	expect_file(&table, 8, "");
	table_destroy(&table);
}
