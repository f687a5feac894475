/* SPDX-License-Identifier: MIT */
/**
 * \file options_classic.h
 * \brief Parses the options of the profiler "logging" of Mono 2.
 */
#ifndef OPTIONS_CLASSIC_H
#define OPTIONS_CLASSIC_H

#include "options.h"

/**
 * Parses the options of a module loaded as "logging", which are those of the profiler of that name in Mono 2. Like that
 * profiler, it prints options that it does not understand on stderr and ignores them, so it fails only if out of
 * memory.
 */
int options_parse_classic(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE]);

#endif
