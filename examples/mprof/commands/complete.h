/* SPDX-License-Identifier: MIT */
/**
 * \file commands/complete.h
 * \brief What can follow on a command line, for the completion of all shells.
 */
#ifndef COMMANDS_COMPLETE_H
#define COMMANDS_COMPLETE_H

#include <stddef.h>

/** A command of mprof. */
typedef struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} command;

/**
 * Prints what can stand in place of the last argument, each on a line with a tab and its description: options of the
 * commands, their values, topics. A line that begins with a colon stands for what the shell itself completes: ":files",
 * ":logs", ":processes", or ":program N", the command line from argument N on.
 */
int complete_command_line(const command *commands, size_t count, int argc, char **argv);

#endif
