/* SPDX-License-Identifier: MIT */
/**
 * \file control_wake.h
 * \brief Wakes the control thread from other threads and from signal handlers, through a pipe.
 *
 * Programs that close all descriptors, as daemons do, close the pipe as well, and its numbers may then be those of
 * other files. No function reads or writes these.
 */
#ifndef SHARED_CONTROL_WAKE_H
#define SHARED_CONTROL_WAKE_H

#include <sys/types.h>

typedef struct control_wake {
	int ends[2];  /**< Those for reading and for writing. */
	dev_t device; /**< Device and inode of the pipe. */
	ino_t inode;
} control_wake;

/** Opens the pipe. Returns 0 or an errno value. */
int control_wake_open(control_wake *wake);

/** Closes the pipe. */
void control_wake_close(const control_wake *wake);

/** Whether both ends are still open. Async-signal-safe. */
int control_wake_is_open(const control_wake *wake);

/** Wakes the thread. Async-signal-safe. */
void control_wake_send(const control_wake *wake);

/** Returns 1 if the thread was woken since the last call. */
int control_wake_receive(const control_wake *wake);

#endif
