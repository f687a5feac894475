/* SPDX-License-Identifier: MIT */
/**
 * \file instrument_options.h
 * \brief Settings of a recording from the environment: where the log goes, and how it is written.
 */
#ifndef INSTRUMENT_OPTIONS_H
#define INSTRUMENT_OPTIONS_H

#include <mprof/recorder.h>

#define INSTRUMENT_PATH_SIZE 4096

/** Sets what the words, which may be NULL, ask for; those that are not about how the log is written are left alone. */
void instrument_options_read(const char *words, mprof_writer_options *writer, mprof_recorder_options *recorder);

/**
 * The name of the log: %p stands for the process (and a number, if the process wrote a log before), %% for a percent
 * sign. Without a pattern it is that of the program. Returns 0 if it is too long.
 */
int instrument_options_path(const char *pattern, char path[INSTRUMENT_PATH_SIZE]);

#endif
