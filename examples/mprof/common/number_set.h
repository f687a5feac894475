/* SPDX-License-Identifier: MIT */
/**
 * \file common/number_set.h
 * \brief A set of numbers without removal.
 */
#ifndef NUMBER_SET_H
#define NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

typedef struct number_set {
	uint64_t *slots; /**< Open addressing; 0 is an empty slot. */
	size_t capacity; /**< A power of two, or 0. */
	size_t count;    /**< Number of entries, including 0 if it is in the set. */
	int has_zero;
} number_set;

/** Returns 1 if the number is new, 0 if it is in the set already, -1 if out of memory. */
int number_set_add(number_set *set, uint64_t number);

int number_set_has(const number_set *set, uint64_t number);

void number_set_clear(number_set *set);

#endif
