/* SPDX-License-Identifier: MIT */
/**
 * \file native/control.h
 * \brief The thread that receives commands of "mprof control" in a native program:
 *
 *   enable, disable, flush, status, cost, mark TEXT
 */
#ifndef NATIVE_CONTROL_H
#define NATIVE_CONTROL_H

#include <mprof/recorder.h>

/** What is controlled. Constant while the thread runs. */
typedef struct controlled_recording {
	mprof_recorder *recorder;
	const char *log_path;
	uint64_t ring_bytes; /**< 0 without a ring buffer. */
	uint32_t ring_gzip;
	void (*begin_thread)(void); /**< Called first on the thread, so that it is not recorded. */
} controlled_recording;

/** Starts the thread. \p path: that of the socket, NULL for the usual one. Prints a message on failure. */
void native_control_start(const controlled_recording *recording, const char *path);

/** Removes the socket. The thread ends later; the recorder must not be freed. */
void native_control_stop(void);

/** In a child of fork(), which has no such thread: closes what it inherited. */
void native_control_forget(void);

#endif
