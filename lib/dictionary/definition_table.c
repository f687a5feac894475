/* SPDX-License-Identifier: MIT */
/*
 * Stores definitions compactly in arrays by ID, with ranges for gaps, finds fields by offset, and gives IDs to
 * definitions that have none.
 */
#include "dictionary/definition_table.h"

#include <string.h>

/*
 * Compact elements: there are far more stacks than other definitions, and many locations and positions. A frame that is
 * native and being compiled is a position.
 */
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
	mprof_argument_record argument;
	mprof_type_record type;
	mprof_text_record text;
	mprof_clock_record clock;
} other_element;

static size_t element_size(uint32_t kind)
{
	switch (kind) {
	case MPROF_RECORD_STACK:
		return sizeof(stack_element);
	case MPROF_RECORD_LOCATION:
		return sizeof(location_element);
	case MPROF_RECORD_TIMELINE:
		return sizeof(mprof_timeline_record);
	case MPROF_RECORD_PROCESS:
		return sizeof(mprof_process_record);
	case MPROF_RECORD_POSITION:
		return sizeof(mprof_position_record);
	case MPROF_RECORD_CODE_RANGE:
		return sizeof(mprof_code_range_record);
	default:
		return sizeof(other_element);
	}
}

void definition_table_init(definition_table *table, name_table *names)
{
	memset(table, 0, sizeof(*table));
	table->names = names;
	for (uint32_t kind = MPROF_RECORD_STACK; kind < RECORD_KIND_COUNT; kind++)
		table->lists[kind].element_size = element_size(kind);
}

void definition_table_destroy(definition_table *table)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind < RECORD_KIND_COUNT; kind++) {
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

static void stack_load(const stack_element *element, definition_stack *stack)
{
	const int is_position = element->is_native && element->is_compiling;

	stack->target = is_position ? 0 : element->frame;
	stack->parent = element->caller;
	stack->is_native = is_position ? 0 : element->is_native;
	stack->is_compiling = is_position ? 0 : element->is_compiling;
	stack->position = is_position ? element->frame : 0;
}

static void load_element(const void *element, mprof_record *record)
{
	const location_element *location = element;
	definition_stack stack;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		stack_load(element, &stack);
		record->as.stack = (mprof_stack_record){stack.parent,       stack.target,   stack.is_native,
							stack.is_compiling, stack.position, 0};
		break;
	case MPROF_RECORD_POSITION:
		memcpy(&record->as.position, element, sizeof(mprof_position_record));
		break;
	case MPROF_RECORD_LOCATION:
		record->as.location.module = location->module;
		record->as.location.function = location->function;
		record->as.location.offset = location->offset;
		break;
	default:
		memcpy(&record->as, element, element_size(record->kind));
		break;
	}
}

/* Stores a record in its element. The names must have been copied: the element points to those of the record. */
static void element_store(void *element, const mprof_record *record)
{
	stack_element *stack = element;
	location_element *location = element;
	const int is_position = record->kind == MPROF_RECORD_STACK && record->as.stack.position != 0;

	switch (record->kind) {
	case MPROF_RECORD_STACK:
		stack->frame = is_position ? record->as.stack.position : record->as.stack.target;
		stack->caller = record->as.stack.caller & DEFINITION_MAX_STACKS;
		stack->is_native = is_position || record->as.stack.is_native != 0;
		stack->is_compiling = is_position || record->as.stack.is_compiling != 0;
		break;
	case MPROF_RECORD_POSITION:
		memcpy(element, &record->as.position, sizeof(mprof_position_record));
		break;
	case MPROF_RECORD_LOCATION:
		location->offset = record->as.location.offset;
		location->module = record->as.location.module;
		location->function = record->as.location.function;
		break;
	default:
		memcpy(element, &record->as, element_size(record->kind));
		break;
	}
}

int definition_table_get(const definition_table *table, uint32_t kind, uint32_t id, mprof_record *record)
{
	const void *element = NULL;

	memset(record, 0, sizeof(*record));
	if (record_is_definition(kind))
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
	stack_load(element, stack);
	return 1;
}

size_t definition_table_count(const definition_table *table, uint32_t kind)
{
	return record_is_definition(kind) ? table->lists[kind].count : 0;
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
	if (until < list->range_count && list->range_count >= DEFINITION_MAX_RANGES)
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
	if (status == MPROF_OK)
		status = text_keep(table, record_third_text(&kept));
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
	       !known->is_native == !stack->is_native && !known->is_compiling == !stack->is_compiling &&
	       known->position == stack->position;
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

static int metric_is_same(const mprof_metric_record *known, const mprof_metric_record *metric)
{
	return known->flags == metric->flags && known->thread == metric->thread &&
	       strcmp(known->section, metric->section) == 0 && strcmp(known->name, metric->name) == 0 &&
	       strcmp(known->unit, metric->unit) == 0;
}

static int argument_is_same(const mprof_argument_record *known, const mprof_argument_record *argument)
{
	return known->kind == argument->kind && known->encoding == argument->encoding &&
	       known->role == argument->role && known->unit == argument->unit &&
	       strcmp(known->name, argument->name) == 0 && strcmp(known->unit_name, argument->unit_name) == 0;
}

static int type_is_same(const mprof_type_record *known, const mprof_type_record *type)
{
	return known->form == type->form && known->pair == type->pair && known->category == type->category &&
	       known->first_argument == type->first_argument && known->argument_count == type->argument_count &&
	       known->period == type->period && strcmp(known->name, type->name) == 0 &&
	       strcmp(known->source, type->source) == 0;
}

static int clock_is_same(const mprof_clock_record *known, const mprof_clock_record *clock)
{
	return known->kind == clock->kind && known->numerator == clock->numerator &&
	       known->denominator == clock->denominator && strcmp(known->name, clock->name) == 0;
}

static int timeline_is_same(const mprof_timeline_record *known, const mprof_timeline_record *timeline)
{
	return known->thread == timeline->thread && known->process == timeline->process &&
	       known->system_thread == timeline->system_thread && known->parent == timeline->parent &&
	       known->kind == timeline->kind && known->clock == timeline->clock && known->flags == timeline->flags &&
	       known->rank == timeline->rank && strcmp(known->name, timeline->name) == 0;
}

static int process_is_same(const mprof_process_record *known, const mprof_process_record *process)
{
	return known->number == process->number && known->system_id == process->system_id &&
	       known->parent == process->parent && known->start == process->start && known->end == process->end &&
	       strcmp(known->name, process->name) == 0 && strcmp(known->command, process->command) == 0;
}

static int position_is_same(const mprof_position_record *known, const mprof_position_record *position)
{
	return known->target == position->target && !known->is_native == !position->is_native &&
	       !known->is_inlined == !position->is_inlined && known->line == position->line &&
	       known->offset == position->offset && known->file == position->file;
}

static int code_range_is_same(const mprof_code_range_record *known, const mprof_code_range_record *range)
{
	return known->address == range->address && known->size == range->size && known->start == range->start &&
	       known->kind == range->kind && known->method == range->method && known->module == range->module &&
	       known->process == range->process && strcmp(known->name, range->name) == 0;
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
	case MPROF_RECORD_METRIC:
		return metric_is_same(&known->as.metric, &record->as.metric);
	case MPROF_RECORD_ARGUMENT:
		return argument_is_same(&known->as.argument, &record->as.argument);
	case MPROF_RECORD_TYPE:
		return type_is_same(&known->as.type, &record->as.type);
	case MPROF_RECORD_CLOCK:
		return clock_is_same(&known->as.clock, &record->as.clock);
	case MPROF_RECORD_TIMELINE:
		return timeline_is_same(&known->as.timeline, &record->as.timeline);
	case MPROF_RECORD_PROCESS:
		return process_is_same(&known->as.process, &record->as.process);
	case MPROF_RECORD_POSITION:
		return position_is_same(&known->as.position, &record->as.position);
	case MPROF_RECORD_CODE_RANGE:
		return code_range_is_same(&known->as.code_range, &record->as.code_range);
	default:
		return strcmp(known->as.text.text, record->as.text.text) == 0;
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

	if ((record->kind == MPROF_RECORD_STACK || record->kind == MPROF_RECORD_LOCATION ||
	     record->kind == MPROF_RECORD_POSITION) &&
	    is_next_id(list, record->id) && record->id <= DEFINITION_MAX_STACKS) {
		/* These have no texts to copy. */
		list->ranges[list->range_count - 1].count++;
		element_store(element_at(list, list->count++), record);
		return MPROF_OK;
	}
	if (definition_table_get(table, record->kind, record->id, &known))
		return definition_is_same(&known, record) ? MPROF_OK : MPROF_ERR_REDEFINED_ID;
	status = definition_list_add(table, list, record);
	if (status == MPROF_OK && record->id != 1 && record->kind != MPROF_RECORD_CODE_RANGE &&
	    element_find(list, record->id - 1) == NULL)
		return MPROF_ERR_MALFORMED;
	return status;
}

definition_mark definition_table_mark(const definition_table *table)
{
	definition_mark mark = {{0}};

	for (uint32_t kind = MPROF_RECORD_STACK; kind < RECORD_KIND_COUNT; kind++)
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
	for (uint32_t kind = MPROF_RECORD_STACK; kind < RECORD_KIND_COUNT; kind++) {
		if (table->lists[kind].count > mark->counts[kind])
			list_truncate(&table->lists[kind], mark->counts[kind]);
	}
}

void field_table_init(field_table *table, name_table *names)
{
	memset(table, 0, sizeof(*table));
	table->names = names;
	hash_map_init(&table->objects, &names->budget->allocator);
	hash_map_init(&table->elements, &names->budget->allocator);
	id_map_init(&table->strides, &names->budget->allocator);
}

void field_table_destroy(field_table *table)
{
	hash_map_destroy(&table->objects);
	hash_map_destroy(&table->elements);
	id_map_destroy(&table->strides);
	allocator_release(&table->names->budget->allocator, table->fields, table->capacity * sizeof(*table->fields));
}

static uint64_t key_of_field(uint32_t class_id, uint64_t offset)
{
	return (uint64_t)class_id << 32 | offset;
}

/* The field of an array's elements whose offset differs by a multiple of their size, or NULL. */
static const mprof_field_record *find_element(const field_table *table, uint32_t class_id, uint64_t offset)
{
	uint32_t stride = id_map_get(&table->strides, class_id);
	const uint64_t *index =
		stride == 0 ? NULL : hash_map_get(&table->elements, key_of_field(class_id, offset % stride));

	return index != NULL ? &table->fields[*index].field : NULL;
}

static const mprof_field_record *find_field(const field_table *table, uint32_t class_id, uint64_t offset)
{
	const uint64_t *index =
		offset > UINT32_MAX ? NULL : hash_map_get(&table->objects, key_of_field(class_id, offset));

	return index != NULL ? &table->fields[*index].field : NULL;
}

int field_table_get(const field_table *table, uint32_t class_id, uint64_t offset, mprof_record *field, uint64_t *index)
{
	const mprof_field_record *found = find_field(table, class_id, offset);

	memset(field, 0, sizeof(*field));
	*index = 0;
	if (found == NULL) {
		found = find_element(table, class_id, offset);
		if (found == NULL || offset < found->offset)
			return 0;
		*index = (offset - found->offset) / found->stride;
	}
	field->kind = MPROF_RECORD_FIELD;
	field->id = class_id;
	field->as.field = *found;
	return 1;
}

static int field_is_same(const mprof_field_record *known, const mprof_field_record *field)
{
	return known->offset == field->offset && known->stride == field->stride && known->class_id == field->class_id &&
	       strcmp(known->name, field->name) == 0;
}

/* Stores a field at the end of the array, but does not count it yet. */
static mprof_status keep_field(field_table *table, const mprof_record *record)
{
	const mprof_field_record *field = &record->as.field;
	void *fields = table->fields;
	field_entry *kept;
	mprof_status status = memory_budget_reserve(table->names->budget, &fields, &table->capacity, table->count + 1,
						    sizeof(*table->fields));

	table->fields = fields;
	if (status != MPROF_OK)
		return status;
	kept = &table->fields[table->count];
	kept->field = *field;
	kept->class_id = record->id;
	kept->has_new_stride = field->stride != 0 && id_map_get(&table->strides, record->id) == 0;
	if (field->name[0] == '\0') {
		kept->field.name = "";
		return MPROF_OK;
	}
	return name_table_keep(table->names, field->name, strlen(field->name), &kept->field.name);
}

static hash_map *map_of_field(field_table *table, const field_entry *entry, uint64_t *key)
{
	const mprof_field_record *field = &entry->field;

	*key = key_of_field(entry->class_id, field->stride == 0 ? field->offset : field->offset % field->stride);
	return field->stride == 0 ? &table->objects : &table->elements;
}

/* An ID that has a number needs no memory to lose it, so id_map_put() cannot fail. */
static void forget_stride(field_table *table, const field_entry *entry)
{
	if (entry->has_new_stride)
		(void)id_map_put(&table->strides, entry->class_id, 0);
}

static mprof_status index_field(field_table *table, const field_entry *entry)
{
	memory_budget *budget = table->names->budget;
	mprof_status status = MPROF_OK;
	uint64_t key;
	hash_map *map = map_of_field(table, entry, &key);

	if (entry->has_new_stride)
		status = memory_budget_id_put(budget, &table->strides, entry->class_id, entry->field.stride);
	if (status != MPROF_OK)
		return status;
	status = memory_budget_map_put(budget, map, key, table->count);
	if (status != MPROF_OK)
		forget_stride(table, entry);
	return status;
}

mprof_status field_table_add(field_table *table, const mprof_record *field)
{
	const mprof_field_record *added = &field->as.field;
	const mprof_field_record *known = added->stride == 0 ? find_field(table, field->id, added->offset)
							     : find_element(table, field->id, added->offset);
	uint32_t stride = id_map_get(&table->strides, field->id);
	mprof_status status;

	if (known != NULL)
		return field_is_same(known, added) ? MPROF_OK : MPROF_ERR_REDEFINED_ID;
	if (added->stride != 0 && stride != 0 && stride != added->stride)
		return MPROF_ERR_REDEFINED_ID;
	status = keep_field(table, field);
	if (status == MPROF_OK)
		status = index_field(table, &table->fields[table->count]);
	if (status == MPROF_OK)
		table->count++;
	return status;
}

void field_table_roll_back(field_table *table, size_t count)
{
	while (table->count > count) {
		const field_entry *entry = &table->fields[--table->count];
		uint64_t key;
		hash_map *map = map_of_field(table, entry, &key);

		hash_map_remove(map, key);
		forget_stride(table, entry);
	}
}

size_t field_table_count(const field_table *table)
{
	return table->count;
}

/*
 * Maximum number of definitions with the same hash, which bounds the time of a search. Only an author of a log who has
 * the seed could exceed it; the same definition may then get several IDs.
 */
#define MAX_COLLISIONS 16

void definition_interner_init(definition_interner *interner, definition_table *table)
{
	memset(interner, 0, sizeof(*interner));
	interner->table = table;
	hash_map_init(&interner->stacks, &table->names->budget->allocator);
	hash_map_init(&interner->others, &table->names->budget->allocator);
}

void definition_interner_destroy(definition_interner *interner)
{
	hash_map_destroy(&interner->stacks);
	hash_map_destroy(&interner->others);
	allocator_release(&interner->table->names->budget->allocator, interner->callee_cache,
			  interner->callee_slots * sizeof(*interner->callee_cache));
}

void definition_interner_set_first_id(definition_interner *interner, uint32_t id)
{
	for (uint32_t kind = MPROF_RECORD_STACK; kind < RECORD_KIND_COUNT; kind++)
		interner->last_ids[kind] = id;
	interner->base_id = id;
}

/* Adds a new definition under the next ID. */
static mprof_status define_interned(definition_interner *interner, mprof_record *record)
{
	mprof_status status;

	record->id = interner->last_ids[record->kind] + 1;
	status = definition_table_add(interner->table, record);
	/* The definition was added: it has no predecessor if it is the first one that is assigned. */
	if (status == MPROF_ERR_MALFORMED)
		status = MPROF_OK;
	if (status == MPROF_OK)
		interner->last_ids[record->kind] = record->id;
	return status;
}

static uint64_t hash_of(const definition_interner *interner, const mprof_record *record)
{
	uint64_t hash = hash_mix(interner->others.index.seed, record->kind);

	switch (record->kind) {
	case MPROF_RECORD_MODULE:
		hash = hash_mix(hash_mix(hash, record->as.module.address), record->as.module.size);
		return hash_mix_text(hash_mix(hash, record->as.module.file_offset), record->as.module.file);
	case MPROF_RECORD_FUNCTION:
		hash = hash_mix(hash_mix(hash, record->as.function.module), record->as.function.offset);
		return hash_mix_text(hash_mix(hash, record->as.function.size), record->as.function.name);
	case MPROF_RECORD_LOCATION:
		hash = hash_mix(hash_mix(hash, record->as.location.module), record->as.location.function);
		return hash_mix(hash, record->as.location.offset);
	default:
		/* Other kinds are not interned. */
		return hash;
	}
}

/* Returns a hash of the name alone. The complement of the kind makes it differ from the hashes of definitions. */
static uint64_t hash_of_name(const definition_interner *interner, const mprof_record *record)
{
	return hash_mix_text(hash_mix(interner->others.index.seed, ~(uint64_t)record->kind), record_get_name(record));
}

typedef int (*same_function)(const mprof_record *known, const mprof_record *record);

static int has_same_name(const mprof_record *known, const mprof_record *record)
{
	return strcmp(record_get_name(known), record_get_name(record)) == 0;
}

/*
 * Searches for a definition, starting at \p hash. Returns its ID, or 0 if none; \p is_free is then 1 if
 * \p hash was changed to that of a free entry.
 */
static uint32_t find_definition(const definition_interner *interner, const mprof_record *record, same_function is_same,
				uint64_t *hash, int *is_free)
{
	mprof_record known;

	for (int i = 0; i < MAX_COLLISIONS; i++, ++*hash) {
		const uint64_t *found = hash_map_get(&interner->others, *hash);

		*is_free = found == NULL;
		if (found == NULL)
			return 0;
		if (*found >> 32 == record->kind &&
		    definition_table_get(interner->table, record->kind, (uint32_t)*found, &known) &&
		    is_same(&known, record))
			return known.id;
	}
	return 0;
}

static mprof_status keep_hash(definition_interner *interner, uint64_t hash, const mprof_record *record)
{
	return memory_budget_map_put(interner->table->names->budget, &interner->others, hash,
				     (uint64_t)record->kind << 32 | record->id);
}

mprof_status definition_intern(definition_interner *interner, mprof_record *record)
{
	uint64_t hash = hash_of(interner, record);
	mprof_status status;
	int is_free;

	record->id = find_definition(interner, record, definition_is_same, &hash, &is_free);
	if (record->id != 0)
		return MPROF_OK;
	status = define_interned(interner, record);
	return status == MPROF_OK && is_free ? keep_hash(interner, hash, record) : status;
}

mprof_status definition_first_of_name(definition_interner *interner, const mprof_record *record, uint32_t *id)
{
	uint64_t hash = hash_of_name(interner, record);
	int is_free;

	*id = find_definition(interner, record, has_same_name, &hash, &is_free);
	if (*id != 0)
		return MPROF_OK;
	*id = record->id;
	return is_free ? keep_hash(interner, hash, record) : MPROF_OK;
}

/* Reserves the slot for the callee of a call stack that was assigned an ID. */
static mprof_status callee_cache_reserve(definition_interner *interner, uint32_t stack)
{
	size_t before = interner->callee_slots;
	void *callees = interner->callee_cache;
	mprof_status status = memory_budget_reserve(interner->table->names->budget, &callees, &interner->callee_slots,
						    (size_t)definition_callee_slot(interner, stack) + 1,
						    sizeof(*interner->callee_cache));

	interner->callee_cache = callees;
	if (interner->callee_slots > before)
		memset(&interner->callee_cache[before], 0,
		       (interner->callee_slots - before) * sizeof(*interner->callee_cache));
	return status;
}

/* Adds a new call stack. */
static mprof_status define_stack(definition_interner *interner, uint64_t key, mprof_record *record)
{
	mprof_status status = define_interned(interner, record);

	if (status == MPROF_OK)
		status = callee_cache_reserve(interner, record->id);
	if (status == MPROF_OK)
		status = memory_budget_map_put(interner->table->names->budget, &interner->stacks, key, record->id);
	return status;
}

mprof_status definition_search_stack(definition_interner *interner, uint32_t caller, uint32_t frame, uint32_t flags,
				     uint32_t *stack)
{
	uint64_t frame_key = definition_frame_key(frame, flags);
	uint64_t key = (uint64_t)caller << 34 | frame_key;
	const uint64_t *found = hash_map_get(&interner->stacks, key);
	uint32_t slot = definition_callee_slot(interner, caller);
	const int is_position = (flags & DEFINITION_FLAGS_POSITION) == DEFINITION_FLAGS_POSITION;
	mprof_record record = {.kind = MPROF_RECORD_STACK, .as.stack.caller = caller};
	mprof_status status;

	if (is_position) {
		record.as.stack.position = frame;
	} else {
		record.as.stack.target = frame;
		record.as.stack.is_native = (flags & MPROF_EVENT_FLAG_NATIVE) != 0;
		record.as.stack.is_compiling = (flags & MPROF_EVENT_FLAG_COMPILING) != 0;
	}
	status = found != NULL ? MPROF_OK : define_stack(interner, key, &record);
	if (status != MPROF_OK)
		return status;
	*stack = found != NULL ? (uint32_t)*found : record.id;
	if (slot < interner->callee_slots)
		interner->callee_cache[slot] = frame_key << 30 | *stack;
	return MPROF_OK;
}
