/* SPDX-License-Identifier: MIT */
/**
 * \file common/elements.h
 * \brief Arrays that grow by one element at a time.
 */
#ifndef COMMON_ELEMENTS_H
#define COMMON_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * Makes room for one more element in an array with \p count of them, whose indexes have 32 bits. \p size: of an element
 * in bytes. Returns 0 if out of memory; the array is then unchanged.
 */
static inline int elements_reserve(void **elements, size_t *capacity, size_t count, size_t size)
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

#endif
