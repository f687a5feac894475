/* SPDX-License-Identifier: MIT */
#include "stream/definition_table.h"

#include <string.h>

/* There are far more stacks than anything else, and many locations. */
typedef struct stack_element {
	uint32_t frame;
	uint32_t caller : 30;
	uint32_t is_native : 1;
	uint32_t is_compiling : 1;
} stack_element;

_Static_assert(DEFINITION_MOST_STACKS < UINT32_C(1) << 30, "the ID of a caller fits its bits");

typedef struct location_element {
	uint64_t offset;
	uint32_t module;
	uint32_t function;
} location_element;

typedef struct other_element {
	uint64_t start;
	uint64_t size;
	uint64_t value;
	const char *name;
	const char *section;
	uint32_t parent;
	uint32_t target;
	uint32_t flags;
} other_element;

static size_t element_size(uint32_t kind)
{
	if (kind == MPROF_RECORD_STACK)
		return sizeof(stack_element);
	return kind == MPROF_RECORD_LOCATION ? sizeof(location_element) : sizeof(other_element);
}

void definition_table_init(definition_table *table, name_table *names)
{
	memset(table, 0, sizeof(*table));
	table->names = names;
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		table->lists[kind].element_size = element_size(kind);
}

void definition_table_destroy(definition_table *table)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++) {
		definition_list *list = &table->lists[kind];

		allocator_release(&table->names->allocator, list->elements, list->capacity * list->element_size);
		allocator_release(&table->names->allocator, list->runs, list->run_capacity * sizeof(*list->runs));
	}
}

/* The number of runs that begin at an ID or in front of it. */
static size_t runs_until(const definition_list *list, uint32_t id)
{
	size_t low = 0;
	size_t high = list->run_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->runs[middle].first_id <= id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void *element_at(const definition_list *list, size_t place)
{
	return (unsigned char *)list->elements + place * list->element_size;
}

static const void *element_find(const definition_list *list, uint32_t id)
{
	size_t until = runs_until(list, id);
	const definition_run *run;

	if (until == 0)
		return NULL;
	run = &list->runs[until - 1];
	return id - run->first_id < run->count ? element_at(list, run->place + (id - run->first_id)) : NULL;
}

static void element_load(const void *element, mprof_record *record)
{
	if (record->kind == MPROF_RECORD_STACK) {
		const stack_element *stack = element;

		record->parent = stack->caller;
		record->target = stack->frame;
		record->flags =
			(stack->is_native ? MPROF_EVENT_NATIVE : 0) | (stack->is_compiling ? MPROF_EVENT_COMPILING : 0);
	} else if (record->kind == MPROF_RECORD_LOCATION) {
		const location_element *location = element;

		record->parent = location->module;
		record->target = location->function;
		record->start = location->offset;
	} else {
		const other_element *other = element;

		record->parent = other->parent;
		record->target = other->target;
		record->flags = other->flags;
		record->start = other->start;
		record->size = other->size;
		record->value = other->value;
		record->name = other->name;
		record->section = other->section;
	}
}

/* Names are those of the record. */
static void element_store(void *element, const mprof_record *record)
{
	if (record->kind == MPROF_RECORD_STACK) {
		stack_element *stack = element;

		stack->frame = record->target;
		stack->caller = record->parent & DEFINITION_MOST_STACKS;
		stack->is_native = (record->flags & MPROF_EVENT_NATIVE) != 0;
		stack->is_compiling = (record->flags & MPROF_EVENT_COMPILING) != 0;
	} else if (record->kind == MPROF_RECORD_LOCATION) {
		location_element *location = element;

		location->offset = record->start;
		location->module = record->parent;
		location->function = record->target;
	} else {
		other_element *other = element;

		memset(other, 0, sizeof(*other));
		other->parent = record->parent;
		other->target = record->target;
		other->flags = record->flags;
		other->start = record->start;
		other->size = record->size;
		other->value = record->value;
		other->name = record->name;
		other->section = record->section;
	}
}

int definition_table_get(const definition_table *table, uint32_t kind, uint32_t id, mprof_record *record)
{
	const void *element = NULL;

	memset(record, 0, sizeof(*record));
	record->name = "";
	record->section = "";
	if (kind >= MPROF_RECORD_STACK && kind <= MPROF_RECORD_METRIC)
		element = element_find(&table->lists[kind], id);
	if (element == NULL)
		return 0;
	record->kind = kind;
	record->id = id;
	element_load(element, record);
	return 1;
}

int definition_table_get_stack(const definition_table *table, uint32_t id, definition_stack *stack)
{
	const stack_element *element = element_find(&table->lists[MPROF_RECORD_STACK], id);

	if (element == NULL)
		return 0;
	stack->target = element->frame;
	stack->parent = element->caller;
	stack->is_native = element->is_native;
	stack->is_compiling = element->is_compiling;
	return 1;
}

size_t definition_table_count(const definition_table *table, uint32_t kind)
{
	return kind >= MPROF_RECORD_STACK && kind <= MPROF_RECORD_METRIC ? table->lists[kind].count : 0;
}

static mprof_status list_make_room(definition_table *table, definition_list *list)
{
	void *runs = list->runs;
	mprof_status status;

	status =
		name_table_reserve(table->names, &list->elements, &list->capacity, list->count + 1, list->element_size);
	if (status == MPROF_OK)
		status = name_table_reserve(table->names, &runs, &list->run_capacity, list->run_count + 1,
					    sizeof(*list->runs));
	list->runs = runs;
	return status;
}

/* Makes the last element that of an ID that has none. Room was made. Returns 0 if there would be too many runs. */
static int run_add(definition_list *list, uint32_t id)
{
	size_t until = runs_until(list, id);
	definition_run *run = until > 0 ? &list->runs[until - 1] : NULL;

	if (run != NULL && id - run->first_id == run->count && run->place + run->count == list->count) {
		run->count++;
		return 1;
	}
	if (list->run_count == DEFINITION_MOST_RUNS)
		return 0;
	memmove(&list->runs[until + 1], &list->runs[until], (list->run_count - until) * sizeof(*list->runs));
	list->run_count++;
	list->runs[until].place = list->count;
	list->runs[until].first_id = id;
	list->runs[until].count = 1;
	return 1;
}

static mprof_status text_keep(definition_table *table, const char **text)
{
	if (**text == 0) {
		*text = "";
		return MPROF_OK;
	}
	return name_table_keep(table->names, *text, strlen(*text), text);
}

static mprof_status list_add(definition_table *table, definition_list *list, const mprof_record *record)
{
	mprof_record kept = *record;
	mprof_status status = list_make_room(table, list);

	if (status == MPROF_OK)
		status = text_keep(table, &kept.name);
	if (status == MPROF_OK)
		status = text_keep(table, &kept.section);
	if (status != MPROF_OK)
		return status;
	if ((record->kind == MPROF_RECORD_STACK && record->id > DEFINITION_MOST_STACKS) || !run_add(list, record->id))
		return MPROF_ERR_LIMIT;
	element_store(element_at(list, list->count++), &kept);
	return MPROF_OK;
}

int definition_is_same(const mprof_record *known, const mprof_record *record)
{
	return known->parent == record->parent && known->target == record->target && known->flags == record->flags &&
	       known->start == record->start && known->size == record->size && known->value == record->value &&
	       strcmp(known->name, record->name) == 0 && strcmp(known->section, record->section) == 0;
}

mprof_status definition_table_add(definition_table *table, const mprof_record *record)
{
	definition_list *list = &table->lists[record->kind];
	mprof_record known;
	mprof_status status;

	if (definition_table_get(table, record->kind, record->id, &known))
		return definition_is_same(&known, record) ? MPROF_OK : MPROF_ERR_REDEFINED_ID;
	status = list_add(table, list, record);
	if (status == MPROF_OK && record->id != 1 && element_find(list, record->id - 1) == NULL)
		return MPROF_ERR_MALFORMED;
	return status;
}
