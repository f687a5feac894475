/* SPDX-License-Identifier: MIT */
/**
 * \file record/attach_log.h
 * \brief The log of a process that is sampled from outside.
 */
#ifndef RECORD_ATTACH_LOG_H
#define RECORD_ATTACH_LOG_H

#include "record/attach_events.h"
#include "record/attach_modules.h"

#include <mprof/writer.h>

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
