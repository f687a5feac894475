/* SPDX-License-Identifier: MIT */
#include "recorder/key_table.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void init(key_table *table, int keys_are_ids)
{
	mprof_allocator allocator;

	cr_assert(allocator_init(&allocator, NULL));
	cr_assert(key_table_init(table, &allocator, keys_are_ids));
}

static int define(key_table *table, mprof_key key, const char *name, uint64_t since)
{
	return key_table_define(table, key, 7, 0, name, strlen(name), since);
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
		cr_assert_str_eq(key_table_version(&table, entry, 0)->name, name);
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
	cr_assert_eq(entry->id, 0, "several versions: the counter must be asked");
	cr_assert_str_eq(key_table_version(&table, entry, 0)->name, "first");
	cr_assert_str_eq(key_table_version(&table, entry, 199)->name, "first");
	cr_assert_str_eq(key_table_version(&table, entry, 200)->name, "second");
	cr_assert_eq(key_table_version(&table, entry, 150)->id, 1);
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 300)), 2);
	cr_assert_eq(entry->id, 0);
	key_table_destroy(&table);
}

Test(key_table, ids_of_the_client_stay)
{
	key_table table;
	key_entry *entry;

	init(&table, 1);
	cr_assert(define(&table, 12345, "first", 1));
	cr_assert(define(&table, 12345, "second", 2));
	entry = key_table_find(&table, 12345);
	cr_assert_str_eq(key_table_version(&table, entry, 9)->name, "first");
	cr_assert_eq(key_table_assign(&table, entry, key_table_version(&table, entry, 9)), 12345);
	key_table_destroy(&table);
}
