/* SPDX-License-Identifier: MIT */
/**
 * \file export/heap_tops.h
 * \brief Objects of a heap snapshot without roots from which all of its objects can be reached.
 */
#ifndef HEAP_TOPS_H
#define HEAP_TOPS_H

#include "heap/view.h"

/**
 * Finds the objects to which no other one refers, and one object of each cycle to which no object outside of it refers.
 * All objects can be reached from them, and from no fewer. Takes time in proportion to the references. \p tops is
 * allocated, also if there are none; the caller frees it. Returns 0 if out of memory.
 */
int heap_tops_find(const heap_view *view, uint32_t **tops, size_t *count);

#endif
