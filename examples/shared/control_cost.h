/* SPDX-License-Identifier: MIT */
/**
 * \file control_cost.h
 * \brief The answer to the command "cost": totals of what recording has cost so far. A client subtracts two of them.
 */
#ifndef CONTROL_COST_H
#define CONTROL_COST_H

#include "control_reply.h"

/**
 * Adds lines: time_ns (monotonic), events, bytes, lost_events, waits, cpu_ns of the process, and writer_cpu_ns of the
 * thread that writes the log, where the system provides it.
 */
void control_cost_add(command_reply *reply, mprof_recorder *recorder);

#endif
