/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_fork.h
 * \brief Replaces areas in children made by fork(), which would otherwise record into the buffers of their parent.
 *
 * After fork() private memory is copied, but a shared mapping is not. A handler that fork() calls in the child maps
 * zeros in its place. A buffer of zeros is full, so the next event that the child records takes the slow path, which
 * detects the child. Only events that earlier registered handlers of the program record in the child get into the
 * parent's buffer.
 */
#ifndef RECORDER_SALVAGE_FORK_H
#define RECORDER_SALVAGE_FORK_H

#include "recorder/salvage_area.h"

/** An area to replace in children. */
typedef struct salvage_fork_entry {
	struct salvage_fork_entry *next; /**< Guarded by the lock of the list. */
	salvage_area *area;
} salvage_fork_entry;

/** Adds an area to the list. \p entry is borrowed until salvage_fork_remove(). Returns 0 if no handler can be set. */
int salvage_fork_add(salvage_fork_entry *entry, salvage_area *area);

/** Undoes salvage_fork_add(). */
void salvage_fork_remove(salvage_fork_entry *entry);

#endif
