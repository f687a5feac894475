/* SPDX-License-Identifier: MIT */
/**
 * \file record/options.h
 * \brief The options of mprof record that are passed on to the module, under the same names.
 */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/** The number of these options. */
size_t record_options_count(void);

/** Fills in a list for getopt_long(); each option returns \p value. */
void record_options_list(struct option *list, int value);

/** Checks the value of an option; it is NULL if none was given. Returns 0 after a message. */
int record_options_check(const char *name, const char *value);

/**
 * Whether all options in \p words, each after a comma, apply to native programs. If not, returns 0 after a message that
 * lists those that do not.
 */
int record_options_check_native(const char *words);

/** Prints which options apply only to Mono programs that \p program runs, if there are any. */
void record_options_explain_others(const char *words, const char *program);

/** Prints a line if one of the \p arguments of a program, which end with NULL, looks like an option of mprof record. */
void record_options_explain_arguments(char *const *arguments);

/** Whether the option is one of \p words. */
int record_options_has(const char *words, const char *name);

/** Whether native programs can be sampled as \p words request. If not, returns 0 after a message. */
int record_options_check_native_samples(const char *words);

/** Whether native programs can be sampled on this system. */
int record_options_can_sample_native(void);

/** Whether \p words select a kind of events to record, so that the default does not apply. */
int record_options_select_kind(const char *words);

/** Whether all options in \p words apply to programs that Mono runs. If not, returns 0 after a message. */
int record_options_check_mono(const char *words);

/** Removes all options with this name from \p words. */
void record_options_remove(char *words, const char *name);

/**
 * Checks combinations of options: \p words contains all of them, each after a comma, as passed to the module. Returns 0
 * after a message.
 */
int record_options_check_all(const char *words);

/**
 * Returns 0 after a message if a ring does not fit the memory of the control group, \p limit bytes: the kernel would
 * kill the program, and mprof when it completes the log.
 */
int record_options_check_ring(const char *words, uint64_t limit);

#endif
