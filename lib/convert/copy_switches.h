/* SPDX-License-Identifier: MIT */
/**
 * \file convert/copy_switches.h
 * \brief Replaces switches between call stacks in a copy whose dialect has none.
 */
#ifndef CONVERT_COPY_SWITCHES_H
#define CONVERT_COPY_SWITCHES_H

#include "convert/converter_internal.h"

/**
 * Follows an event that changes the stack of a thread: a switch, the end of a stack, the start or end of the thread, or
 * a gap in its recording. For a switch, it writes leaves of the calls that are open on the old stack and enters of
 * those on the new one, so that times are right. The caller writes \p event itself, which the writer counts as left out
 * if the dialect does not have it.
 */
mprof_status copy_switch(mprof_converter *converter, thread_state *thread, const mprof_event *event);

/** Releases the stacks that are not a thread's own. */
void switches_release(mprof_converter *converter);

#endif
