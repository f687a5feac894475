/* SPDX-License-Identifier: MIT */
/* Copies arrays of a caller whose elements may be shorter or longer than those of the library. */
#include "base/elements.h"

#include "base/checked.h"

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
