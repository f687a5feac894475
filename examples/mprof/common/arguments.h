/* SPDX-License-Identifier: MIT */
/**
 * \file common/arguments.h
 * \brief Parsing of command lines for the commands that read a log, and names that a mistyped one may stand for.
 */
#ifndef COMMON_ARGUMENTS_H
#define COMMON_ARGUMENTS_H

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/** Exit statuses of all commands; record returns that of the program it runs. */
enum {
	STATUS_OK = 0,             /**< Success. */
	STATUS_DAMAGED = 1,        /**< The log is incomplete or damaged; the readable part was printed. */
	STATUS_USAGE = 2,          /**< The command line is wrong. */
	STATUS_NOTHING = 3,        /**< Not a log, or nothing could be read. */
	STATUS_NOT_RUNNABLE = 126, /**< record: the program was found and could not be run. */
	STATUS_NOT_FOUND = 127     /**< record: the program was not found. */
};

typedef struct read_arguments {
	const char *file;
	const char *out; /**< Output file, for commands that convert a log. */
	int as_json;
} read_arguments;

/** Values of the options of all commands; those of a single command follow. An option with a letter has its code. */
enum { OPTION_HELP = 256, OPTION_VERSION, OPTION_JSON, OPTION_THREADS, OPTION_OWN };

/** Entries for --help and --version, to be placed first in a command's list. */
#define COMMON_OPTIONS                                                                                                 \
	{"help", no_argument, NULL, OPTION_HELP},                                                                      \
	{                                                                                                              \
		"version", no_argument, NULL, OPTION_VERSION                                                           \
	}

/** The entry of commands that read whole logs. The number applies to all logs that are opened later. */
#define THREADS_OPTION                                                                                                 \
	{                                                                                                              \
		"threads", required_argument, NULL, OPTION_THREADS                                                     \
	}

/** Applies an option of a single command; returns 0 after a message if its value is invalid. */
typedef int (*option_function)(void *user, int option, const char *value);

/**
 * Parses options before and after one FILE. Returns -1 to continue, or the exit status if there is nothing more to do:
 * help was printed, or the usage was wrong.
 */
int arguments_parse(read_arguments *arguments, int argc, char **argv, const struct option *options, const char *help,
		    option_function take, void *user);

/** Parses the arguments of a command that reads FILE and writes OUT. Returns the same as arguments_parse(). */
int arguments_parse_pair(read_arguments *arguments, int argc, char **argv, const struct option *options,
			 const char *help, option_function take, void *user);

/** Parses options before and after one or two files: FILE and then OUT, NULL if missing. As arguments_parse(). */
int arguments_parse_one_or_two(read_arguments *arguments, int argc, char **argv, const struct option *options,
			       const char *help, option_function take, void *user);

/**
 * Parses options before and after one or more files. \p first receives the index in \p argv of the first file; the
 * others follow. Returns the same as arguments_parse().
 */
int arguments_parse_files(int argc, char **argv, const struct option *options, const char *help, option_function take,
			  void *user, int *first);

/**
 * Parses options before and after at most one file. \p file receives it, or NULL. Returns the same as
 * arguments_parse().
 */
int arguments_parse_optional(int argc, char **argv, const struct option *options, const char *help,
			     option_function take, void *user, const char **file);

/** Parses the arguments of a command with --json and --threads only. Returns the same as arguments_parse(). */
int arguments_parse_simple(read_arguments *arguments, int argc, char **argv, const char *help);

/** Parses the arguments of a command that reads no FILE. Returns the same as arguments_parse(). */
int arguments_parse_none(int argc, char **argv, const struct option *options, const char *help);

/** Returns the number of threads that decode events by the latest --threads, or 1. */
uint32_t arguments_threads(void);

/** Parses an integer; returns 0 after a message if it is not a number from \p least to \p largest. */
int arguments_number(const char *option, const char *text, uint64_t least, uint64_t largest, uint64_t *number);

/**
 * Prints what is wrong with an option, and which option may have been meant. \p result is the return value of
 * getopt_long(). Returns the exit status.
 */
int arguments_refuse_option(int argc, char **argv, const struct option *options, int result);

/** Prints where the usage is explained, after the message about the error. Returns the exit status. */
int arguments_refuse(const char *command);

/*
 * The name most similar to a mistyped one.
 */

/** Only this many bytes of a name are compared. */
#define NEAREST_LENGTH 128

typedef struct nearest_name {
	char wanted[NEAREST_LENGTH + 1]; /**< The typed text in lower case, without wildcards. */
	size_t length;
	int is_start;  /**< The text ended with *: names are compared only up to its length. */
	char *found;   /**< The nearest name so far; NULL if none. */
	size_t misses; /**< Weighted distance of found. */
} nearest_name;

/** Starts a search for \p wanted. Call nearest_release() at the end. */
void nearest_init(nearest_name *nearest, const char *wanted);

/**
 * Offers a candidate. \p key is the text that is compared; \p name is copied to nearest_name.found if it is the
 * nearest.
 */
void nearest_offer(nearest_name *nearest, const char *key, const char *name);

/** Offers a candidate that is considered only if its edit distance is small. */
void nearest_offer_word(nearest_name *nearest, const char *key, const char *name);

void nearest_release(nearest_name *nearest);

#endif
