/* SPDX-License-Identifier: MIT */
/**
 * \file native/control.h
 * \brief The thread that receives commands of "mprof control" in a native program:
 *
 *   enable, disable, flush, status, cost, mark TEXT
 *
 * and those of the module that records it.
 */
#ifndef NATIVE_CONTROL_H
#define NATIVE_CONTROL_H

#include "shared/control_reply.h"

#include <mprof/recorder.h>

/** What a module adds to the commands. The functions are called on the control thread. */
typedef struct control_module {
	void (*begin_thread)(void);               /**< Called first on the thread, so that it is not recorded. */
	void (*set_enabled)(int is_enabled);      /**< What is to be done apart from the recorder; NULL for nothing. */
	const char *(*kinds)(void);               /**< What is recorded, for people. */
	void (*add_status)(command_reply *reply); /**< Adds lines to the answer of status; NULL for none. */
	/** Runs a command of the module; NULL if it has none. Returns 0 if \p line is not one. */
	int (*run)(const char *line, command_reply *reply, const char **failure);
	const char *commands; /**< Their names, each with a comma and a blank before it. */
} control_module;

/** The recording that is controlled. Constant while the thread runs. */
typedef struct controlled_recording {
	mprof_recorder *recorder;
	const char *log_path;
	uint64_t ring_bytes; /**< 0 without a ring buffer. */
	uint32_t ring_gzip;
	const control_module *module;
} controlled_recording;

/** Writes a marker: without it, a reader could not explain why the rate or the kinds of events change. */
const char *native_control_mark(const char *what, const char *value);

/** Starts the thread. \p path: the path of the socket, NULL for the default. Prints a message on failure. */
void native_control_start(const controlled_recording *recording, const char *path);

/** Removes the socket. The thread ends later; the recorder must not be freed. */
void native_control_stop(void);

/** Closes the inherited descriptors. Call it in a child of fork(), which does not have the thread. */
void native_control_forget(void);

#endif
