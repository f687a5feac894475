/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recorded_log.h
 * \brief Records into memory and reads back everything, for the tests of the recorder.
 */
#ifndef TESTS_RECORDED_LOG_H
#define TESTS_RECORDED_LOG_H

#include <mprof.h>

#include "format/kind_counts.h"

/** One event with the names that the log gives it. */
typedef struct recorded_event {
	uint64_t thread;
	mprof_event event;
	char name[64];             /**< Of its method or class; "" if the kind has none, "#ID" if it is not defined. */
	char class_name[64];       /**< Of its method's class. */
	mprof_event_detail detail; /**< All 0 if it has none. */
	char caller[64];           /**< Name of the method that allocated; "" if none. */
	char stack[256];           /**< Its call chain, as "inner < outer"; "?" a method that is not known, "native" a
	                          location. */
} recorded_event;

/** What other blocks say. */
typedef struct recorded_record {
	mprof_block_kind block;
	uint64_t place;      /**< Of the block, from 1. Records with the same place are of one block. */
	uint64_t counter;    /**< When the block was written; MARK: when. */
	mprof_record record; /**< MARK: its name is the text, its value the thread. */
	uint64_t thread;     /**< Marks: whose. */
	char name[64];
	char section[64];
	char class_name[64]; /**< ROOTS: of the class. */
} recorded_record;

typedef struct recorded_log {
	uint8_t *bytes; /**< What the sink was given. */
	size_t length;
	size_t capacity;
	size_t fail_after;   /**< The sink refuses with ENOSPC what would pass this length; 0: never. */
	_Atomic int blocked; /**< While 1, the sink holds the writer thread up. */

	recorded_event *events;
	size_t event_count;
	size_t event_capacity;
	recorded_record *records;
	size_t record_count;
	size_t record_capacity;
	uint64_t class_count; /**< Names in the log. */
	uint64_t method_count;
	uint64_t lost[LOSS_CAUSE_COUNT];
	uint64_t losses_of_nobody; /**< Those told as of thread 0. */
	uint64_t blocks[64];       /**< By kind. */
	mprof_status status;       /**< How reading ended: MPROF_END or an error. */
	int complete;
	uint64_t valid_bytes;
} recorded_log;

/** A sink into the log's bytes. */
mprof_sink recorded_log_sink(recorded_log *log);

/** Opens a recorder into \p log; fails the test if it cannot. */
mprof_recorder *recorded_log_open(recorded_log *log, const mprof_recorder_options *options);

/** Reads all that the sink was given. */
void recorded_log_read(recorded_log *log);

void recorded_log_free(recorded_log *log);

/** Defines a method of a class, both by key; fails the test if it cannot. */
void define_method(mprof_recorder *recorder, mprof_key key, mprof_key class_key, const char *name);
void define_class(mprof_recorder *recorder, mprof_key key, const char *name);

/** A counter for the options that returns 1, 2, 3 and so on, from any thread. */
uint64_t counting_counter(void *user);

#endif
