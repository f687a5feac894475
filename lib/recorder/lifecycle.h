/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/lifecycle.h
 * \brief Opening a recorder that writes to a ring.
 */
#ifndef RECORDER_LIFECYCLE_H
#define RECORDER_LIFECYCLE_H

#include <mprof/recorder.h>

/**
 * mprof_recorder_open_sink() with what a ring does not have left out: implicit leaves, compression, a limit.
 */
mprof_status lifecycle_open_ring(const mprof_sink *sink, const mprof_recorder_options *options,
				 mprof_recorder **recorder, mprof_error *error);

#endif
