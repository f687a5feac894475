/* SPDX-License-Identifier: MIT */
/**
 * \file faults/fault_run.h
 * \brief Runs an operation of the library repeatedly, each time with another request for memory refused.
 *
 * A run reads a log and hashes all results: blocks, events, names, metrics, bytes. It must end as the run in which
 * nothing was refused, with the same hash, or with #MPROF_ERR_MEMORY. It must terminate: loops count their steps, which
 * may not exceed about twice the number of that run. All memory must be freed.
 */
#ifndef FAULTS_FAULT_RUN_H
#define FAULTS_FAULT_RUN_H

#include "base/failing_allocator.h"
#include "logs/log_fixture.h"

#include <mprof/reader.h>

typedef struct fault_run {
	failing_allocator memory;
	mprof_allocator allocator; /**< Refuses the chosen requests. */
	uint64_t hash;
	uint64_t steps;
	uint64_t most_steps;
	const char *name; /**< Name of the log. */
} fault_run;

/**
 * Runs the operation once with the run's allocator. Returns its result: #MPROF_OK or #MPROF_END without an error, or
 * else the error.
 */
typedef mprof_status (*fault_scenario)(fault_run *run, const log_bytes *log);

/** Counts one iteration of a loop. Fails if there are too many. */
void fault_step(fault_run *run);

void fault_hash_bytes(fault_run *run, const void *bytes, size_t length);
void fault_hash_number(fault_run *run, uint64_t number);
void fault_hash_text(fault_run *run, const char *text);

/** Hashes the error that a failed call returned. */
void fault_hash_error(fault_run *run, const mprof_error *error);

/** The same, counted as a step: the callback for each damage. \p user is the run. */
void fault_note_damage(void *user, const mprof_error *error);

/**
 * Runs a scenario on a log with each request refused alone, with each request and all later ones refused, and with some
 * pairs of requests refused. The pairs are the same in every run; MPROF_FAULT_PAIRS is their number.
 */
void fault_try_log(const char *name, const log_bytes *log, fault_scenario scenario);

/**
 * Tries all logs of tests/data. If MPROF_FAULTS is set, it is a length in bytes, and the logs of the folder
 * MPROF_SAMPLES that are not longer are tried too.
 */
void fault_try_all(fault_scenario scenario);

/** Runs a scenario once on each of these logs, without refusals. */
void fault_run_all(fault_scenario scenario);

#endif
