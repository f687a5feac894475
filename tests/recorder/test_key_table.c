/* SPDX-License-Identifier: MIT */
#include "base/caller_structs.h"
#include "recorder/tables/keys.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void init(key_table *table, int keys_are_ids)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	cr_assert(key_table_init(table, &allocator, keys_are_ids));
}

static key_change define(key_table *table, mprof_key key, const char *name, uint64_t since)
{
	key_definition definition = {.owner = 7, .name = name, .name_length = strlen(name), .since = since};

	return key_table_define(table, key, &definition);
}

Test(key_table, ids_are_given_at_first_use_and_dense)
{
	key_table table;
	key_entry *entry;

	init(&table, 0);
	cr_assert_null(key_table_find(&table, 10));
	cr_assert(define(&table, 10, "ten", 1));
	cr_assert(define(&table, 20, "twenty", 1));
	entry = key_table_find(&table, 20);
	cr_assert_eq(entry->id, 0);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 5)), 1);
	cr_assert_eq(entry->id, 1);
	entry = key_table_find(&table, 10);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 5)), 2);
	key_table_destroy(&table);
}

Test(key_table, holds_many_keys)
{
	key_table table;
	char name[24];

	init(&table, 0);
	for (uint64_t key = 1; key <= 50000; key++) {
		snprintf(name, sizeof(name), "name %d", (int)key);
		cr_assert(define(&table, key * 64, name, 0));
	}
	for (uint64_t key = 1; key <= 50000; key++) {
		key_entry *entry = key_table_find(&table, key * 64);

		snprintf(name, sizeof(name), "name %d", (int)key);
		cr_assert_not_null(entry);
		cr_assert_str_eq(key_table_version(&table, entry, 0)->definition.name, name);
	}
	cr_assert_null(key_table_find(&table, 63));
	key_table_destroy(&table);
}

Test(key_table, a_new_definition_counts_from_its_counter_on)
{
	key_table table;
	key_entry *entry;

	init(&table, 0);
	cr_assert(define(&table, 10, "first", 100));
	entry = key_table_find(&table, 10);
	key_table_assign(&table, entry, key_table_version(&table, entry, 100));
	cr_assert(define(&table, 10, "second", 200));
	cr_assert(define(&table, 10, "second", 250));
	entry = key_table_find(&table, 10);
	cr_assert_eq(entry->id, 0, "with several versions the counter decides");
	cr_assert_str_eq(key_table_version(&table, entry, 0)->definition.name, "first");
	cr_assert_str_eq(key_table_version(&table, entry, 199)->definition.name, "first");
	cr_assert_str_eq(key_table_version(&table, entry, 200)->definition.name, "second");
	cr_assert_eq(key_table_version(&table, entry, 150)->id, 1);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 300)), 2);
	cr_assert_eq(entry->id, 0);
	key_table_destroy(&table);
}

/* The name of the newest definition, "" if the key has none. */
static const char *newest(const key_table *table, mprof_key key)
{
	const key_entry *entry = key_table_find(table, key);

	return entry != NULL && entry->version != 0 ? table->versions[entry->version].definition.name : "";
}

Test(key_table, tells_what_came_of_a_definition)
{
	key_table table;

	init(&table, 0);
	cr_assert_eq(define(&table, 10, "first", 1), KEY_ADDED);
	cr_assert_eq(define(&table, 10, "first", 2), KEY_AS_BEFORE);
	cr_assert_eq(define(&table, 10, "second", 3), KEY_CHANGED);
	key_table_destroy(&table);
}

Test(key_table, a_retired_key_begins_anew)
{
	const mprof_key_range range = {10, 10};
	key_table table;
	key_entry *entry;

	init(&table, 0);
	cr_assert_eq(define(&table, 10, "name", 1), KEY_ADDED);
	cr_assert_eq(define(&table, 10, "other", 2), KEY_CHANGED);
	cr_assert_eq(define(&table, 11, "neighbour", 2), KEY_ADDED);
	entry = key_table_find(&table, 10);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 5)), 1);
	key_table_retire(&table, &range, 1);
	cr_assert_str_eq(newest(&table, 10), "");
	cr_assert_eq(key_table_find(&table, 10)->id, 0);
	cr_assert_str_eq(newest(&table, 11), "neighbour");
	/* After it was retired the key has a new definition, which is used for every counter. */
	cr_assert_eq(define(&table, 10, "other", 9), KEY_ADDED);
	entry = key_table_find(&table, 10);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 1)), 2);
	cr_assert_eq(entry->id, 2);
	key_table_destroy(&table);
}

Test(key_table, ranges_take_what_is_in_them_and_nothing_else)
{
	/* Few keys, which are looked up one by one; then enough keys for the whole table to be scanned. */
	static const struct {
		mprof_key_range ranges[3];
		size_t count;
	} input[] = {
		{{{0, 63}, {64, 64}, {65 * 64 - 1, 66 * 64 + 1}}, 3},
		{{{0, 64}, {65 * 64, UINT64_C(66) * 64}, {UINT64_C(1) << 40, UINT64_MAX}}, 3},
	};

	for (size_t i = 0; i < sizeof(input) / sizeof(input[0]); i++) {
		key_table table;

		init(&table, 0);
		for (mprof_key key = 64; key <= 100 * 64; key += 64)
			cr_assert_eq(define(&table, key, "name", 1), KEY_ADDED);
		cr_assert_eq(define(&table, UINT64_C(1) << 50, "far", 1), KEY_ADDED);
		key_table_retire(&table, input[i].ranges, input[i].count);
		for (mprof_key key = 64; key <= 100 * 64; key += 64) {
			int in = key == 64 || key == 65 * 64 || key == 66 * 64;

			cr_assert_str_eq(newest(&table, key), in ? "" : "name", "key %d", (int)key);
		}
		cr_assert_str_eq(newest(&table, UINT64_C(1) << 50), i == 0 ? "far" : "");
		cr_assert_eq(table.retired, i == 0 ? 3 : 4);
		key_table_destroy(&table);
	}
}

Test(key_table, keys_that_come_and_go_take_no_more_room)
{
	key_table table;

	init(&table, 0);
	for (mprof_key generation = 0; generation < 1000; generation++) {
		mprof_key base = (generation + 1) * 0x10000;
		mprof_key_range range = {base, base + 99};

		for (mprof_key key = base; key < base + 100; key++)
			cr_assert_eq(define(&table, key, "name", 1), KEY_ADDED);
		key_table_retire(&table, &range, 1);
	}
	cr_assert_leq(table.entries.capacity, 2048);
	cr_assert_leq(table.version_count, 101);
	key_table_destroy(&table);
}

Test(key_table, ids_of_the_client_stay)
{
	const mprof_key_range range = {1, UINT64_MAX};
	key_table table;
	key_entry *entry;

	init(&table, 1);
	cr_assert(define(&table, 12345, "first", 1));
	cr_assert(define(&table, 12345, "second", 2));
	entry = key_table_find(&table, 12345);
	cr_assert_str_eq(key_table_version(&table, entry, 9)->definition.name, "first");
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 9)), 12345);
	key_table_retire(&table, &range, 1);
	cr_assert_eq(key_table_find(&table, 12345)->id, 12345);
	key_table_destroy(&table);
}
