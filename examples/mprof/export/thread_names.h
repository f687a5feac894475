/* SPDX-License-Identifier: MIT */
/**
 * \file export/thread_names.h
 * \brief Names of threads for viewers that show only a name.
 */
#ifndef EXPORT_THREAD_NAMES_H
#define EXPORT_THREAD_NAMES_H

#include "report/report.h"

#define THREAD_NAME_SIZE 512

/** Formats "NAME (0xID)", or "Thread 0xID" for a thread without a name. */
void thread_name_get(const log_report *report, uint64_t thread, char name[THREAD_NAME_SIZE]);

#endif
