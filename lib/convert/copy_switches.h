/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_switches.h
 * \brief Replaces switches between call stacks in a copy whose dialect has none.
 */
#ifndef CONVERT_COPY_SWITCHES_H
#define CONVERT_COPY_SWITCHES_H

#include "convert/converter_internal.h"

/**
 * Follows a switch between stacks, the end of one, a start of a thread or a gap in its recording, for dialects without
 * such events: leaves the calls that are open on the stack that the thread leaves, and enters those on the other one
 * again, so that times are right. The writer counts the event itself as left out. Events are written at once;
 * \p event is the current one.
 */
mprof_status copy_switch(mprof_converter *converter, thread_state *thread, const mprof_event *event);

/** Releases the stacks that are not a thread's own. */
void switches_release(mprof_converter *converter);

#endif
