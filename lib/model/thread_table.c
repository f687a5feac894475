/* SPDX-License-Identifier: MIT */
#include "model/thread_table.h"

#include "base/array.h"
#include "model/text_copy.h"

#include <string.h>

void thread_table_init(thread_table *table, const mprof_allocator *allocator)
{
	memset(table, 0, sizeof(*table));
	hash_map_init(&table->numbers, allocator);
}

void thread_table_destroy(thread_table *table)
{
	const mprof_allocator *allocator = &table->numbers.allocator;

	for (size_t i = 0; i < table->count; i++) {
		thread_record *thread = &table->records[i];

		text_release(allocator, thread->name);
		call_stack_destroy(&thread->stack);
		interval_stack_destroy(&thread->compilations, allocator);
		interval_stack_destroy(&thread->class_loads, allocator);
		interval_stack_destroy(&thread->finalizers.finalizers, allocator);
	}
	allocator_release(allocator, table->records, table->capacity * sizeof(*table->records));
	table->records = NULL;
	table->count = 0;
	table->capacity = 0;
	hash_map_destroy(&table->numbers);
}

thread_record *thread_table_get(thread_table *table, const call_model *model, uint64_t id)
{
	const uint64_t *number = hash_map_get(&table->numbers, id);
	void *records = table->records;
	thread_record *thread;

	if (number != NULL)
		return &table->records[*number];
	if (!array_reserve(&table->numbers.allocator, &records, &table->capacity, table->count + 1,
			   sizeof(*table->records)))
		return NULL;
	table->records = records;
	if (!hash_map_put(&table->numbers, id, table->count))
		return NULL;
	thread = &table->records[table->count++];
	memset(thread, 0, sizeof(*thread));
	thread->id = id;
	call_stack_init(&thread->stack, model);
	return thread;
}

int thread_table_name(thread_table *table, thread_record *thread, const char *name)
{
	char *copy = text_copy(&table->numbers.allocator, name);

	if (copy == NULL)
		return 0;
	text_release(&table->numbers.allocator, thread->name);
	thread->name = copy;
	return 1;
}
