/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/fork_guard.h
 * \brief Distinguishes a child made by fork() from the process that opened the recorder.
 *
 * Where the system supports it, a page is marked to read as zeros in children. The check then costs a load instead of a
 * system call; it is made at each change of buffers and in each sample. A child made by vfork() shares the page, so it
 * is treated as the process itself.
 */
#ifndef RECORDER_FORK_GUARD_H
#define RECORDER_FORK_GUARD_H

#include <sys/types.h>
#include <unistd.h>

typedef struct fork_guard {
	const volatile unsigned char *page; /**< Contains 1 in its process and 0 in children; NULL if none. */
	pid_t process;
} fork_guard;

/** Always succeeds: without a page, process IDs are compared. */
void fork_guard_init(fork_guard *guard);
void fork_guard_destroy(fork_guard *guard);

/** Async-signal-safe. */
static inline int fork_guard_is_child(const fork_guard *guard)
{
	return guard->page != NULL ? *guard->page == 0 : getpid() != guard->process;
}

#endif
