/* SPDX-License-Identifier: MIT */
/**
 * \file common/terminal.h
 * \brief Fits text output to a terminal: the width of names, colour, and a pager.
 */
#ifndef COMMON_TERMINAL_H
#define COMMON_TERMINAL_H

typedef enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_mode;

typedef struct terminal_options {
	color_mode color;
	int full_names;
	int limits_width; /**< Names are shortened although standard output is no terminal. */
	int no_pager;
} terminal_options;

/** Parses the value of --color; returns 0 after a message if it is invalid. */
int terminal_parse_color(terminal_options *options, const char *value);

/**
 * Begins the text output of a command. If standard output is a terminal, colour is requested or the width of lines is
 * limited, text is collected in a temporary file until terminal_end().
 */
void terminal_begin(const terminal_options *options);

/** Prints the collected text, in a pager if it is for a terminal. Does nothing if none was collected. */
void terminal_end(void);

#endif
