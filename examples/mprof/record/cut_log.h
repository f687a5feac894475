/* SPDX-License-Identifier: MIT */
/**
 * \file record/cut_log.h
 * \brief Finds out whether a log could not be written whole.
 */
#ifndef RECORD_CUT_LOG_H
#define RECORD_CUT_LOG_H

/** Whether a log states that the system refused to write all of it. Reads no events. */
int cut_log_is(const char *path);

#endif
