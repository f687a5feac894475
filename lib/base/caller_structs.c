/* SPDX-License-Identifier: MIT */
/* Copies what a caller passes: structs and arrays, shorter or longer than those of the library, and its allocator. */
#include "base/caller_structs.h"

#include "base/allocator.h"

#include <stdlib.h>

void struct_init(void *input, size_t struct_size)
{
	if (input == NULL || struct_size < sizeof(struct_size))
		return;
	memset(input, 0, struct_size);
	memcpy(input, &struct_size, sizeof(struct_size));
}

mprof_status struct_copy_in(void *copy, const void *input, size_t copy_size)
{
	size_t input_size;

	memset(copy, 0, copy_size);
	if (input == NULL) {
		memcpy(copy, &copy_size, sizeof(copy_size));
		return MPROF_OK;
	}
	memcpy(&input_size, input, sizeof(input_size));
	if (input_size < sizeof(input_size))
		return MPROF_ERR_ARGUMENT;
	for (size_t i = copy_size; i < input_size; i++) {
		if (((const unsigned char *)input)[i] != 0)
			return MPROF_ERR_ARGUMENT;
	}
	memcpy(copy, input, input_size < copy_size ? input_size : copy_size);
	memcpy(copy, &copy_size, sizeof(copy_size));
	return MPROF_OK;
}

mprof_status struct_copy_out(void *output, const void *copy, size_t copy_size)
{
	size_t output_size;

	if (output == NULL)
		return MPROF_ERR_ARGUMENT;
	memcpy(&output_size, output, sizeof(output_size));
	if (output_size < sizeof(output_size))
		return MPROF_ERR_ARGUMENT;
	if (output_size > copy_size)
		memset((unsigned char *)output + copy_size, 0, output_size - copy_size);
	memcpy((unsigned char *)output + sizeof(output_size), (const unsigned char *)copy + sizeof(output_size),
	       (output_size < copy_size ? output_size : copy_size) - sizeof(output_size));
	return MPROF_OK;
}

static void *malloc_allocate(void *user, size_t size)
{
	(void)user;
	return malloc(size);
}

static void *malloc_reallocate(void *user, void *memory, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	return realloc(memory, new_size);
}

static void malloc_release(void *user, void *memory, size_t size)
{
	(void)user;
	(void)size;
	free(memory);
}

int allocator_init(mprof_allocator *allocator, const mprof_allocator *input)
{
	static const mprof_allocator system_allocator = {sizeof(mprof_allocator), malloc_allocate, malloc_reallocate,
							 malloc_release, NULL};

	if (input == NULL)
		*allocator = system_allocator;
	else if (struct_copy_in(allocator, input, sizeof(*allocator)) != MPROF_OK)
		return 0;
	return allocator->allocate != NULL && allocator->reallocate != NULL && allocator->release != NULL;
}

static int is_zero(const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (bytes[i] != 0)
			return 0;
	}
	return 1;
}

/* Converts an element of another size to that of the library. Returns 0 if a field unknown to the library is not 0. */
static int load_caller_element(unsigned char *copy, size_t copy_size, const unsigned char *input, size_t input_size)
{
	if (input_size < copy_size) {
		memcpy(copy, input, input_size);
		memset(copy + input_size, 0, copy_size - input_size);
		return 1;
	}
	memcpy(copy, input, copy_size);
	return is_zero(input + copy_size, input_size - copy_size);
}

mprof_status element_list_convert(element_list *list, const mprof_allocator *allocator, const void *input,
				  size_t input_size, size_t count, size_t least, size_t copy_size)
{
	const unsigned char *from = input;
	unsigned char *to;

	memset(list, 0, sizeof(*list));
	if (input_size < least || (input == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	list->elements = input;
	if (input_size == copy_size || count == 0)
		return MPROF_OK;
	if (!checked_multiply(count, copy_size, &list->copied_size))
		return MPROF_ERR_MEMORY;
	list->copied = allocator_allocate(allocator, list->copied_size);
	if (list->copied == NULL)
		return MPROF_ERR_MEMORY;
	list->elements = list->copied;
	to = list->copied;
	for (size_t i = 0; i < count; i++) {
		if (!load_caller_element(to + i * copy_size, copy_size, from + i * input_size, input_size))
			return MPROF_ERR_ARGUMENT;
	}
	return MPROF_OK;
}

void element_list_release(element_list *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->copied, list->copied_size);
}
