/* SPDX-License-Identifier: MIT */
/**
 * \file control.h
 * \brief Control of the recording while the program runs: by sockets, by signals, and by calls from the program.
 *
 * One thread serves all sockets and signals. It is not attached to the runtime at first, blocks all signals, and is
 * never joined. For a program that is not controlled, the cost is this sleeping thread and two descriptors.
 */
#ifndef MONO_CONTROL_H
#define MONO_CONTROL_H

#include "profiler.h"
#include "shared/control_wake.h"

/** Starts to listen as the options specify. Failures are printed on stderr; the program is recorded nevertheless. */
void control_start(MonoProfiler *profiler);

/** Reports that the runtime can be used from now on. Call it while no other thread can begin a collection. */
void control_runtime_is_ready(void);

/**
 * Stops control before the log is closed. No further client can connect; the thread may still execute a last command.
 */
void control_stop(void);

#endif
