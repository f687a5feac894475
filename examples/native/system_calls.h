/* SPDX-License-Identifier: MIT */
/**
 * \file native/system_calls.h
 * \brief Notices that the program restricts its system calls, and that it makes processes without fork(), by
 * interposing syscall(), clone() and prctl().
 * A program that makes these system calls without the C library is not noticed.
 */
#ifndef NATIVE_SYSTEM_CALLS_H
#define NATIVE_SYSTEM_CALLS_H

/** The property recording_ended of a log that ends there. */
#define RECORDING_ENDED_RESTRICTED "the program restricted its system calls (seccomp)"

typedef struct system_calls_client {
	/**
	 * Called before the program restricts its system calls by a filter (seccomp), on the thread that does: from
	 * then on, calls that the recorder makes on threads of the program could end them.
	 */
	void (*end_recording)(void);
	void (*count_child)(void); /**< Called after the program has made a process. */
	/**
	 * Called in the child, whose only thread this is. No handlers of pthread_atfork() have run, so neither locks
	 * nor threads of the C library can be used.
	 */
	void (*leave_child)(void);
} system_calls_client;

/** Sets the functions. Call it before main(), on one thread. */
void system_calls_set(const system_calls_client *client);

/** Whether the program has restricted its system calls. Any thread; async-signal-safe. */
int system_calls_are_restricted(void);

/** Called for each prctl(), before the system call. */
void system_calls_see_prctl(int operation);

#endif
