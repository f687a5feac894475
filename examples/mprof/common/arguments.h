/* SPDX-License-Identifier: MIT */
/**
 * \file common/arguments.h
 * \brief What the commands that read a log have in common on their command lines.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <getopt.h>
#include <stdint.h>

typedef struct read_arguments {
	const char *file;
	const char *out; /**< Of commands that write a log from another one. */
	int as_json;
} read_arguments;

/** Values of the options that all commands know; those of a command's own follow. */
enum { OPTION_HELP = 256, OPTION_VERSION, OPTION_JSON, OPTION_OWN };

/** Those options, to stand first in a command's list. */
#define COMMON_OPTIONS                                                                                                 \
	{"help", no_argument, NULL, OPTION_HELP},                                                                      \
	{                                                                                                              \
		"version", no_argument, NULL, OPTION_VERSION                                                           \
	}

/** Takes a command's own option; returns 0 after a message if its value is wrong. */
typedef int (*option_function)(void *user, int option, const char *value);

/**
 * Parses options before and after one FILE. Returns -1 to go on, or the exit status if there is nothing more to do:
 * help was printed, or the usage was wrong.
 */
int arguments_parse(read_arguments *arguments, int argc, char **argv, const struct option *options, const char *help,
		    option_function take, void *user);

/** The same for a command that reads one FILE and writes another one. */
int arguments_parse_pair(read_arguments *arguments, int argc, char **argv, const struct option *options,
			 const char *help, option_function take, void *user);

/** The same for a command whose only option is --json. */
int arguments_parse_simple(read_arguments *arguments, int argc, char **argv, const char *help);

/** The same for a command that reads no FILE. */
int arguments_parse_none(int argc, char **argv, const struct option *options, const char *help);

/** Reads a whole number; returns 0 after a message if it is none from \p least to \p largest. */
int arguments_number(const char *option, const char *text, uint64_t least, uint64_t largest, uint64_t *number);

/**
 * Says what getopt_long() found wrong with an option, and which one may have been meant. \p result is what it returned.
 * Returns the exit status.
 */
int arguments_refuse_option(int argc, char **argv, const struct option *options, int result);

/** "mprof COMMAND: wrong usage": what getopt_long() found is printed already. Returns the exit status. */
int arguments_refuse(const char *command);

#endif
