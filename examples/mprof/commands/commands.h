/* SPDX-License-Identifier: MIT */
/**
 * \file commands/commands.h
 * \brief The commands of mprof. Each is passed its arguments, starting with its name, and returns the exit status.
 */
#ifndef COMMANDS_H
#define COMMANDS_H

/** Exit statuses of all commands; record returns that of the program it runs. */
enum {
	STATUS_OK = 0,             /**< Success. */
	STATUS_DAMAGED = 1,        /**< The log is incomplete or damaged; the readable part was printed. */
	STATUS_USAGE = 2,          /**< The command line is wrong. */
	STATUS_NOTHING = 3,        /**< Not a log, or nothing could be read. */
	STATUS_NOT_RUNNABLE = 126, /**< record: the program was found and could not be run. */
	STATUS_NOT_FOUND = 127     /**< record: the program was not found. */
};

int command_check(int argc, char **argv);
int command_control(int argc, char **argv);
int command_convert(int argc, char **argv);
int command_decode(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_info(int argc, char **argv);
int command_record(int argc, char **argv);
int command_report(int argc, char **argv);

#endif
