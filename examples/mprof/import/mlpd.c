/* SPDX-License-Identifier: MIT */
/*
 * Reads files of Mono's profiler "log". Names come after their first use in such a file, and buffers of
 * threads are not in the order of time, so it is read three times: for definitions, for objects, then for events.
 */
#include "import/import.h"
#include "import/mlpd_events.h"
#include "shared/key_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 4096,
	MAX_SAMPLES = 65536,
	MAX_REFERENCES = 1 << 20,
	UNKNOWN_CLASS = 1,
	MAX_FRAMES = 32,
	TYPE_MASK = 0xf
};

/* Entries of maps begin with the key, the address of a class, method, image, object, ... */
typedef struct definition {
	uint64_t address;
	const char *name;    /* NULL if it is not known. */
	uint64_t id, parent; /* The parent of a class is its image, that of an image its assembly. */
} definition;
/* An object that was allocated after a number of collections. Until the next one it is neither moved nor freed. */
typedef struct object {
	uint64_t key, collections, class_id;
} object;
typedef struct thread {
	uint64_t address, reused, has_ended, last_time, damage;
} thread;
typedef struct counter {
	uint64_t index, value, id, scale; /* The value as it is in the file. */
} counter;
typedef struct number {
	uint64_t key, id;
} number;

/* A range of code, a symbol (without a method), or an area of roots. */
typedef struct range {
	uint64_t start, size, method;
	const char *name;
	uint32_t id, kind;
} range;

/* An event that is not in the order of its buffer: a sample with its stack as value, or code of a method. */
typedef struct late_event {
	uint64_t thread, time, value;
	uint32_t id;
} late_event;

/* Arrays that grow. */
typedef struct array {
	void *items;
	size_t count, capacity;
} array;

static key_map classes = {.value_size = sizeof(definition) - 8}, methods = {.value_size = sizeof(definition) - 8};
static key_map units = {.value_size = sizeof(definition) - 8}, vtables = {.value_size = sizeof(number) - 8};
static key_map objects = {.value_size = sizeof(object) - 8}, threads = {.value_size = sizeof(thread) - 8};
static key_map counters = {.value_size = sizeof(counter) - 8};
static key_map stacks = {.value_size = sizeof(number) - 8}, locations = {.value_size = sizeof(number) - 8};
static array collections, code, symbols, areas, samples, code_events, references, offsets;
static mprof_record new_records[3][BATCH];
static size_t new_counts[3], stack_count, location_count;
static mprof_event events[BATCH], heap_events[BATCH];
static mprof_event_detail details[BATCH], heap_details[BATCH];
static size_t event_count, heap_count;
static uint32_t metric_count;
static uint64_t event_thread, now, damage, first_damage, left_out[256], left_out_references, max_frames = MAX_FRAMES;
static struct {
	uint32_t number, flags;
	uint64_t time, last_object;
	int is_open;
} shot;
static mlpd_file file;
static import_job *job;

/* Adds an element to an array, and returns it. */
static void *append(array *array, size_t size)
{
	array->items = import_job_grow(job, array->items, array->count, &array->capacity, size);
	return memset((char *)array->items + array->count++ * size, 0, size);
}

/* The definition of an address, with an ID. */
static definition *define(key_map *map, uint64_t address)
{
	definition *found = import_job_put(job, map, address);

	if (found->id == 0)
		found->id = map->count + UNKNOWN_CLASS;
	return found;
}

static void note_damage(const uint8_t *at)
{
	if (damage++ == 0)
		first_damage = (uint64_t)(at - file.bytes);
}

/* The first pass. */

static void note_metadata(const mlpd_event *event)
{
	definition *found;

	switch (event->fields[0]) {
	case MLPD_CLASS:
		found = define(&classes, event->fields[1]);
		found->name = event->text;
		found->parent = event->fields[2];
		break;
	case MLPD_VTABLE:
		((number *)import_job_put(job, &vtables, event->fields[1]))->id = event->fields[3];
		break;
	case MLPD_ASSEMBLY:
		define(&units, event->fields[2])->parent = event->fields[1];
		define(&units, event->fields[1])->name = event->text;
		break;
	case MLPD_IMAGE:
	case MLPD_DOMAIN:
		found = define(&units, event->fields[1]);
		if (event->text[0] != '\0')
			found->name = event->text;
		break;
	default:
		break;
	}
}

static void note_definitions(const mlpd_event *event)
{
	range *range;

	for (size_t i = 0; i < event->frame_count; i++)
		define(&methods, event->frames[i]);
	switch (event->type) {
	case MLPD_METADATA:
	case MLPD_METADATA_LOAD:
		note_metadata(event);
		break;
	case MLPD_ENTER:
	case MLPD_LEAVE:
	case MLPD_LEAVE_EXCEPTION:
		define(&methods, event->fields[0]);
		break;
	case MLPD_CLAUSE:
		define(&methods, event->fields[2]);
		break;
	case MLPD_JIT:
		define(&methods, event->fields[0])->name = event->text;
		range = append(&code, sizeof(*range));
		*range = (struct range){.start = event->fields[1], .size = event->fields[2]};
		range->method = event->fields[0];
		break;
	case MLPD_SYMBOL:
		range = append(&symbols, sizeof(*range));
		*range = (struct range){.start = event->fields[0], .size = event->fields[1], .name = event->text};
		break;
	case MLPD_GC_EVENT:
		if (event->fields[0] == 0)
			*(uint64_t *)append(&collections, sizeof(uint64_t)) = event->time;
		break;
	default:
		break;
	}
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return first < second ? -1 : first > second;
}

/* The number of elements of a sorted array, each of which begins with a number, that are not above a value. */
static size_t count_up_to(const array *array, size_t size, uint64_t value)
{
	size_t low = 0, high = array->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint64_t *)((const char *)array->items + middle * size) <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static size_t collections_until(uint64_t time)
{
	return count_up_to(&collections, sizeof(uint64_t), time);
}

/* The range that contains an address, or a symbol of unknown size before it. */
static range *find_range(const array *array, uint64_t address)
{
	size_t count = count_up_to(array, sizeof(range), address);
	range *found = count > 0 ? (range *)array->items + count - 1 : NULL;

	return found != NULL && ((found->size == 0 && found->name != NULL) || address - found->start < found->size)
		       ? found
		       : NULL;
}

static void sort(array *array, size_t size)
{
	if (array->count > 0)
		qsort(array->items, array->count, size, compare_numbers);
}

/* Definitions in the log. */

/* The definitions of a map, in the order of their IDs. */
static const definition **list_definitions(const key_map *map)
{
	const definition **list = calloc(map->count + 1, sizeof(const definition *)), *entry;

	if (list == NULL)
		import_job_fail(job, "out of memory");
	for (size_t i = 0; i <= map->capacity && map->capacity > 0; i++)
		if ((entry = key_map_slot(map, i)) != NULL)
			list[entry->id - UNKNOWN_CLASS - 1] = entry;
	return list;
}

static void write_classes(void)
{
	mprof_class_definition class = {.struct_size = sizeof(class), .id = UNKNOWN_CLASS};
	const definition **list = list_definitions(&classes), *image, *assembly;

	class.name = "[unknown class]";
	class.name_length = strlen(class.name);
	import_job_expect(job, mprof_writer_define_class(job->writer, &class));
	for (size_t i = 0; i < classes.count; i++) {
		image = key_map_find(&units, list[i]->parent);
		assembly = image != NULL && image->parent != 0 ? key_map_find(&units, image->parent) : NULL;
		class.id = (uint32_t)list[i]->id;
		class.assembly_id = assembly != NULL ? (uint32_t)assembly->id : 0;
		class.name = list[i]->name;
		class.name_length = strlen(list[i]->name);
		import_job_expect(job, mprof_writer_define_class(job->writer, &class));
	}
	free(list);
}

static void write_methods(void)
{
	mprof_method_definition method = {.struct_size = sizeof(method)};
	const definition **list = list_definitions(&methods);
	char unknown[40];

	for (size_t i = 0; i < methods.count; i++) {
		snprintf(unknown, sizeof(unknown), "[method at 0x%" PRIx64 "]", list[i]->address);
		method.id = (uint32_t)list[i]->id;
		method.name = list[i]->name != NULL ? list[i]->name : unknown;
		method.name_length = strlen(method.name);
		method.flags = strncmp(method.name, "(wrapper", 8) == 0 ? MPROF_METHOD_FLAG_WRAPPER : 0;
		import_job_expect(job, mprof_writer_define_method(job->writer, &method));
	}
	free(list);
}

static uint32_t class_of_vtable(uint64_t vtable)
{
	const number *found = key_map_find(&vtables, vtable);
	const definition *class = found != NULL ? key_map_find(&classes, found->id) : NULL;

	return class != NULL ? (uint32_t) class->id : UNKNOWN_CLASS;
}

static object *object_at(uint64_t address, uint64_t time)
{
	uint64_t count = collections_until(time);
	object *found = import_job_put(job, &objects, address ^ count << 48);

	if (found->class_id == 0)
		found->collections = count;
	return found->collections == count ? found : NULL;
}

/* The second pass. */
static void note_object(const mlpd_event *event)
{
	object *object;

	if (event->type != MLPD_ALLOC && event->type != MLPD_ALLOC_STACK)
		return;
	object = object_at(event->fields[1], event->time);
	if (object != NULL)
		object->class_id = class_of_vtable(event->fields[0]);
}

/* Only what was allocated after the last collection is certain to be the same object. */
static uint32_t class_of_object(uint64_t address, uint64_t time)
{
	const object *found = object_at(address, time);

	return found != NULL && found->class_id != 0 ? (uint32_t)found->class_id : UNKNOWN_CLASS;
}

/* Functions, locations and stacks that are not written yet, in the order in which they must be. */
enum { FUNCTIONS, LOCATIONS, STACKS };

static void write_new_records(void)
{
	static const uint32_t blocks[] = {MPROF_BLOCK_CODE, MPROF_BLOCK_CODE, MPROF_BLOCK_STACKS};

	for (int i = FUNCTIONS; i <= STACKS; i++) {
		if (new_counts[i] > 0)
			import_job_expect(job, mprof_writer_write_records(job->writer, blocks[i], 0, new_records[i],
									  sizeof(mprof_record), new_counts[i]));
		new_counts[i] = 0;
	}
}

static mprof_record *new_record(int which, uint32_t kind, uint32_t id)
{
	mprof_record *record;

	if (new_counts[which] == BATCH)
		write_new_records();
	record = &new_records[which][new_counts[which]++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = id;
	return record;
}

static uint32_t stack_of(uint32_t caller, uint32_t target, uint32_t is_native)
{
	number *found = import_job_put(job, &stacks, (uint64_t)caller << 33 | (uint64_t)target << 1 | is_native);

	if (found->id == 0) {
		found->id = ++stack_count;
		new_record(STACKS, MPROF_RECORD_STACK, (uint32_t)found->id)->as.stack =
			(mprof_stack_record){.caller = caller, .target = target, .is_native = is_native};
	}
	return (uint32_t)found->id;
}

/* The methods of an event. A stack of the maximum depth may have more frames. */
static uint32_t stack_of_frames(const mlpd_event *event)
{
	uint32_t stack = event->frame_count >= max_frames ? stack_of(0, 0, 1) : 0;

	for (size_t i = event->frame_count; i-- > 0;)
		stack = stack_of(stack, (uint32_t)define(&methods, event->frames[i])->id, 0);
	return stack;
}

static uint32_t location_of(uint64_t address)
{
	static uint32_t function_count;
	number *found = import_job_put(job, &locations, address);
	range *symbol;

	if (found->id != 0)
		return (uint32_t)found->id;
	symbol = find_range(&symbols, address);
	if (symbol != NULL && symbol->id == 0) {
		symbol->id = ++function_count;
		new_record(FUNCTIONS, MPROF_RECORD_FUNCTION, symbol->id)->as.function =
			(mprof_function_record){0, 0, symbol->start, symbol->size, symbol->name};
	}
	found->id = ++location_count;
	new_record(LOCATIONS, MPROF_RECORD_LOCATION, (uint32_t)found->id)->as.location =
		(mprof_location_record){0, symbol != NULL ? symbol->id : 0, address};
	return (uint32_t)found->id;
}

/* The third pass. */

static uint64_t thread_id(uint64_t address)
{
	const thread *found = import_job_put(job, &threads, address);

	return address + (found->reused << 48);
}

static void write_events(void)
{
	write_new_records();
	if (event_count == 0)
		return;
	now = events[event_count - 1].counter;
	import_job_expect(job, mprof_writer_begin_events(job->writer, event_thread, events[0].counter));
	import_job_expect(job, mprof_writer_write_events(job->writer, events, event_count, NULL));
	import_job_expect(job, mprof_writer_end_events(job->writer));
	event_count = 0;
}

/* Adds an event of the thread. Returns its detail. */
static mprof_event_detail *add(uint8_t kind, uint32_t id, uint64_t time, uint64_t value)
{
	mprof_event_detail *detail;

	if (event_count == BATCH || (event_count > 0 && time < events[event_count - 1].counter))
		write_events();
	detail = &details[event_count];
	memset(detail, 0, sizeof(*detail));
	detail->struct_size = sizeof(*detail);
	events[event_count++] =
		(mprof_event){.kind = kind, .id = id, .counter = time, .value = value, .more.detail = detail};
	return detail;
}

static void write_heap(uint32_t flags)
{
	for (size_t i = 0, at = 0; i < heap_count; at += heap_details[i++].reference_count) {
		heap_events[i].more.detail = &heap_details[i];
		if (heap_details[i].reference_count > 0) {
			heap_details[i].references = (const uint64_t *)references.items + at;
			heap_details[i].offsets = (const uint64_t *)offsets.items + at;
		}
	}
	import_job_expect(job, mprof_writer_write_heap(job->writer, shot.number, shot.flags | flags, shot.time,
						       heap_events, heap_count));
	shot.flags &= ~(uint32_t)MPROF_HEAP_FLAG_FIRST;
	heap_count = references.count = offsets.count = 0;
}

static mprof_event_detail *add_to_heap(uint8_t kind, uint32_t id, uint64_t value, uint64_t address)
{
	if (heap_count == BATCH || references.count > MAX_REFERENCES)
		write_heap(0);
	heap_details[heap_count] = (mprof_event_detail){.struct_size = sizeof(mprof_event_detail), .object = address};
	heap_events[heap_count] = (mprof_event){.kind = kind, .id = id, .counter = shot.time, .value = value};
	return &heap_details[heap_count++];
}

static void end_shot(uint32_t flags)
{
	if (shot.is_open)
		write_heap(flags | MPROF_HEAP_FLAG_LAST);
	shot.is_open = 0;
}

/* An object without a size has more references of the one before. */
static void convert_object(const mlpd_event *event)
{
	int is_more = event->fields[2] == 0;
	mprof_event_detail *detail;

	if (!shot.is_open || (is_more && event->fields[0] != shot.last_object)) {
		left_out_references++;
		return;
	}
	shot.last_object = event->fields[0];
	detail = add_to_heap(is_more ? MPROF_EVENT_HEAP_REFERENCES : MPROF_EVENT_HEAP_OBJECT,
			     is_more ? 0 : class_of_vtable(event->fields[1]), event->fields[2],
			     is_more ? 0 : event->fields[0]);
	detail->reference_count = (uint32_t)(event->list_count / 2);
	for (size_t i = 0; i < event->list_count; i += 2) {
		*(uint64_t *)append(&offsets, sizeof(uint64_t)) = event->list[i];
		*(uint64_t *)append(&references, sizeof(uint64_t)) = event->list[i + 1];
	}
}

static void convert_moves(const mlpd_event *event)
{
	static mprof_event moves[BATCH];
	static mprof_event_detail old[BATCH];
	size_t count = 0;

	for (size_t i = 0; i < event->list_count; i += 2) {
		old[count] = (mprof_event_detail){.struct_size = sizeof(old[0]), .object = event->list[i]};
		moves[count] = (mprof_event){.kind = MPROF_EVENT_HEAP_MOVE, .value = event->list[i + 1]};
		moves[count].counter = event->time;
		moves[count].more.detail = &old[count];
		if (++count == BATCH || i + 2 >= event->list_count) {
			import_job_expect(job, mprof_writer_write_heap(job->writer, 0, 0, event->time, moves, count));
			count = 0;
		}
	}
}

static void convert_area(const mlpd_event *event)
{
	static const uint8_t kinds[] = {MPROF_ROOT_OTHER,  MPROF_ROOT_STACK,         MPROF_ROOT_FINALIZER,
					MPROF_ROOT_STATIC, MPROF_ROOT_THREAD_STATIC, MPROF_ROOT_RUNTIME,
					MPROF_ROOT_HANDLE};
	uint64_t source = event->fields[2];
	range *area = append(&areas, sizeof(*area));
	mprof_record record = {.kind = MPROF_RECORD_ROOT, .id = (uint32_t)areas.count};

	area->start = event->fields[0];
	area->size = event->fields[1];
	area->id = record.id;
	area->kind = source < sizeof(kinds) ? kinds[source] : MPROF_ROOT_RUNTIME;
	record.as.root = (mprof_root_record){area->kind, 0, 0, area->start, area->size, event->text};
	import_job_expect(job,
			  mprof_writer_write_records(job->writer, MPROF_BLOCK_ROOTS, 0, &record, sizeof(record), 1));
}

static void convert_roots(const mlpd_event *event)
{
	for (size_t i = 0; i < event->list_count; i += 2) {
		const range *area = NULL;

		if (!shot.is_open) {
			left_out_references++;
			continue;
		}
		for (size_t k = areas.count; k-- > 0 && area == NULL;)
			if (event->list[i] - ((range *)areas.items)[k].start < ((range *)areas.items)[k].size)
				area = (range *)areas.items + k;
		add_to_heap(MPROF_EVENT_HEAP_ROOT, area != NULL ? area->id : 0,
			    area != NULL ? area->kind : MPROF_ROOT_OTHER, event->list[i + 1]);
	}
}

static void remove_area(uint64_t start)
{
	for (size_t k = 0; k < areas.count; k++)
		if (((range *)areas.items)[k].start == start)
			((range *)areas.items)[k].size = 0;
}

static void convert_heap(const mlpd_event *event)
{
	switch (event->type) {
	case MLPD_HEAP_START:
		end_shot(MPROF_HEAP_FLAG_INCOMPLETE);
		shot.number++;
		shot.time = event->time;
		shot.flags = MPROF_HEAP_FLAG_FIRST;
		shot.last_object = 0;
		shot.is_open = 1;
		break;
	case MLPD_HEAP_END:
		end_shot(0);
		break;
	case MLPD_HEAP_OBJECT:
		convert_object(event);
		break;
	case MLPD_HEAP_ROOTS:
		convert_roots(event);
		break;
	case MLPD_ROOT_ADDED:
		remove_area(event->fields[0]);
		convert_area(event);
		break;
	default:
		remove_area(event->fields[0]);
		break;
	}
}

/* What a collection does. Collections are numbered in the order in which they begin. */
static void convert_collection(const mlpd_event *event)
{
	static const struct {
		uint8_t kind, is_before;
	} steps[] = {[0] = {MPROF_EVENT_GC_START, 0},
		     [5] = {MPROF_EVENT_GC_END, 0},
		     [6] = {MPROF_EVENT_GC_STOP_WORLD_START, 1},
		     [7] = {MPROF_EVENT_GC_STOP_WORLD_END, 1},
		     [8] = {MPROF_EVENT_GC_START_WORLD_START, 0},
		     [9] = {MPROF_EVENT_GC_START_WORLD_END, 0}};
	uint64_t step = event->fields[0];

	if (step >= sizeof(steps) / sizeof(steps[0]) || steps[step].kind == 0) {
		left_out[event->type]++;
		return;
	}
	add(steps[step].kind, (uint32_t)collections_until(event->time) + steps[step].is_before, event->time,
	    event->fields[1]);
}

static void convert_object_event(const mlpd_event *event)
{
	static const uint8_t clauses[] = {MPROF_CLAUSE_CATCH, MPROF_CLAUSE_FILTER, MPROF_CLAUSE_FINALLY, 0,
					  MPROF_CLAUSE_FAULT};
	const uint64_t *fields = event->fields;
	uint64_t object = fields[event->field_count - 1], value = fields[0];
	uint32_t class = class_of_object(object, event->time);
	mprof_event_detail *detail;

	switch (event->type) {
	case MLPD_HANDLE_CREATED:
	case MLPD_HANDLE_CREATED_STACK:
		if (fields[0] > MPROF_HANDLE_PINNED || fields[1] > UINT32_MAX) {
			left_out[event->type]++;
			return;
		}
		detail = add(MPROF_EVENT_HANDLE_CREATED, class, event->time, fields[1]);
		detail->handle_type = (uint32_t)fields[0];
		break;
	case MLPD_FINALIZE_OBJECT_START:
		detail = add(MPROF_EVENT_FINALIZER_START, class, event->time, 0);
		break;
	case MLPD_CLAUSE:
		if (fields[0] >= sizeof(clauses) || fields[0] == 3 || fields[1] >> 32 != 0) {
			left_out[event->type]++;
			return;
		}
		value = fields[1] << 2 | clauses[fields[0]];
		detail = add(MPROF_EVENT_EXCEPTION_CLAUSE, class, event->time, value);
		detail->caller = (uint32_t)define(&methods, fields[2])->id;
		return;
	case MLPD_MONITOR:
	case MLPD_MONITOR_STACK:
		detail = add(MPROF_EVENT_MONITOR, class, event->time, value);
		break;
	default:
		detail = add(MPROF_EVENT_EXCEPTION, class, event->time, 0);
		detail->stack = stack_of_frames(event);
		return;
	}
	detail->object = object;
	detail->stack = stack_of_frames(event);
}

static void convert_unit(const mlpd_event *event)
{
	static const uint8_t kinds[] = {[MLPD_IMAGE] = MPROF_ELEMENT_MODULE,
					[MLPD_ASSEMBLY] = MPROF_ELEMENT_ASSEMBLY,
					[MLPD_DOMAIN] = MPROF_ELEMENT_DOMAIN};
	const definition *unit = define(&units, event->fields[1]);
	mprof_element element = {.struct_size = sizeof(element), .kind = kinds[event->fields[0]]};
	mprof_assembly_name parts = {.struct_size = sizeof(parts)};
	char base[256], culture[64], token[64];

	element.id = (uint32_t)unit->id;
	element.start_counter = element.end_counter = now = event->time;
	element.thread = event_thread;
	element.name = unit->name != NULL ? unit->name : "";
	element.name_length = strlen(element.name);
	if (sscanf(element.name, "%255[^,], Version=%u.%u.%u.%u, Culture=%63[^,], PublicKeyToken=%63s", base,
		   &parts.major, &parts.minor, &parts.build, &parts.revision, culture, token) == 7) {
		parts.base_name = base;
		parts.culture = culture;
		parts.public_key_token = token;
		element.assembly = &parts;
	}
	if (event->type == MLPD_METADATA_LOAD)
		import_job_expect(job, mprof_writer_write_loaded(job->writer, &element));
	else
		import_job_expect(job, mprof_writer_write_unloaded(job->writer, &element));
}

/* A thread that starts at the address of one that has ended is another one. */
static void start_thread(uint64_t address)
{
	uint64_t id = thread_id(address);
	thread *thread = import_job_put(job, &threads, address);

	if (!thread->has_ended)
		return;
	write_events();
	thread->reused++;
	if (event_thread == id)
		event_thread = thread_id(address);
}

static void convert_metadata(const mlpd_event *event)
{
	int is_end = event->type == MLPD_METADATA_UNLOAD;

	if (event->fields[0] == MLPD_THREAD && event->type == MLPD_METADATA) {
		now = event->time;
		if (event->text[0] != '\0')
			import_job_expect(job, mprof_writer_write_thread_name(job->writer, thread_id(event->fields[1]),
									      event->text, strlen(event->text)));
	} else if (event->fields[0] == MLPD_THREAD) {
		if (!is_end)
			start_thread(event->fields[1]);
		add(is_end ? MPROF_EVENT_THREAD_END : MPROF_EVENT_THREAD_START, 0, event->time,
		    thread_id(event->fields[1]));
		((thread *)import_job_put(job, &threads, event->fields[1]))->has_ended = (uint64_t)is_end;
	} else if (event->fields[0] >= MLPD_IMAGE && event->fields[0] <= MLPD_DOMAIN) {
		if (event->type != MLPD_METADATA)
			convert_unit(event);
	} else if (event->fields[0] == MLPD_CONTEXT) {
		left_out[event->type]++;
	}
}

/* The instruction may be in code that is not a method of the stack. */
static void convert_hit(const mlpd_event *event)
{
	late_event *sample = append(&samples, sizeof(*sample));
	uint32_t stack = stack_of_frames(event);
	const range *range;

	if (event->list_count > 0) {
		range = find_range(&code, event->list[0]);
		if (range == NULL && event->frame_count == 0)
			stack = stack_of(0, 0, 1);
		if (range == NULL)
			stack = stack_of(stack, location_of(event->list[0]), 1);
		else if (event->frame_count == 0 || range->method != event->frames[0])
			stack = stack_of(stack, (uint32_t)define(&methods, range->method)->id, 0);
	}
	sample->value = stack != 0 ? stack : stack_of(0, 0, 1);
	sample->thread = thread_id(event->fields[0]);
	sample->time = event->time;
}

static void convert_deleted_handle(const mlpd_event *event)
{
	mprof_event_detail *detail;

	if (event->fields[0] > MPROF_HANDLE_PINNED || event->fields[1] > UINT32_MAX) {
		left_out[event->type]++;
		return;
	}
	detail = add(MPROF_EVENT_HANDLE_DELETED, 0, event->time, event->fields[1]);
	detail->handle_type = (uint32_t)event->fields[0];
	detail->stack = stack_of_frames(event);
}

/* Mono writes what it compiled later, to the buffers of its own thread. */
static void convert_code(uint32_t method, const mlpd_event *event, uint32_t origin)
{
	late_event *code_event = append(&code_events, sizeof(*code_event));

	code_event->thread = event_thread;
	code_event->time = event->time;
	code_event->id = method;
	code_event->value = event->fields[2] << 4 | origin;
}

static void convert_allocation(const mlpd_event *event)
{
	mprof_event_detail *detail =
		add(MPROF_EVENT_ALLOCATION, class_of_vtable(event->fields[0]), event->time, event->fields[2]);

	detail->object = event->fields[1];
	detail->stack = stack_of_frames(event);
}

static const char *section_name(uint64_t section, uint64_t custom)
{
	static const char *const names[] = {"Mono JIT",      "Mono GC",         "Mono metadata", "Mono generics",
					    "Mono security", "Mono runtime",    "Mono system",   "performance counters",
					    "Mono profiler", "Mono interpreter"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && custom == 0; i++)
		if (section == UINT64_C(0x100) << i)
			return names[i];
	return custom != 0 ? (const char *)(uintptr_t)custom : "Mono";
}

/* Times are in units of 100 ns, or, if they are intervals, of 1000 ns. Percentages have different scales. */
static void convert_counter(const uint64_t *fields)
{
	static const uint32_t units[] = {MPROF_METRIC_UNIT_RAW, MPROF_METRIC_UNIT_BYTES, MPROF_METRIC_UNIT_TIME,
					 MPROF_METRIC_UNIT_COUNT};
	counter *found = import_job_put(job, &counters, fields[MLPD_INDEX]);
	uint64_t type = fields[MLPD_TYPE], unit = fields[MLPD_UNIT] >> 24;
	mprof_record record = {.kind = MPROF_RECORD_METRIC};
	uint32_t flags = unit < sizeof(units) / sizeof(units[0]) ? units[unit] : MPROF_METRIC_UNIT_RAW;

	if (found->id != 0 || type == MLPD_COUNTER_TEXT)
		return;
	found->scale = 1;
	if (flags == MPROF_METRIC_UNIT_TIME && type == MLPD_COUNTER_INTERVAL)
		found->scale = 1000;
	else if (flags == MPROF_METRIC_UNIT_TIME && (type == MLPD_COUNTER_LONG || type == MLPD_COUNTER_UNSIGNED_LONG))
		found->scale = 100;
	else if (flags == MPROF_METRIC_UNIT_TIME)
		flags = MPROF_METRIC_UNIT_RAW;
	flags |= type == MLPD_COUNTER_DOUBLE ? MPROF_METRIC_FLAG_DOUBLE : 0;
	flags |= (fields[MLPD_VARIANCE] >> 28 & 1) != 0 ? MPROF_METRIC_FLAG_MONOTONIC : 0;
	flags |= (fields[MLPD_VARIANCE] >> 29 & 1) != 0 ? MPROF_METRIC_FLAG_CONSTANT : 0;
	record.id = ++metric_count;
	found->id = record.id;
	record.as.metric.flags = flags;
	record.as.metric.section = section_name(fields[MLPD_SECTION], fields[MLPD_SECTION_NAME]);
	record.as.metric.name = (const char *)(uintptr_t)fields[MLPD_NAME];
	import_job_expect(job,
			  mprof_writer_write_records(job->writer, MPROF_BLOCK_METRICS, 0, &record, sizeof(record), 1));
}

static void convert_counter_values(const mlpd_event *event)
{
	static mprof_record values[BATCH];
	size_t count = 0;

	for (size_t i = 0; i < event->list_count; i += MLPD_VALUE_SIZE) {
		const uint64_t *fields = event->list + i;
		counter *found = key_map_find(&counters, fields[MLPD_VALUE_INDEX]);
		int is_double = fields[MLPD_VALUE_TYPE] == MLPD_COUNTER_DOUBLE;

		if (found == NULL || found->id == 0 || fields[MLPD_VALUE_TYPE] == MLPD_COUNTER_TEXT || count == BATCH) {
			left_out[event->type]++;
			continue;
		}
		found->value = is_double ? fields[MLPD_VALUE] : found->value + fields[MLPD_VALUE];
		values[count] = (mprof_record){.kind = MPROF_RECORD_METRIC_VALUE, .id = (uint32_t)found->id};
		values[count++].as.metric_value.value = found->value * found->scale;
	}
	if (count > 0)
		import_job_expect(job, mprof_writer_write_records(job->writer, MPROF_BLOCK_METRICS, 0, values,
								  sizeof(values[0]), count));
}

static void convert_counters(const mlpd_event *event)
{
	now = event->time;
	if (event->type == MLPD_COUNTER_VALUES)
		convert_counter_values(event);
	else
		for (size_t i = 0; i < event->list_count; i += MLPD_COUNTER_SIZE)
			convert_counter(event->list + i);
}

static void convert_call(const mlpd_event *event)
{
	uint8_t kind = event->type == MLPD_ENTER   ? MPROF_EVENT_METHOD_ENTER
		       : event->type == MLPD_LEAVE ? MPROF_EVENT_METHOD_LEAVE
						   : MPROF_EVENT_METHOD_LEAVE_EXCEPTION;

	add(kind, (uint32_t)define(&methods, event->fields[0])->id, event->time, 0);
}

static void convert_finalization(const mlpd_event *event)
{
	uint8_t kind = event->type == MLPD_FINALIZE_START ? MPROF_EVENT_FINALIZATION_START
		       : event->type == MLPD_FINALIZE_END ? MPROF_EVENT_FINALIZATION_END
							  : MPROF_EVENT_FINALIZER_END;

	add(kind, 0, event->time, 0)->object = event->fields[0];
}

static void convert(const mlpd_event *event)
{
	if ((event->type & TYPE_MASK) == MLPD_HEAP_START) {
		now = event->time;
		convert_heap(event);
		return;
	}
	if ((event->type & TYPE_MASK) == MLPD_METADATA) {
		convert_metadata(event);
		return;
	}
	switch (event->type) {
	case MLPD_ALLOC:
	case MLPD_ALLOC_STACK:
		convert_allocation(event);
		break;
	case MLPD_ENTER:
	case MLPD_LEAVE:
	case MLPD_LEAVE_EXCEPTION:
		convert_call(event);
		break;
	case MLPD_JIT:
		convert_code((uint32_t)define(&methods, event->fields[0])->id, event, MPROF_CODE_JIT);
		break;
	case MLPD_HELPER:
		convert_code(0, event, MPROF_CODE_TRAMPOLINE);
		break;
	case MLPD_GC_EVENT:
		convert_collection(event);
		break;
	case MLPD_GC_RESIZE:
		add(MPROF_EVENT_GC_RESIZE, 0, event->time, event->fields[0]);
		break;
	case MLPD_GC_MOVES:
		now = event->time;
		convert_moves(event);
		break;
	case MLPD_HANDLE_DELETED:
	case MLPD_HANDLE_DELETED_STACK:
		convert_deleted_handle(event);
		break;
	case MLPD_FINALIZE_START:
	case MLPD_FINALIZE_END:
	case MLPD_FINALIZE_OBJECT_END:
		convert_finalization(event);
		break;
	case MLPD_HIT:
		convert_hit(event);
		break;
	case MLPD_COUNTERS:
	case MLPD_COUNTER_VALUES:
		convert_counters(event);
		break;
	case MLPD_SYMBOL:
	case MLPD_SYNC:
	case MLPD_AOT_ID:
		left_out[event->type]++;
		break;
	default:
		convert_object_event(event);
		break;
	}
}

/* A thread continues after its last buffer, unless what was between was damaged: then its calls are not known. */
static void begin_buffer(const mlpd_buffer *buffer)
{
	thread *thread;
	uint64_t last;

	event_thread = thread_id(buffer->thread);
	thread = import_job_put(job, &threads, buffer->thread);
	last = thread->last_time;
	if (thread->damage != damage && last != 0 && buffer->time >= last)
		add(MPROF_EVENT_RECORDING_RESUMED, 0, buffer->time, buffer->time - last);
	thread->damage = damage;
}

/* Passes all events to a function. */
static void read_events(void (*take)(const mlpd_event *event), int is_last)
{
	const uint8_t *start = file.at;
	mlpd_event event;
	mlpd_buffer buffer;
	int found, is_sound;

	do {
		found = mlpd_next_buffer(&file, &buffer);
		if (file.skipped != NULL && is_last)
			note_damage(file.skipped);
		if (!found)
			break;
		if (is_last)
			begin_buffer(&buffer);
		while ((is_sound = mlpd_next_event(&buffer, &event)) > 0) {
			if (event.lacks_memory)
				import_job_fail(job, "out of memory");
			take(&event);
		}
		if (is_sound < 0)
			mlpd_skip(&file, &buffer);
		if (!is_last)
			continue;
		write_events();
		if (is_sound < 0) {
			note_damage(buffer.at);
			shot.flags |= MPROF_HEAP_FLAG_INCOMPLETE;
		}
		((thread *)import_job_put(job, &threads, buffer.thread))->last_time = buffer.time;
	} while (found);
	file.at = start;
}

static int compare_late(const void *a, const void *b)
{
	const late_event *first = a, *second = b;

	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	return first->time < second->time ? -1 : first->time > second->time;
}

static void write_block(uint8_t kind, uint64_t thread, const mprof_event *block, size_t count)
{
	now = block[count - 1].counter;
	if (kind == MPROF_EVENT_SAMPLE) {
		import_job_expect(job, mprof_writer_write_samples(job->writer, thread, block[0].counter, block, count));
		return;
	}
	import_job_expect(job, mprof_writer_begin_events(job->writer, thread, block[0].counter));
	import_job_expect(job, mprof_writer_write_events(job->writer, block, count, NULL));
	import_job_expect(job, mprof_writer_end_events(job->writer));
}

/* Writes the events of each thread in the order of time. */
static void write_late(uint8_t kind, const array *from)
{
	static mprof_event block[MAX_SAMPLES];
	const late_event *all = from->items;

	write_new_records();
	if (from->count > 0)
		qsort(from->items, from->count, sizeof(*all), compare_late);
	for (size_t first = 0, count; first < from->count; first += count) {
		for (count = 0; count < MAX_SAMPLES && first + count < from->count; count++) {
			const late_event *event = &all[first + count];

			if (event->thread != all[first].thread)
				break;
			block[count] = (mprof_event){.kind = kind, .id = event->id, .value = event->value};
			block[count].counter = event->time;
		}
		write_block(kind, all[first].thread, block, count);
	}
}

static void read_clock(void *user, mprof_clock *clock)
{
	(void)user;
	clock->counter = now;
	clock->time = file.start_ms * 1000 + (uint64_t)((int64_t)(now - file.start_ns) / 1000);
}

static void write_log(void)
{
	char pid[12];
	const mprof_property properties[] = {{"recorder", "mprof import"},
					     {"counter", "clock of Mono, nanoseconds"},
					     {"pid", pid},
					     {"mono_arguments", file.arguments}};
	mprof_writer_options options;

	snprintf(pid, sizeof(pid), "%" PRIu32, file.pid);
	mprof_writer_options_init(&options, sizeof(options));
	options.runtime = "mono";
	options.clock = read_clock;
	options.counters_per_second = 1e9;
	now = file.start_ns;
	import_job_begin_log(job, &options);
	import_job_expect(job, mprof_writer_write_session(job->writer, properties, sizeof(properties[0]),
							  sizeof(properties) / sizeof(properties[0])));
	write_classes();
	write_methods();
	read_events(convert, 1);
	write_late(MPROF_EVENT_METHOD_CODE, &code_events);
	write_late(MPROF_EVENT_SAMPLE, &samples);
	end_shot(MPROF_HEAP_FLAG_INCOMPLETE);
	import_job_end_log(job);
}

/* The file is read into memory: it is read three times, and may be a pipe. */
static uint8_t *read_file(void)
{
	size_t size = 0, capacity = 0, count;
	uint8_t *bytes = NULL;
	const char *why;

	do {
		if (size == capacity) {
			capacity = 2 * capacity + IMPORT_SOURCE_PEEK;
			bytes = realloc(bytes, capacity);
			if (bytes == NULL)
				import_job_fail(job, "out of memory");
		}
		count = import_source_take(&job->source, bytes + size, capacity - size);
		size += count;
	} while (count > 0);
	why = mlpd_open(&file, bytes, size);
	if (why != NULL)
		import_job_fail(job, why);
	return bytes;
}

static void print_summary(void)
{
	static const struct {
		uint8_t type;
		const char *name;
	} kinds[] = {{MLPD_COUNTER_VALUES, "values of counters that are texts or not defined"},
		     {MLPD_SYNC, "synchronization points"},
		     {MLPD_AOT_ID, "AOT IDs"},
		     {MLPD_METADATA_LOAD, "contexts loaded"},
		     {MLPD_METADATA_UNLOAD, "contexts unloaded"},
		     {MLPD_GC_EVENT, "steps of collections"},
		     {MLPD_CLAUSE, "exception clauses of unknown kinds"},
		     {MLPD_HANDLE_CREATED, "handles of unknown types created"},
		     {MLPD_HANDLE_CREATED_STACK, "handles of unknown types created"},
		     {MLPD_HANDLE_DELETED, "handles of unknown types deleted"},
		     {MLPD_HANDLE_DELETED_STACK, "handles of unknown types deleted"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		import_job_report_left_out(job, left_out[kinds[i].type], kinds[i].name);
	import_job_report_left_out(job, left_out_references, "objects and roots outside of snapshots");
	if (damage > 0)
		import_job_report_damage(job, first_damage,
					 damage > 1 ? "damaged data left out, and more after it"
						    : "damaged data left out");
}

static void convert_file(import_job *started)
{
	const char *option;
	uint8_t *bytes;

	job = started;
	bytes = read_file();
	option = strstr(file.arguments, "maxframes=");
	if (option != NULL)
		max_frames = strtoull(option + strlen("maxframes="), NULL, 10);
	read_events(note_definitions, 0);
	sort(&collections, sizeof(uint64_t));
	sort(&code, sizeof(range));
	sort(&symbols, sizeof(range));
	read_events(note_object, 0);
	write_log();
	print_summary();
	free(bytes);
}

static int recognizes(const uint8_t *start, size_t length)
{
	return length >= 4 && memcmp(start, "\1ZPM", 4) == 0;
}

const import_format import_mlpd = {
	.name = "mlpd",
	.description = "Mono's profiler log, as Mono 6 writes it (mono --profile=log)",
	.lacks = "counters that are texts, synchronization points and contexts are left out",
	.next = "report",
	.recognizes = recognizes,
	.convert = convert_file,
};
