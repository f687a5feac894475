/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/control.h
 * \brief Rounds of draining on demand.
 */
#ifndef RECORDER_CONTROL_H
#define RECORDER_CONTROL_H

#include "recorder/shared.h"

/**
 * Has the writer thread do a round as mprof_recorder_drain() does, and waits for its end. \p request, unless it is
 * NULL, is served at the end of the round. Any thread but the writer thread.
 */
mprof_status control_request_round(recorder_shared *shared, retire_request *request);

#endif
