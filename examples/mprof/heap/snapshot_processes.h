/* SPDX-License-Identifier: MIT */
/**
 * \file heap/snapshot_processes.h
 * \brief The processes whose heap snapshots a log has.
 */
#ifndef HEAP_SNAPSHOT_PROCESSES_H
#define HEAP_SNAPSHOT_PROCESSES_H

#include <stddef.h>

/** Returns the number of processes with heap snapshots, or 2 if there are more. 0 if the log states none. */
size_t snapshot_processes_count(const char *path);

/** Prints of which processes the snapshots of a log are, if there are several: a line for each snapshot. */
void snapshot_processes_explain(const char *path);

#endif
