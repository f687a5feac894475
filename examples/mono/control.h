/* SPDX-License-Identifier: MIT */
/**
 * \file control.h
 * \brief Lets others control the recording while the program runs: by sockets, signals, and calls of the program.
 *
 * One thread serves all sockets and signals. It is not one of the runtime's, blocks all signals, and nobody waits for
 * its end. A program that nobody controls pays for it with that thread, which sleeps, and two descriptors.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "module.h"

/**
 * Begins to listen, as the options say. What cannot be done is said on stderr; the program is recorded all the same.
 */
void control_start(MonoProfiler *profiler);

/** The runtime can be used from here on. To be called while no other thread can begin a collection. */
void control_runtime_is_ready(void);

/** Ends it, before the log is closed. Nobody comes any more; the thread may still be busy with a last command. */
void control_stop(void);

#endif
