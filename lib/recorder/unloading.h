/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/unloading.h
 * \brief Keys that come to mean nothing, once all that was recorded about them is in the log.
 */
#ifndef RECORDER_UNLOADING_H
#define RECORDER_UNLOADING_H

#include <mprof/recorder.h>

/** What a thread that waits in mprof_recorder_retire_keys() asks for. Lies on its stack. */
typedef struct unloading {
	struct unloading *next;
	const mprof_key_range *ranges; /**< Sorted, without a key in common. */
	size_t count;
	uint64_t request; /**< The round that is to serve it. */
} unloading;

/** Retires the keys of all that a round has served. Writer thread, at the end of the round. */
void unloading_retire_keys(mprof_recorder *recorder, uint64_t served);

#endif
