/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/client/recorder_internal.h
 * \brief The recorder, divided by owner. Only functions that clients call use the whole struct; all others take the
 * part that their thread may access.
 */
#ifndef RECORDER_CLIENT_RECORDER_INTERNAL_H
#define RECORDER_CLIENT_RECORDER_INTERNAL_H

#include <mprof/recorder.h>

#include "recorder/queues/block_ring.h"
#include "recorder/drain/drain_state.h"
#include "recorder/tables/output.h"
#include "recorder/queues/shared.h"

#include <pthread.h>

/** Owner: the threads of the client that open, dump and close the recorder. */
typedef struct recorder_control {
	pthread_t writer_thread;   /**< Used by the thread that closes the recorder, to join it. */
	uint32_t file_mode;        /**< Permissions of files that the ring buffer is written to. Constant. */
	block_ring *ring;          /**< NULL if the log goes elsewhere. Constant; has a lock of its own. */
	pthread_mutex_t dump_lock; /**< Serializes calls of mprof_recorder_dump_path(). */
	int sink_is_taken;         /**< The writer closes the caller's sink. Constant after opening. */
} recorder_control;

struct mprof_recorder {
	recorder_shared shared;   /**< Any thread. */
	recorder_control control; /**< Threads that open, dump and close. */
	recorder_drain drain;     /**< The writer thread. */
	recorder_output output;   /**< The writer thread. */
};

#endif
