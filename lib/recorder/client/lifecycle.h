/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/client/lifecycle.h
 * \brief Opens recorders with any destination.
 */
#ifndef RECORDER_CLIENT_LIFECYCLE_H
#define RECORDER_CLIENT_LIFECYCLE_H

#include <mprof/recorder.h>

#include "recorder/drain/drain_state.h"
#include "recorder/queues/block_ring.h"
#include "recorder/queues/salvage.h"

#include <pthread.h>

/** The destination of a log: one of the first three. */
typedef struct recorder_destination {
	const char *path;
	int fd;
	const mprof_sink *sink;
	block_ring *ring; /**< The ring that the sink adds to, or NULL. Events must not depend on evicted ones. */
	const salvage_header *resumed; /**< An ended process whose log is continued; NULL: a new log. */
} recorder_destination;

/**
 * Opens a recorder as mprof_recorder_open_path() does. For a ring, implicit leaves, compression and the size limit are
 * not used.
 */
mprof_status lifecycle_open(const recorder_destination *where, const mprof_recorder_options *options,
			    mprof_recorder **recorder, mprof_error *error);

#endif
