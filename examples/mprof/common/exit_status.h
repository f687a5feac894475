/* SPDX-License-Identifier: MIT */
/**
 * \file common/exit_status.h
 * \brief The exit statuses of mprof.
 */
#ifndef EXIT_STATUS_H
#define EXIT_STATUS_H

/** Exit statuses of all commands; record returns that of the program it runs. */
enum {
	STATUS_OK = 0,             /**< Success. */
	STATUS_DAMAGED = 1,        /**< The log is incomplete or damaged; the readable part was printed. */
	STATUS_USAGE = 2,          /**< The command line is wrong. */
	STATUS_NOTHING = 3,        /**< Not a log, or nothing could be read. */
	STATUS_NOT_RUNNABLE = 126, /**< record: the program was found and could not be run. */
	STATUS_NOT_FOUND = 127     /**< record: the program was not found. */
};

#endif
