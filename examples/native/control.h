/* SPDX-License-Identifier: MIT */
/**
 * \file native/control.h
 * \brief The thread that receives commands of "mprof control" in a native program:
 *
 *   enable, disable, flush, status, cost, sample HZ|on|off, calls on|off|PATTERN, mark TEXT
 */
#ifndef NATIVE_CONTROL_H
#define NATIVE_CONTROL_H

#include <mprof/recorder.h>

/** The recording that is controlled. Constant while the thread runs. */
typedef struct controlled_recording {
	mprof_recorder *recorder;
	const char *log_path;
	uint64_t ring_bytes; /**< 0 without a ring buffer. */
	uint32_t ring_gzip;
	int has_calls;              /**< Calls are recorded, perhaps only since a command. */
	int may_add_calls;          /**< A command can record calls that were not recorded from the start. */
	void (*begin_thread)(void); /**< Called first on the thread, so that it is not recorded. */
} controlled_recording;

/** Starts the thread. \p path: the path of the socket, NULL for the default. Prints a message on failure. */
void native_control_start(const controlled_recording *recording, const char *path);

/** Removes the socket. The thread ends later; the recorder must not be freed. */
void native_control_stop(void);

/** Closes the inherited descriptors. Call it in a child of fork(), which does not have the thread. */
void native_control_forget(void);

#endif
