/* SPDX-License-Identifier: MIT */
/**
 * \file format/example_logs.h
 * \brief Writes the logs of the worked examples in doc/format.md, section 6.
 */
#ifndef FORMAT_EXAMPLE_LOGS_H
#define FORMAT_EXAMPLE_LOGS_H

#include <mprof/writer.h>

/** The clock of the examples: it advances one microsecond per call. \p user is the number of calls, a uint64_t. */
void example_logs_read_clock(void *user, mprof_clock *clock);

void example_logs_write_mail(mprof_writer *writer);
void example_logs_write_mprof2(mprof_writer *writer);
void example_logs_write_heap(mprof_writer *writer);
void example_logs_write_memory(mprof_writer *writer);
void example_logs_write_switches(mprof_writer *writer);
void example_logs_write_exceptions(mprof_writer *writer);
void example_logs_write_fields(mprof_writer *writer);
void example_logs_write_code(mprof_writer *writer);
void example_logs_write_holders(mprof_writer *writer);
void example_logs_write_types(mprof_writer *writer);
void example_logs_write_application(mprof_writer *writer);
void example_logs_write_timelines(mprof_writer *writer);
void example_logs_write_kinds(mprof_writer *writer);
void example_logs_write_sized_metrics(mprof_writer *writer);
void example_logs_write_processes(mprof_writer *writer);
void example_logs_write_objects(mprof_writer *writer);
void example_logs_write_positions(mprof_writer *writer);
void example_logs_write_code_ranges(mprof_writer *writer);
void example_logs_write_reachability(mprof_writer *writer);
void example_logs_write_heap_notes(mprof_writer *writer);
void example_logs_write_columns(mprof_writer *writer);
void example_logs_write_typed_columns(mprof_writer *writer);
void example_logs_write_compressed(mprof_writer *writer);
void example_logs_write_index(mprof_writer *writer);

#endif
