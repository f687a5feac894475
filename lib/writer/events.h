/* SPDX-License-Identifier: MIT */
/**
 * \file writer/events.h
 * \brief Writes EVENTS blocks: events in rows or columns, with the stack sections before them.
 */
#ifndef WRITER_EVENTS_H
#define WRITER_EVENTS_H

#include <mprof/writer.h>

/** The state that EVENTS blocks need from one to the next. */
void writer_events_init(mprof_writer *writer);
void writer_events_destroy(mprof_writer *writer);

#endif
