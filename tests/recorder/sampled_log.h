/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/sampled_log.h
 * \brief Reads the samples and call stacks of a recorded log, for the tests of the recorder.
 */
#ifndef RECORDER_SAMPLED_LOG_H
#define RECORDER_SAMPLED_LOG_H

#include "recorded_log.h"

typedef struct read_sample {
	uint64_t thread;
	uint64_t counter;
	uint32_t stack;
} read_sample;

typedef struct sampled_log {
	mprof_reader *reader; /**< At the end of the log, with all definitions. */
	read_sample *samples; /**< In the order of the log. */
	size_t count;
	size_t capacity;
	uint64_t lost[LOSS_CAUSE_COUNT];
	uint64_t blocks[64]; /**< Number of blocks by kind. */
} sampled_log;

/** Reads all bytes that the sink received; fails the test if the log is not complete. */
void sampled_log_read(sampled_log *sampled, const recorded_log *log);

void sampled_log_free(sampled_log *sampled);

/**
 * A call stack as text: its frames, the innermost first, separated by blanks. Methods and native functions have their
 * names, an unknown native function is "?", and an unknown frame is "-". Valid until the next call.
 */
const char *sampled_log_chain(const sampled_log *sampled, uint32_t stack);

/** The location of the innermost frame of a sample, which must be native. */
mprof_record sampled_log_location(const sampled_log *sampled, const read_sample *sample);

/** A definition by kind and ID; fails the test if it does not exist. */
mprof_record sampled_log_record(const sampled_log *sampled, mprof_record_kind kind, uint32_t id);

#endif
