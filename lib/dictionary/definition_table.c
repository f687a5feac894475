/* SPDX-License-Identifier: MIT */
/* Stores definitions compactly in arrays by ID, with ranges for gaps. */
#include "dictionary/definition_table.h"

#include "format/blocks/records.h"

#include <string.h>

/* Compact elements: there are far more stacks than other definitions, and many locations. */
typedef struct stack_element {
	uint32_t frame;
	uint32_t caller : 30;
	uint32_t is_native : 1;
	uint32_t is_compiling : 1;
} stack_element;

_Static_assert(DEFINITION_MAX_STACKS < UINT32_C(1) << 30, "the ID of a caller fits its bits");

typedef struct location_element {
	uint64_t offset;
	uint32_t module;
	uint32_t function;
} location_element;

/* Elements of other kinds are stored as in records, with pointers to stored names. */
typedef union other_element {
	mprof_module_record module;
	mprof_function_record function;
	mprof_root_record root;
	mprof_metric_record metric;
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

		allocator_release(&table->names->budget->allocator, list->elements,
				  list->capacity * list->element_size);
		allocator_release(&table->names->budget->allocator, list->ranges,
				  list->range_capacity * sizeof(*list->ranges));
	}
}

/* Returns the number of ranges that start at an ID or before it. */
static size_t ranges_until(const definition_list *list, uint32_t id)
{
	size_t low = 0;
	size_t high = list->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->ranges[middle].first_id <= id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void *element_at(const definition_list *list, size_t index)
{
	return (unsigned char *)list->elements + index * list->element_size;
}

static const void *element_find(const definition_list *list, uint32_t id)
{
	size_t until = ranges_until(list, id);
	const definition_range *range;

	if (until == 0)
		return NULL;
	range = &list->ranges[until - 1];
	return id - range->first_id < range->count ? element_at(list, range->index + (id - range->first_id)) : NULL;
}

static void load_element(const void *element, mprof_record *record)
{
	const stack_element *stack = element;
	const location_element *location = element;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		record->as.stack.caller = stack->caller;
		record->as.stack.target = stack->frame;
		record->as.stack.is_native = stack->is_native;
		record->as.stack.is_compiling = stack->is_compiling;
		break;
	case MPROF_RECORD_LOCATION:
		record->as.location.module = location->module;
		record->as.location.function = location->function;
		record->as.location.offset = location->offset;
		break;
	default:
		memcpy(&record->as, element, sizeof(other_element));
		break;
	}
}

/* Stores a record in its element. The names must have been copied: the element points to those of the record. */
static void element_store(void *element, const mprof_record *record)
{
	stack_element *stack = element;
	location_element *location = element;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		stack->frame = record->as.stack.target;
		stack->caller = record->as.stack.caller & DEFINITION_MAX_STACKS;
		stack->is_native = record->as.stack.is_native != 0;
		stack->is_compiling = record->as.stack.is_compiling != 0;
		break;
	case MPROF_RECORD_LOCATION:
		location->offset = record->as.location.offset;
		location->module = record->as.location.module;
		location->function = record->as.location.function;
		break;
	default:
		memcpy(element, &record->as, sizeof(other_element));
		break;
	}
}

int definition_table_get(const definition_table *table, uint32_t kind, uint32_t id, mprof_record *record)
{
	const void *element = NULL;

	memset(record, 0, sizeof(*record));
	if (kind >= MPROF_RECORD_STACK && kind <= MPROF_RECORD_METRIC)
		element = element_find(&table->lists[kind], id);
	if (element == NULL)
		return 0;
	record->kind = kind;
	record->id = id;
	load_element(element, record);
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

static mprof_status definition_list_reserve(definition_table *table, definition_list *list)
{
	void *ranges = list->ranges;
	mprof_status status;

	status = memory_budget_reserve(table->names->budget, &list->elements, &list->capacity, list->count + 1,
				       list->element_size);
	if (status == MPROF_OK)
		status = memory_budget_reserve(table->names->budget, &ranges, &list->range_capacity,
					       list->range_count + 1, sizeof(*list->ranges));
	list->ranges = ranges;
	return status;
}

/*
 * Assigns a new ID to the element that is about to be added. The caller has reserved memory for a range. Returns 0 if
 * there would be too many ranges.
 */
static int range_add(definition_list *list, uint32_t id)
{
	size_t until = ranges_until(list, id);
	definition_range *range = until > 0 ? &list->ranges[until - 1] : NULL;

	if (range != NULL && id - range->first_id == range->count && range->index + range->count == list->count) {
		range->count++;
		return 1;
	}
	if (list->range_count == DEFINITION_MAX_RANGES)
		return 0;
	memmove(&list->ranges[until + 1], &list->ranges[until], (list->range_count - until) * sizeof(*list->ranges));
	list->range_count++;
	list->ranges[until].index = list->count;
	list->ranges[until].first_id = id;
	list->ranges[until].count = 1;
	return 1;
}

static mprof_status text_keep(definition_table *table, const char **text)
{
	if (text == NULL)
		return MPROF_OK;
	if (**text == 0) {
		*text = "";
		return MPROF_OK;
	}
	return name_table_keep(table->names, *text, strlen(*text), text);
}

static mprof_status definition_list_add(definition_table *table, definition_list *list, const mprof_record *record)
{
	mprof_record kept = *record;
	mprof_status status = definition_list_reserve(table, list);

	if (status == MPROF_OK)
		status = text_keep(table, record_name(&kept));
	if (status == MPROF_OK)
		status = text_keep(table, record_second_text(&kept));
	if (status != MPROF_OK)
		return status;
	if ((record->kind == MPROF_RECORD_STACK && record->id > DEFINITION_MAX_STACKS) || !range_add(list, record->id))
		return MPROF_ERR_LIMIT;
	element_store(element_at(list, list->count++), &kept);
	return MPROF_OK;
}

static int stack_is_same(const mprof_stack_record *known, const mprof_stack_record *stack)
{
	return known->caller == stack->caller && known->target == stack->target &&
	       !known->is_native == !stack->is_native && !known->is_compiling == !stack->is_compiling;
}

static int module_is_same(const mprof_module_record *known, const mprof_module_record *module)
{
	return known->address == module->address && known->size == module->size &&
	       known->file_offset == module->file_offset && strcmp(known->file, module->file) == 0 &&
	       strcmp(known->build_id, module->build_id) == 0;
}

static int function_is_same(const mprof_function_record *known, const mprof_function_record *function)
{
	return known->module == function->module && known->offset == function->offset &&
	       known->size == function->size && strcmp(known->name, function->name) == 0;
}

static int root_is_same(const mprof_root_record *known, const mprof_root_record *root)
{
	return known->kind == root->kind && known->class_id == root->class_id && known->thread == root->thread &&
	       known->address == root->address && known->size == root->size && strcmp(known->name, root->name) == 0;
}

int definition_is_same(const mprof_record *known, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_STACK:
		return stack_is_same(&known->as.stack, &record->as.stack);
	case MPROF_RECORD_MODULE:
		return module_is_same(&known->as.module, &record->as.module);
	case MPROF_RECORD_FUNCTION:
		return function_is_same(&known->as.function, &record->as.function);
	case MPROF_RECORD_LOCATION:
		return known->as.location.module == record->as.location.module &&
		       known->as.location.function == record->as.location.function &&
		       known->as.location.offset == record->as.location.offset;
	case MPROF_RECORD_ROOT:
		return root_is_same(&known->as.root, &record->as.root);
	default:
		return known->as.metric.flags == record->as.metric.flags &&
		       known->as.metric.thread == record->as.metric.thread &&
		       strcmp(known->as.metric.section, record->as.metric.section) == 0 &&
		       strcmp(known->as.metric.name, record->as.metric.name) == 0;
	}
}

/*
 * Whether the ID is the one after the highest, and its element the one after that of the highest. So it is in nearly
 * all logs. The ID then has no definition yet, and the one before it has.
 */
static int is_next_id(const definition_list *list, uint32_t id)
{
	const definition_range *last = list->range_count > 0 ? &list->ranges[list->range_count - 1] : NULL;

	return last != NULL && id - last->first_id == last->count && last->index + last->count == list->count &&
	       list->count < list->capacity;
}

mprof_status definition_table_add(definition_table *table, const mprof_record *record)
{
	definition_list *list = &table->lists[record->kind];
	mprof_record known;
	mprof_status status;

	if ((record->kind == MPROF_RECORD_STACK || record->kind == MPROF_RECORD_LOCATION) &&
	    is_next_id(list, record->id) && record->id <= DEFINITION_MAX_STACKS) {
		/* These have no texts to copy. */
		list->ranges[list->range_count - 1].count++;
		element_store(element_at(list, list->count++), record);
		return MPROF_OK;
	}
	if (definition_table_get(table, record->kind, record->id, &known))
		return definition_is_same(&known, record) ? MPROF_OK : MPROF_ERR_REDEFINED_ID;
	status = definition_list_add(table, list, record);
	if (status == MPROF_OK && record->id != 1 && element_find(list, record->id - 1) == NULL)
		return MPROF_ERR_MALFORMED;
	return status;
}

definition_mark definition_table_mark(const definition_table *table)
{
	definition_mark mark = {{0}};

	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++)
		mark.counts[kind] = table->lists[kind].count;
	return mark;
}

/* Removes all elements but the first ones. A range has consecutive elements, so it is removed or truncated. */
static void list_truncate(definition_list *list, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->range_count; i++) {
		definition_range range = list->ranges[i];

		if (range.index >= count)
			continue;
		if (range.count > count - range.index)
			range.count = (uint32_t)(count - range.index);
		list->ranges[kept++] = range;
	}
	list->range_count = kept;
	list->count = count;
}

void definition_table_roll_back(definition_table *table, const definition_mark *mark)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind <= MPROF_RECORD_METRIC; kind++) {
		if (table->lists[kind].count > mark->counts[kind])
			list_truncate(&table->lists[kind], mark->counts[kind]);
	}
}
