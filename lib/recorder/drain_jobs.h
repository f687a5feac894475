/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain_jobs.h
 * \brief The state of the threads that convert full buffers: see recorder/drain_threads.h.
 */
#ifndef RECORDER_DRAIN_JOBS_H
#define RECORDER_DRAIN_JOBS_H

#include "recorder/open_block.h"
#include "recorder/shared.h"

#include <pthread.h>

struct recorder_drain;

/** The block of a recording thread in a round. */
typedef struct drain_job {
	open_block block;
	struct mprof_thread *thread; /**< NULL: the job is free. */
	uint32_t slots;              /**< Slots that were converted last. */
	int is_slow;                 /**< The next slot is for the writer thread. */
	struct drain_job *next;      /**< In the list that it is in. */
} drain_job;

typedef struct drain_threads {
	/* Constant while the writer thread runs. */
	uint32_t wanted; /**< From the options. */
	uint32_t count;  /**< Threads that run. With less than two, the writer thread converts all buffers. */
	uint32_t job_count;
	drain_job *jobs;
	pthread_t handles[MAX_DRAIN_THREADS];
	const struct recorder_drain *drain;

	/**
	 * Guards what follows. The thread that takes a job from a list owns it, its block, and the drain part of its
	 * recording thread, until it adds the job to another list. The lock makes all changes visible to the next
	 * owner.
	 */
	pthread_mutex_t lock;
	pthread_cond_t work; /**< Signalled when a job waits, and at the end. */
	pthread_cond_t done; /**< Signalled when a job is finished. */
	drain_job *waiting;
	drain_job *finished;
	int is_ending;
} drain_threads;

#endif
