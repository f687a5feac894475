/* SPDX-License-Identifier: MIT */
/* Copies texts and releases the copies. */
#include "model/text_copy.h"

#include <string.h>

char *text_copy(const mprof_allocator *allocator, const char *text)
{
	size_t size = text != NULL ? strlen(text) + 1 : 1;
	char *copy = allocator_allocate(allocator, size);

	if (copy == NULL)
		return NULL;
	if (text != NULL)
		memcpy(copy, text, size);
	else
		copy[0] = '\0';
	return copy;
}

void text_release(const mprof_allocator *allocator, char *copy)
{
	if (copy != NULL)
		allocator_release(allocator, copy, strlen(copy) + 1);
}
