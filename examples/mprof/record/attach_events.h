/* SPDX-License-Identifier: MIT */
/**
 * \file record/attach_events.h
 * \brief Samples of all threads of a running process, which the kernel takes: nothing in the process changes.
 */
#ifndef RECORD_ATTACH_EVENTS_H
#define RECORD_ATTACH_EVENTS_H

#include "shared/unwind_rules.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A sample. The stack is valid during the call only. */
typedef struct attach_sample {
	uint64_t time; /**< Nanoseconds of the monotonic clock. */
	uint32_t thread;
	int has_registers; /**< 0: the kernel has no registers of the program. */
	uint64_t registers[REGISTER_COUNT];
	const uint8_t *stack; /**< A copy of the stack from its pointer on. */
	uint64_t stack_length;
} attach_sample;

/** What happens to the process. */
typedef struct attach_client {
	void *user;
	void (*sample)(void *user, const attach_sample *sample);
	void (*name)(void *user, uint32_t thread, const char *name);
	void (*map)(void *user); /**< Code was mapped. */
	void (*lose)(void *user, uint64_t count);
} attach_client;

typedef struct attach_events attach_events;

/**
 * Starts sampling. \p period_ns: processor time between samples. Returns NULL with errno set if the system does not
 * allow it. \p client is borrowed.
 */
attach_events *attach_events_open(pid_t process, uint64_t period_ns, const attach_client *client);

/** Whether time in the kernel has samples, too. */
int attach_events_include_kernel(const attach_events *events);

/** Waits until there are samples, for \p milliseconds at most, or until the process ends. Returns whether it ended. */
int attach_events_wait(attach_events *events, int milliseconds);

/** Passes all that has happened to the client, and follows threads that are new. */
void attach_events_read(attach_events *events);

/** Advances to the next thread that is followed. \p thread: 0 at first. Returns 0 after the last one. */
int attach_events_next_thread(const attach_events *events, uint32_t *thread);

void attach_events_close(attach_events *events);

#endif
