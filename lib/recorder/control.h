/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/control.h
 * \brief Requests rounds of draining.
 */
#ifndef RECORDER_CONTROL_H
#define RECORDER_CONTROL_H

#include "recorder/shared.h"

/**
 * Requests a round of draining from the writer thread, as mprof_recorder_drain() does, and waits until it is complete.
 * \p request, unless it is NULL, is served at the end of the round. Any thread but the writer thread.
 */
mprof_status control_request_round(recorder_shared *shared, retire_request *request);

#endif
