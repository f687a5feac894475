/* SPDX-License-Identifier: MIT */
/**
 * \file options_help.h
 * \brief The help text of the module.
 */
#ifndef OPTIONS_HELP_H
#define OPTIONS_HELP_H

#include <stdio.h>

/** Prints all options, one per line. */
void options_print_help(FILE *out);

#endif
