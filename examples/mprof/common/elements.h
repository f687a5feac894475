/* SPDX-License-Identifier: MIT */
/**
 * \file common/elements.h
 * \brief Arrays that grow by one element at a time.
 */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include <stddef.h>

/**
 * Makes room for one more element in an array with \p count of them, whose indexes have 32 bits. \p size: of an element
 * in bytes. Returns 0 if out of memory; the array is then unchanged.
 */
int elements_reserve(void **elements, size_t *capacity, size_t count, size_t size);

#endif
