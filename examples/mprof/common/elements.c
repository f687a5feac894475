/* SPDX-License-Identifier: MIT */
/* Arrays that grow by one element at a time. */
#include "common/elements.h"

#include <stdint.h>
#include <stdlib.h>

int elements_reserve(void **elements, size_t *capacity, size_t count, size_t size)
{
	size_t larger = *capacity != 0 ? *capacity * 2 : 64;
	void *grown;

	if (count < *capacity)
		return 1;
	grown = larger <= UINT32_MAX ? reallocarray(*elements, larger, size) : NULL;
	if (grown == NULL)
		return 0;
	*elements = grown;
	*capacity = larger;
	return 1;
}
