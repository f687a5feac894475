/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recorded_log.h
 * \brief Records into memory and reads everything back, for the tests of the recorder.
 */
#ifndef RECORDER_RECORDED_LOG_H
#define RECORDER_RECORDED_LOG_H

#include <mprof.h>

#include "format/events/event_kinds.h"

/** An event with its names in the log. */
typedef struct recorded_event {
	uint64_t thread;
	mprof_event event;
	char name[64];             /**< Of its method or class; "" if the kind has none, "#ID" if it is not defined. */
	char class_name[64];       /**< Of the class of its method. */
	mprof_event_detail detail; /**< All 0 if it has none. */
	char caller[64];           /**< Name of the allocating method; "" if none. */
	char stack[256];           /**< Call stack as "inner < outer"; unknown methods are "?", locations "native". */
} recorded_event;

/** A record of another block. */
typedef struct recorded_record {
	mprof_block_kind block;
	uint64_t position;   /**< Number of the block, from 1. Records of one block have the same number. */
	uint64_t counter;    /**< Time of the block; of a MARK block, that of the marker. */
	mprof_record record; /**< For a MARK block, the name is the text and the value the thread. */
	uint64_t thread;     /**< Thread of a marker. */
	char name[64];
	char section[64];
	char class_name[64]; /**< Class of a root area. */
} recorded_record;

typedef struct recorded_log {
	uint8_t *bytes; /**< Bytes that the sink received. */
	size_t length;
	size_t capacity;
	size_t fail_after;   /**< The sink returns ENOSPC for bytes past this length; 0 if it never does. */
	_Atomic int blocked; /**< While 1, the sink blocks the writer thread. */
	_Atomic int waits;   /**< 1: the sink has blocked it. */

	recorded_event *events;
	size_t event_count;
	size_t event_capacity;
	recorded_record *records;
	size_t record_count;
	size_t record_capacity;
	uint64_t class_count; /**< Classes defined in the log. */
	uint64_t method_count;
	uint64_t lost[LOSS_CAUSE_COUNT];
	uint64_t losses_of_nobody; /**< Losses that the log has for thread 0. */
	uint64_t blocks[64];       /**< Number of blocks by kind. */
	mprof_status status;       /**< MPROF_END, or the error that ended reading. */
	int complete;
	uint64_t valid_bytes;
} recorded_log;

/** A sink that appends to the bytes of the log. */
mprof_sink recorded_log_sink(recorded_log *log);

/** Opens a recorder that writes to \p log; fails the test if it cannot. */
mprof_recorder *recorded_log_open(recorded_log *log, const mprof_recorder_options *options);

/** Reads all bytes that the sink received. */
void recorded_log_read(recorded_log *log);

void recorded_log_free(recorded_log *log);

/** Defines a method of a class, both by key; fails the test if it cannot. */
void define_method(mprof_recorder *recorder, mprof_key key, mprof_key class_key, const char *name);
void define_class(mprof_recorder *recorder, mprof_key key, const char *name);

/** A counter for the options that returns 1, 2, 3 and so on, from any thread. */
uint64_t counting_counter(void *user);

#endif
