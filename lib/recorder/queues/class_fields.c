/* SPDX-License-Identifier: MIT */
/* Stores, checks and copies the fields of a class. */
#include "recorder/queues/class_fields.h"

#include "base/checked.h"

#include <string.h>

size_t class_fields_size(const mprof_class_field *fields, size_t count)
{
	size_t size;

	if (!checked_multiply(count, sizeof(stored_field), &size))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (!checked_add(size, strlen(fields[i].name) + 1, &size))
			return 0;
	}
	return size;
}

void class_fields_store(stored_field *stored, const mprof_class_field *fields, size_t count)
{
	char *names = (char *)(stored + count);

	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(fields[i].name) + 1;

		stored[i] = (stored_field){fields[i].class_key, fields[i].offset, fields[i].stride};
		memcpy(names, fields[i].name, size);
		names += size;
	}
}

/* Whether a text consists of a number of strings. */
static int has_strings(const char *text, uint64_t size, uint64_t count)
{
	while (count > 0 && size > 0) {
		const char *end = memchr(text, '\0', (size_t)size);

		if (end == NULL)
			return 0;
		size -= (uint64_t)(end - text) + 1;
		text = end + 1;
		count--;
	}
	return count == 0 && size == 0;
}

int class_fields_are_valid(const stored_field *fields, uint64_t size, uint64_t count)
{
	if (count > UINT32_MAX || size > SIZE_MAX || size / sizeof(*fields) < count)
		return 0;
	for (uint64_t i = 1; i < count; i++) {
		if (!class_fields_ascend(fields[i - 1].offset, fields[0].offset, fields[0].stride, fields[i].offset,
					 fields[i].stride))
			return 0;
	}
	return has_strings((const char *)(fields + count), size - count * sizeof(*fields), count);
}

class_fields *class_fields_copy(const mprof_allocator *allocator, const stored_field *fields, size_t size,
				uint32_t count)
{
	class_fields *copy;
	size_t all;

	if (!checked_add(sizeof(*copy), size, &all))
		return NULL;
	copy = allocator_allocate(allocator, all);
	if (copy == NULL)
		return NULL;
	*copy = (class_fields){.size = size, .count = count};
	memcpy(copy->fields, fields, size);
	return copy;
}

void class_fields_release(const mprof_allocator *allocator, class_fields *fields)
{
	if (fields != NULL)
		allocator_release(allocator, fields, sizeof(*fields) + fields->size);
}
