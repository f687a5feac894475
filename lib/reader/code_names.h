/* SPDX-License-Identifier: MIT */
/**
 * \file reader/code_names.h
 * \brief Names the addresses of generated code in call stacks by the ranges that held them at the time (doc/format.md,
 * 3.36).
 *
 * A call stack with a name in place of an address is another call stack, with an ID that the log does not use. Such
 * call stacks, their locations, functions and modules have a table and an interner of their own, so that IDs of the
 * log stay without gaps in theirs.
 */
#ifndef READER_CODE_NAMES_H
#define READER_CODE_NAMES_H

#include <mprof/reader.h>

void code_names_init(mprof_reader *reader);
void code_names_destroy(mprof_reader *reader);

/** The process that counts for addresses: the stated one if each process has its own addresses, else 0. */
uint64_t reader_process_of_addresses(const mprof_reader *reader, uint64_t process);

/** Whether ranges of generated code are known, so that events must be passed to reader_name_events(). */
int reader_has_code_ranges(const mprof_reader *reader);

/**
 * Replaces the call stacks of events by the named ones. The events and their details are those of the last batch.
 * Without memory the reader notes the failure.
 */
void reader_name_events(mprof_reader *reader, mprof_event *events, size_t count);

#endif
