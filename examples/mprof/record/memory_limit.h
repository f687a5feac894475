/* SPDX-License-Identifier: MIT */
/**
 * \file record/memory_limit.h
 * \brief The memory that the control group of this process may use.
 */
#ifndef RECORD_MEMORY_LIMIT_H
#define RECORD_MEMORY_LIMIT_H

#include <stdint.h>

/**
 * The lowest limit of the control group and of the groups that contain it, as far as they are visible: memory.max and
 * memory.high of version 2, memory.limit_in_bytes of version 1. UINT64_MAX if none. \p root is "", or a directory that
 * is used as the root directory.
 */
uint64_t memory_limit_get(const char *root);

/** The memory that a ring of a size uses at most: blocks are allocated in size classes. */
static inline uint64_t memory_limit_of_ring(uint64_t ring_bytes)
{
	return ring_bytes + ring_bytes / 10 * 3;
}

#endif
