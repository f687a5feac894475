/* SPDX-License-Identifier: MIT */
/**
 * \file fuzz_command.h
 * \brief Runs the tool on inputs of which nothing is known but that it must end by itself.
 */
#ifndef FUZZ_FUZZ_COMMAND_H
#define FUZZ_FUZZ_COMMAND_H

/** The file that receives the messages of a command. */
#define FUZZ_MESSAGES "messages"

/** The tool's largest exit status. */
#define FUZZ_MAX_STATUS 3

/** The absolute path of the tool, from the environment variable MPROF. Prepares the environment of commands. */
const char *fuzz_command_tool(void);

/**
 * Runs a command, whose first argument is the path of the tool and whose last one is NULL, in the current directory.
 * Aborts if it does not end by itself, after a report of a sanitizer, or with a larger status than \p highest. Returns
 * its exit status.
 */
int fuzz_command_run(const char *const *arguments, int highest);

#endif
