/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *room_for(void *elements, size_t count, size_t *capacity, size_t size)
{
	size_t larger = *capacity;

	while (larger < count)
		larger = larger < 16 ? 16 : larger * 2;
	if (larger == *capacity)
		return elements;
	elements = realloc(elements, larger * size);
	if (elements == NULL) {
		perror("oracle");
		exit(2);
	}
	memset((char *)elements + *capacity * size, 0, (larger - *capacity) * size);
	*capacity = larger;
	return elements;
}

void *room_once(void *element, size_t size)
{
	size_t capacity = 0;

	return element != NULL ? element : room_for(NULL, 1, &capacity, size);
}

static uint32_t *place_of(const fact_table *table, const uint64_t *key)
{
	uint64_t hash = 0;
	size_t i;

	for (size_t part = 0; part < FACT_KEY_PARTS; part++)
		hash = (hash ^ key[part] ^ hash >> 29) * UINT64_C(0x9e3779b97f4a7c15);
	i = (size_t)(hash >> 32) & (table->place_count - 1);
	while (table->places[i] != 0 && memcmp(table->rows[table->places[i] - 1].key, key, sizeof(fact){0}.key) != 0)
		i = (i + 1) & (table->place_count - 1);
	return &table->places[i];
}

/* Keeps half of the slots free. */
static void reserve_places(fact_table *table)
{
	size_t capacity = 0;

	if (table->count < table->place_count / 2)
		return;
	free(table->places);
	table->place_count = table->place_count == 0 ? 64 : table->place_count * 2;
	table->places = room_for(NULL, table->place_count, &capacity, sizeof(*table->places));
	for (size_t i = 0; i < table->count; i++)
		*place_of(table, table->rows[i].key) = (uint32_t)i + 1;
}

size_t facts_find(fact_table *table, uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t key[FACT_KEY_PARTS] = {first, second, third};
	uint32_t *position;

	reserve_places(table);
	position = place_of(table, key);
	if (*position == 0) {
		table->rows = room_for(table->rows, table->count + 1, &table->capacity, sizeof(*table->rows));
		memcpy(table->rows[table->count].key, key, sizeof(key));
		*position = (uint32_t)++table->count;
	}
	return *position - 1;
}

fact *facts_get(fact_table *table, uint64_t first, uint64_t second, uint64_t third)
{
	size_t number = facts_find(table, first, second, third);

	return &table->rows[number];
}

size_t facts_number(const fact_table *table, const fact *row)
{
	return (size_t)(row - table->rows);
}

static int compare_first(const void *left, const void *right)
{
	const fact *a = *(const fact *const *)left;
	const fact *b = *(const fact *const *)right;

	if (a->key[0] != b->key[0])
		return a->key[0] < b->key[0] ? -1 : 1;
	return (a > b) - (a < b);
}

static void group(fact_table *table)
{
	size_t capacity = 0;

	table->groups = room_for(NULL, table->count + 1, &capacity, sizeof(*table->groups));
	for (size_t i = 0; i < table->count; i++)
		table->groups[i] = &table->rows[i];
	qsort(table->groups, table->count, sizeof(*table->groups), compare_first);
}

const fact **facts_of(fact_table *table, uint64_t first, size_t *count)
{
	size_t low = 0;
	size_t high = table->count;

	if (table->groups == NULL)
		group(table);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->groups[middle]->key[0] < first)
			low = middle + 1;
		else
			high = middle;
	}
	*count = 0;
	while (low + *count < table->count && table->groups[low + *count]->key[0] == first)
		++*count;
	return table->groups + low;
}

void facts_release(fact_table *table)
{
	free(table->rows);
	free(table->places);
	free(table->groups);
}
