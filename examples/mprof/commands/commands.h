/* SPDX-License-Identifier: MIT */
/**
 * \file commands/commands.h
 * \brief The commands of mprof: each is passed its arguments, starting with its name, and returns the exit status. And
 * the completion of command lines, and topics.
 */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

#include "common/arguments.h"

#include <stddef.h>

int command_check(int argc, char **argv);
int command_control(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_explore(int argc, char **argv);
int command_export(int argc, char **argv);
int command_flame(int argc, char **argv);
int command_follow(int argc, char **argv);
int command_handles(int argc, char **argv);
int command_heap(int argc, char **argv);
int command_import(int argc, char **argv);
int command_info(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_record(int argc, char **argv);
int command_recover(int argc, char **argv);
int command_report(int argc, char **argv);
int command_top(int argc, char **argv);

/*
 * commands/complete.c: what can follow on a command line, for the completion of all shells.
 */

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

/*
 * commands/topics.c: help pages about questions that a profile can answer.
 */

/** Prints the page of a topic. Returns 0 if there is no such topic. */
int topics_print(const char *name);

/** Prints the names of the topics, each on a line with what it is about. */
void topics_print_list(void);

/** Offers the names of the topics to a search. */
void topics_offer(nearest_name *nearest);

#endif
