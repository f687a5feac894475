/* SPDX-License-Identifier: MIT */
/* Finds the async methods that wait for an async method. */
#include "await_chain.h"

#include "shared/hash.h"

#include <mono/metadata/attrdefs.h>

#include <string.h>

/* Two words at the start of an object, which offsets of fields of structures include as well. */
#define OBJECT_HEADER (2 * sizeof(void *))

/* Objects between a task and the state machine that waits for it; those of a program that combines tasks are few. */
#define MAX_LINKS 16

/* A builder may contain another one. */
#define MAX_NESTING 3

int await_chain_is_machine(MonoClass *type)
{
	void *position = NULL;
	MonoClass *interface;

	while ((interface = mono_class_get_interfaces(type, &position)) != NULL) {
		if (strcmp(mono_class_get_name(interface), "IAsyncStateMachine") == 0)
			return 1;
	}
	return 0;
}

static int is_builder(MonoClass *type)
{
	const char *name = mono_class_get_name(type);

	return mono_class_is_valuetype(type) && strncmp(name, "Async", 5) == 0 && strstr(name, "MethodBuilder") != NULL;
}

/*
 * Finds the field for the task in a state machine or builder: the field m_task of its builder. \p offset is increased
 * by its offset. Returns 0 if there is none.
 */
static int find_task(MonoClass *type, unsigned nesting, uint32_t *offset)
{
	MonoClassField *task = is_builder(type) ? mono_class_get_field_from_name(type, "m_task") : NULL;
	MonoClassField *field;
	void *position = NULL;

	if (task != NULL) {
		*offset += mono_field_get_offset(task) - (uint32_t)OBJECT_HEADER;
		return 1;
	}
	while (nesting > 0 && (field = mono_class_get_fields(type, &position)) != NULL) {
		uint32_t inner = *offset + mono_field_get_offset(field) - (uint32_t)OBJECT_HEADER;
		MonoClass *of_field;

		if ((mono_field_get_flags(field) & MONO_FIELD_ATTR_STATIC) != 0)
			continue;
		of_field = mono_class_from_mono_type(mono_field_get_type(field));
		if (!is_builder(of_field) || !find_task(of_field, nesting - 1, &inner))
			continue;
		*offset = inner;
		return 1;
	}
	return 0;
}

static const await_machine *machine_of(await_cache *cache, MonoClass *type)
{
	await_machine *machine = &cache->machines[hash_key((uintptr_t)type) & (AWAIT_MACHINES - 1)];

	if (machine->type != type) {
		machine->type = type;
		machine->task = 0;
		machine->is_awaited = (uint32_t)find_task(type, MAX_NESTING, &machine->task);
		machine->method = mono_class_get_method_from_name(type, "MoveNext", 0);
	}
	return machine;
}

/* Returns the reference in a field, NULL if the class of the object has no such field. */
static MonoObject *read_field(await_cache *cache, MonoObject *object, const char *name)
{
	MonoClass *type = mono_object_get_class(object);
	const uint32_t hash = hash_key((uintptr_t)type ^ (uintptr_t)name << 8);
	await_field *known = &cache->fields[hash & (AWAIT_FIELDS - 1)];

	if (known->type != type || known->name != name) {
		MonoClassField *field = mono_class_get_field_from_name(type, name);

		known->type = type;
		known->name = name;
		known->offset = field != NULL ? mono_field_get_offset(field) : 0;
	}
	return known->offset != 0 ? *(MonoObject **)((char *)object + known->offset) : NULL;
}

/* The first of the continuations, if the object is a list of several. */
static MonoObject *first_of_list(await_cache *cache, MonoObject *object)
{
	MonoObject *items = read_field(cache, object, "_items");
	MonoArray *array = (MonoArray *)items;

	if (items == NULL || mono_class_get_rank(mono_object_get_class(items)) != 1 || mono_array_length(array) == 0)
		return NULL;
	return mono_array_get(array, MonoObject *, 0);
}

/*
 * Follows what continues after a task to the state machine that waits for it. Returns NULL if none does: a thread may
 * wait, or a method that is not async.
 */
static MonoObject *find_awaiting(await_cache *cache, MonoObject *task)
{
	/* Of tasks, of objects that wrap delegates, of continuations that are tasks, and of delegates. */
	static const char *const links[] = {"m_continuationObject", "m_continuation", "m_action", "m_task", "m_target"};
	MonoObject *at = read_field(cache, task, "m_continuationObject");

	for (unsigned number = 0; at != NULL && number < MAX_LINKS; number++) {
		MonoObject *machine = read_field(cache, at, "m_stateMachine");
		MonoObject *next = first_of_list(cache, at);

		if (machine != NULL)
			return machine;
		for (size_t i = 0; next == NULL && i < sizeof(links) / sizeof(links[0]); i++)
			next = read_field(cache, at, links[i]);
		at = next;
	}
	return NULL;
}

static MonoObject *task_of(const await_machine *machine, const void *fields)
{
	return machine->is_awaited ? *(MonoObject *const *)((const char *)fields + machine->task) : NULL;
}

int await_chain_has_task(await_cache *cache, MonoClass *type, const void *fields)
{
	return task_of(machine_of(cache, type), fields) != NULL;
}

size_t await_chain_follow(await_cache *cache, MonoClass *type, const void *fields, MonoMethod **methods, size_t limit)
{
	size_t count = 0;

	while (count < limit) {
		MonoObject *object = task_of(machine_of(cache, type), fields);

		if (object != NULL)
			object = find_awaiting(cache, object);
		if (object == NULL)
			break;
		type = mono_object_get_class(object);
		fields = (const char *)object + OBJECT_HEADER;
		methods[count] = machine_of(cache, type)->method;
		if (methods[count] == NULL)
			break;
		count++;
	}
	return count;
}
