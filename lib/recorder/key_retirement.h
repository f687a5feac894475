/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/key_retirement.h
 * \brief Retires keys once everything recorded about them is in the log. Writer thread.
 */
#ifndef RECORDER_KEY_RETIREMENT_H
#define RECORDER_KEY_RETIREMENT_H

#include "recorder/drain_state.h"

/**
 * Retires the keys of all requests that a round has served. Call it at the end of the round, before it is declared
 * complete.
 */
void key_retirement_serve(recorder_drain *drain, uint64_t served);

#endif
