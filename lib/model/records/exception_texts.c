/* SPDX-License-Identifier: MIT */
/* Keeps the latest message of the exceptions of a class, or of a site. */
#include "model/records/exception_texts.h"

#include "model/records/lists.h"

void exception_texts_init(exception_texts *all, memory_budget *budget)
{
	all->budget = budget;
	record_table_init(&all->records, &budget->allocator, sizeof(exception_text));
}

void exception_texts_destroy(exception_texts *all)
{
	for (size_t i = 0; i < all->records.count; i++) {
		exception_text *record = record_table_at(&all->records, i);

		text_release(&all->budget->allocator, record->text);
	}
	record_table_destroy(&all->records);
}

int exception_texts_add(exception_texts *all, uint32_t number, const char *text, uint64_t counter)
{
	exception_text *record = record_table_get(&all->records, number);
	char *copy;

	if (record == NULL)
		return 0;
	/* Blocks of several threads are in no order of time. */
	if (record->count > 0 && counter < record->counter) {
		record->count++;
		return 1;
	}
	copy = text_copy(&all->budget->paths, text);
	if (copy == NULL && !memory_budget_is_exceeded(all->budget))
		return 0;
	text_release(&all->budget->allocator, record->text);
	record->text = copy;
	record->counter = counter;
	record->count++;
	return 1;
}
