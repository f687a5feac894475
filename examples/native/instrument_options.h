/* SPDX-License-Identifier: MIT */
/**
 * \file instrument_options.h
 * \brief Settings of a recording from the environment: the path of the log, and how it is written.
 */
#ifndef NATIVE_INSTRUMENT_OPTIONS_H
#define NATIVE_INSTRUMENT_OPTIONS_H

#include "shared/record_options.h"

#include <mprof/recorder.h>

#define INSTRUMENT_PATH_SIZE 4096

/**
 * Applies the options in \p words, which are separated by commas and may be NULL, that concern the writing of the log.
 * For options that \p reader, this module, does not understand, and for invalid values, the defaults hold.
 */
void instrument_options_read(const char *words, record_reader reader, mprof_writer_options *writer,
			     mprof_recorder_options *recorder);

/** Prints a line for each option that \p reader does not understand, and for each invalid value. */
void instrument_options_print_problems(const char *words, record_reader reader);

/** The value of an option that is a number or a size. 0 if it is missing or invalid. */
uint64_t instrument_options_number(const char *words, record_reader reader, const char *name);

/** Whether \p words contain this option, with or without a value. */
int instrument_options_has(const char *words, const char *name);

/**
 * Copies the value of an option word, truncated to \p size bytes including the final NUL.
 * Returns 0 if the option is missing or has none.
 */
int instrument_options_text(const char *words, const char *name, char *value, size_t size);

/**
 * Formats the path of the log: %p stands for the process ID (and a number, if the process wrote a log before), %% for a
 * percent sign. Without a pattern, the path is derived from the program's name. A relative path is made absolute with
 * the directory at the first call. Returns 0 if it is too long.
 */
int instrument_options_path(const char *pattern, char path[INSTRUMENT_PATH_SIZE]);

/**
 * The path of a further log of this process, which replaces no file: the process ID and a number are added where the
 * pattern does not contain the process ID. Returns 0 if it is too long.
 */
int instrument_options_next_path(const char *pattern, char path[INSTRUMENT_PATH_SIZE]);

#endif
