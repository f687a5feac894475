/* SPDX-License-Identifier: MIT */
/**
 * \file export/span_walk.h
 * \brief Follows the spans that a program describes, in the order of their ends, for formats with single events.
 *
 * Formats draw spans in lanes, in which they must nest. Those of a call stack do, apart from spans that are recorded as
 * a whole and overlap others: these are in further lanes of the stack. Memory depends on the number of open spans.
 */
#ifndef EXPORT_SPAN_WALK_H
#define EXPORT_SPAN_WALK_H

#include "common/typed.h"
#include "export/walk_state.h"

void span_walk_init(span_walk *walk);

/** Adds an event that the program describes. */
void span_walk_add(event_walk *walk, walk_thread *thread, const mprof_event *event);

/** The open spans of a call stack end in a way that is not known, at the time of the thread. */
void span_walk_abandon(event_walk *walk, const walk_thread *thread, walk_stack *stack);

/** Passes on the spans that are open at the end of the log: those of a call stack, and all others. */
void span_walk_finish_stack(event_walk *walk, const walk_thread *thread, walk_stack *stack);
void span_walk_finish(event_walk *walk);

/** As typed_next(), without the duration of the span; other durations are in nanoseconds. */
int span_walk_next_argument(const event_walk *walk, typed_arguments *arguments, typed_argument *argument);

/** Whether the log has arguments that are the parent or the cause of a span. */
int span_walk_has_links(const mprof_reader *reader);

/** Notes the number of an event, its parent and its causes. */
void span_walk_note(event_walk *walk, uint64_t thread, const mprof_event *event);

/** Whether the log has exactly one span with a number. */
int span_walk_has_number(const event_walk *walk, uint64_t number);

/**
 * Visits the identifiers of the links that lead from a span to those of which it is the parent or the cause: none if
 * its number is that of several spans.
 */
void span_walk_links_from(const event_walk *walk, uint64_t number, void (*visit)(void *user, uint64_t link),
			  void *user);

/**
 * The identifier of the link to an event from the span that an argument of it names; 0 if it names none. If the log
 * does not have that span alone, this is counted.
 */
uint64_t span_walk_link_to(event_walk *walk, uint64_t thread, const mprof_event *event, const typed_argument *argument);

/** The severities of messages: trace and fatal. */
enum { WALK_MIN_SEVERITY = 1, WALK_MAX_SEVERITY = 6 };

/** What an argument of a message states (doc/format.md, 4.11). */
typedef enum walk_message_part {
	WALK_MESSAGE_OTHER,
	WALK_MESSAGE_SEVERITY,
	WALK_MESSAGE_SOURCE,
	WALK_MESSAGE_TEXT
} walk_message_part;

/** Whether an event is a message that the program wrote. */
int span_walk_is_message(const event_walk *walk, const mprof_event *event);

/** Which part an argument of a message is. */
walk_message_part span_walk_message_part(const typed_argument *argument);

void span_walk_release_stack(walk_spans *spans);

#endif
