/* SPDX-License-Identifier: MIT */
/**
 * \file faults/fault_run.h
 * \brief Runs one thing that the library does again and again, each time with another request for memory refused.
 *
 * A run goes over a log and hashes all that it is given: blocks, events, names, figures, bytes. It has to end as the
 * run did of which nothing was refused, with the same hash, or with #MPROF_ERR_MEMORY. It must end: loops count their
 * steps, which may not be many more than that run took. And all memory must come back.
 */
#ifndef FAULT_RUN_H
#define FAULT_RUN_H

#include "base/failing_allocator.h"
#include "logs/log_fixture.h"

#include <mprof/reader.h>

typedef struct fault_run {
	failing_allocator memory;
	mprof_allocator allocator; /**< Refuses what it is told to. */
	uint64_t hash;
	uint64_t steps;
	uint64_t most_steps;
	const char *name; /**< Of the log. */
} fault_run;

/**
 * Does it all once with the run's allocator. Returns how it ended: #MPROF_OK or #MPROF_END if no error did, or that
 * error.
 */
typedef mprof_status (*fault_scenario)(fault_run *run, const log_bytes *log);

/** Counts one turn of a loop. Fails when they are too many. */
void fault_step(fault_run *run);

void fault_hash_bytes(fault_run *run, const void *bytes, size_t length);
void fault_hash_number(fault_run *run, uint64_t number);
void fault_hash_text(fault_run *run, const char *text);

/** Hashes what a call that failed left in the error. */
void fault_hash_error(fault_run *run, const mprof_error *error);

/** The same, and counts it as a step: what is called for each damage. \p user is the run. */
void fault_note_damage(void *user, const mprof_error *error);

/**
 * Runs a scenario on a log: with each request refused alone, with each one and all after it, and with some pairs of them,
 * the same each time: MPROF_FAULT_PAIRS says how many.
 */
void fault_try_log(const char *name, const log_bytes *log, fault_scenario scenario);

/**
 * Tries all logs of tests/data. With MPROF_FAULTS set, also those of the folder MPROF_SAMPLES that have no more bytes than
 * it says.
 */
void fault_try_all(fault_scenario scenario);

/** Runs a scenario once on each of these logs, and refuses nothing. */
void fault_run_all(fault_scenario scenario);

#endif
