/* SPDX-License-Identifier: MIT */
/**
 * \file instrument_options.h
 * \brief What the environment says about the recording: MPROF_INSTRUMENT_OUTPUT and MPROF_INSTRUMENT_OPTIONS.
 */
#ifndef INSTRUMENT_OPTIONS_H
#define INSTRUMENT_OPTIONS_H

#include <mprof/recorder.h>

#define INSTRUMENT_PATH_SIZE 4096

/** Sets what the words ask for; those that are not about how the log is written are left alone. */
void instrument_options_read(mprof_writer_options *writer, mprof_recorder_options *recorder);

/**
 * The name of the log: %p stands for the process (and a number, if the process wrote a log before), %% for a percent
 * sign. Returns 0 if it is too long.
 */
int instrument_options_path(char path[INSTRUMENT_PATH_SIZE]);

#endif
