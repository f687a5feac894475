/* SPDX-License-Identifier: MIT */
/**
 * \file report/event_tables.h
 * \brief Tables of events that the program describes: single spans, types of events, and types that have a meaning.
 */
#ifndef REPORT_EVENT_TABLES_H
#define REPORT_EVENT_TABLES_H

#include "report/view.h"

extern const report_view tables_spans;
extern const report_view tables_longest_spans;
extern const report_view tables_event_types; /**< Without spans. */

extern const report_view meanings_messages;
extern const report_view meanings_waits;
extern const report_view meanings_generations;
extern const report_view meanings_states;

#endif
