/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_heap.h
 * \brief Fills a tree of call stacks with the objects of a heap snapshot and their paths from roots.
 */
#ifndef STACK_HEAP_H
#define STACK_HEAP_H

#include "export/stack_nodes.h"

/**
 * Adds the objects of a snapshot of the log at \p path. \p shot: from 1, 0 for the last one. \p memory: maximum of the
 * heap graph in MiB, 0 for the default. Returns an exit status, after a message if it is not #STATUS_OK; with
 * #STATUS_DAMAGED objects are missing.
 */
int stack_heap_add(stack_tree *tree, const char *path, uint64_t shot, uint64_t memory);

#endif
