/* SPDX-License-Identifier: MIT */
/**
 * \file base/checked.h
 * \brief Arithmetic that reports overflow.
 */
#ifndef BASE_CHECKED_H
#define BASE_CHECKED_H

#include <stddef.h>
#include <stdint.h>

/** Sets \p result to \p a + \p b and returns 1, or returns 0 if it does not fit. */
static inline int checked_add(size_t a, size_t b, size_t *result)
{
	return !__builtin_add_overflow(a, b, result);
}

/** Sets \p result to \p a * \p b and returns 1, or returns 0 if it does not fit. */
static inline int checked_multiply(size_t a, size_t b, size_t *result)
{
	return !__builtin_mul_overflow(a, b, result);
}

#endif
