/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/drain/messages.h
 * \brief Applies messages on the writer thread.
 */
#ifndef RECORDER_DRAIN_MESSAGES_H
#define RECORDER_DRAIN_MESSAGES_H

#include "recorder/drain/drain_state.h"

/**
 * Applies what threads have pushed so far. Call it after determining what to drain and before looking up its keys:
 * their definitions were pushed before the slots were published.
 */
void messages_process(recorder_drain *drain);

#endif
