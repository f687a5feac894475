/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/messages.h
 * \brief What messages do on the writer thread.
 */
#ifndef RECORDER_MESSAGES_H
#define RECORDER_MESSAGES_H

#include "recorder/drain_state.h"

/**
 * Applies what threads have pushed so far. To be called between finding out what is to be drained and looking at its
 * keys: their definitions were pushed before.
 */
void messages_process(recorder_drain *drain);

#endif
