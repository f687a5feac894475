/* SPDX-License-Identifier: MIT */
/**
 * \file options_parse.h
 * \brief Parses the options of the module.
 */
#ifndef OPTIONS_PARSE_H
#define OPTIONS_PARSE_H

#include "options.h"

/**
 * Parses the text that the runtime passes, including the module's name. Returns 1; 0 with a line of text in \p message
 * if an option is invalid. Release the options in both cases.
 */
int options_parse(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE]);

#endif
