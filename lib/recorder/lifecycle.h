/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/lifecycle.h
 * \brief Opening a recorder with any destination.
 */
#ifndef RECORDER_LIFECYCLE_H
#define RECORDER_LIFECYCLE_H

#include <mprof/recorder.h>

#include "recorder/block_ring.h"
#include "recorder/salvage.h"

/** Where a log goes: one of the first three. */
typedef struct recorder_destination {
	const char *path;
	int fd;
	const mprof_sink *sink;
	block_ring *
		ring; /**< What the sink adds to, if it is one: blocks are evicted, so leaves must not depend on them. */
	const salvage_header
		*resumed; /**< NULL: a new log. Else one continues what the process left, with no thread. */
} recorder_destination;

/** As mprof_recorder_open_path(). Without implicit leaves, compression and a limit if it is a ring. */
mprof_status lifecycle_open(const recorder_destination *where, const mprof_recorder_options *options,
			    mprof_recorder **recorder, mprof_error *error);

#endif
