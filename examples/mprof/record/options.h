/* SPDX-License-Identifier: MIT */
/**
 * \file record/options.h
 * \brief The options of mprof record that are passed on to the module, under the same names.
 */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include <getopt.h>
#include <stddef.h>

/** How many there are. */
size_t record_options_count(void);

/** Puts them into a list for getopt_long(); each yields \p value. */
void record_options_list(struct option *list, int value);

/** Checks the value given to one of them, NULL if none was. Returns 0 after a message. */
int record_options_check(const char *name, const char *value);

/**
 * Checks what is wrong only together: \p words is all of them, each with a comma before it, as the module gets them.
 * Returns 0 after a message.
 */
int record_options_check_all(const char *words);

#endif
