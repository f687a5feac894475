/* SPDX-License-Identifier: MIT */
/**
 * \file export/heap_collapse.h
 * \brief Chooses the objects of a heap snapshot that retain the most, and collapses the others by owner and class.
 *
 * The objects that are kept are those that retain at least a number of bytes, so the dominators of a kept object are
 * kept. The owner of another object is the nearest of its dominators that is kept.
 */
#ifndef EXPORT_HEAP_COLLAPSE_H
#define EXPORT_HEAP_COLLAPSE_H

#include "heap/view.h"

/** Owners that are no kept object: only the roots together, or nothing, keep an object alive. */
#define COLLAPSE_ROOTS (UINT32_MAX - 1)
#define COLLAPSE_UNREACHABLE UINT32_MAX

/** Objects that are collapsed. The bytes fit 32 bits unless the group is one object. */
typedef struct collapse_group {
	uint32_t owner; /**< A kept object by number, #COLLAPSE_ROOTS or #COLLAPSE_UNREACHABLE. */
	uint32_t class_index;
	uint64_t objects;
	uint64_t bytes;
} collapse_group;

typedef struct heap_collapse {
	uint64_t threshold; /**< A kept object retains at least this number of bytes. */
	uint32_t *kept;     /**< Objects that are kept, in their order. */
	uint32_t kept_count;
	uint32_t *owners;       /**< By object: its number in kept, or its owner. */
	collapse_group *groups; /**< In the order of owners and classes. */
	size_t group_count;
} heap_collapse;

/** Collapses a snapshot with dominators to at most \p top objects. Returns 0 if out of memory. */
int heap_collapse_build(heap_collapse *collapse, const heap_view *view, uint64_t top);
void heap_collapse_release(heap_collapse *collapse);

/** The number of an object in heap_collapse::kept, or UINT32_MAX if it is collapsed. */
uint32_t heap_collapse_find(const heap_collapse *collapse, uint32_t object);

/** The index of the first group of an owner. */
size_t heap_collapse_first_group(const heap_collapse *collapse, uint32_t owner);

#endif
