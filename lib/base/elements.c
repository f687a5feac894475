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
static int load_caller_element(unsigned char *own, size_t own_size, const unsigned char *given, size_t given_size)
{
	if (given_size < own_size) {
		memcpy(own, given, given_size);
		memset(own + given_size, 0, own_size - given_size);
		return 1;
	}
	memcpy(own, given, own_size);
	return is_zero(given + own_size, given_size - own_size);
}

mprof_status element_list_convert(element_list *list, const mprof_allocator *allocator, const void *given,
				  size_t given_size, size_t count, size_t least, size_t own_size)
{
	const unsigned char *from = given;
	unsigned char *to;

	memset(list, 0, sizeof(*list));
	if (given_size < least || (given == NULL && count > 0))
		return MPROF_ERR_ARGUMENT;
	list->elements = given;
	if (given_size == own_size || count == 0)
		return MPROF_OK;
	if (!checked_multiply(count, own_size, &list->copied_size))
		return MPROF_ERR_MEMORY;
	list->copied = allocator_allocate(allocator, list->copied_size);
	if (list->copied == NULL)
		return MPROF_ERR_MEMORY;
	list->elements = list->copied;
	to = list->copied;
	for (size_t i = 0; i < count; i++) {
		if (!load_caller_element(to + i * own_size, own_size, from + i * given_size, given_size))
			return MPROF_ERR_ARGUMENT;
	}
	return MPROF_OK;
}

void element_list_release(element_list *list, const mprof_allocator *allocator)
{
	allocator_release(allocator, list->copied, list->copied_size);
}
