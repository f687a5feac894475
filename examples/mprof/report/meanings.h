/* SPDX-License-Identifier: MIT */
/**
 * \file report/meanings.h
 * \brief Events whose types have a meaning: messages, waits, and the generations of collections.
 */
#ifndef REPORT_MEANINGS_H
#define REPORT_MEANINGS_H

#include "report/view.h"

extern const report_view meanings_messages;
extern const report_view meanings_waits;
extern const report_view meanings_generations;
extern const report_view meanings_states;

#endif
