/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/salvage_fork.h
 * \brief Takes areas away from children made by fork(), which would otherwise record into the buffers of their parent.
 *
 * Private memory is the child's own after fork(); a shared mapping is not. A handler that fork() calls in the child puts
 * zeros in its place, where all buffers are full: whatever the child records then finds out that it is a child. Only what
 * handlers of the program, which were registered earlier, record in the child before that gets into the parent's buffer.
 */
#ifndef RECORDER_SALVAGE_FORK_H
#define RECORDER_SALVAGE_FORK_H

#include "recorder/salvage_area.h"

/** An area that children are to lose. */
typedef struct salvage_fork_entry {
	struct salvage_fork_entry *next; /**< Under the lock of the list. */
	salvage_area *area;
} salvage_fork_entry;

/** Returns 0 if the system refuses the handler. */
int salvage_fork_add(salvage_fork_entry *entry, salvage_area *area);

/** Undoes salvage_fork_add(). */
void salvage_fork_remove(salvage_fork_entry *entry);

#endif
