/* SPDX-License-Identifier: MIT */
/**
 * \file record/attach_log.h
 * \brief The log of a process that is sampled from outside, with the code that the process has mapped.
 */
#ifndef RECORD_ATTACH_LOG_H
#define RECORD_ATTACH_LOG_H

#include "shared/unwind_rules.h"

#include <mprof/writer.h>

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct attach_modules attach_modules;

/** Reads what a process has mapped. NULL if out of memory. */
attach_modules *attach_modules_create(pid_t process);
void attach_modules_destroy(attach_modules *modules);

/** Notes that the process has mapped code: it is read again before the next lookup. */
void attach_modules_expire(attach_modules *modules);

/** Whether a module with this text in its name is mapped. */
int attach_modules_has(const attach_modules *modules, const char *name);

/** Whether no code is mapped, or the map cannot be read. */
int attach_modules_are_empty(const attach_modules *modules);

/** A sample. The stack is valid during the call only. */
typedef struct attach_sample {
	uint64_t time; /**< Nanoseconds of the monotonic clock. */
	uint32_t thread;
	int has_registers; /**< 0: the kernel has no registers of the program. */
	uint64_t registers[REGISTER_COUNT];
	const uint8_t *stack; /**< A copy of the stack from its pointer on. */
	uint64_t stack_length;
} attach_sample;

typedef struct attach_log attach_log;

/** \p modules is borrowed. \p limit: most frames of a stack. NULL if out of memory. */
attach_log *attach_log_create(attach_modules *modules, size_t limit);

/** Sets the writer, which is borrowed, before the first attach_log_write(). */
void attach_log_set_writer(attach_log *log, mprof_writer *writer);
void attach_log_destroy(attach_log *log);

/** Adds a sample, whose stack is unwound at once. */
void attach_log_add_sample(attach_log *log, const attach_sample *sample);

/** Adds the name that a thread has from now on. */
void attach_log_add_name(attach_log *log, uint32_t thread, const char *name);

/** Adds events that the kernel lost. */
void attach_log_add_loss(attach_log *log, uint64_t count);

/**
 * Writes the samples before a time, which must be the time before all rings were read last: a thread changes its
 * processor. Returns the status of the writer.
 */
mprof_status attach_log_write(attach_log *log, uint64_t before);

/** The samples so far, those that were lost, and those whose callers could not all be found. */
uint64_t attach_log_samples(const attach_log *log);
uint64_t attach_log_lost(const attach_log *log);
uint64_t attach_log_truncated(const attach_log *log);

#endif
