/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/fork_guard.h
 * \brief Distinguishes a child made by fork() from the process that opened the recorder.
 *
 * Where the system can, a page is marked to read as zeros in children: asking costs a load instead of a system call, at
 * each change of buffers and in each sample. A child made by vfork() shares the page and counts as the process itself.
 */
#ifndef RECORDER_FORK_GUARD_H
#define RECORDER_FORK_GUARD_H

#include <sys/types.h>
#include <unistd.h>

typedef struct fork_guard {
	const volatile unsigned char *page; /**< Holds 1 in the process that made it and 0 in children; NULL if there is
	                                         none. */
	pid_t process;
} fork_guard;

/** Always succeeds: without a page the process is asked for its ID. */
void fork_guard_init(fork_guard *guard);
void fork_guard_destroy(fork_guard *guard);

/** Async-signal-safe. */
static inline int fork_guard_is_child(const fork_guard *guard)
{
	return guard->page != NULL ? *guard->page == 0 : getpid() != guard->process;
}

#endif
