/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/descriptor.h
 * \brief Keeps the descriptors of a profiler out of the way of the program that it records.
 *
 * Not stable before version 1.0: a program that accepts that defines MPROF_UNSTABLE before it includes the header.
 */
#ifndef MPROF_DESCRIPTOR_H
#define MPROF_DESCRIPTOR_H

#ifndef MPROF_UNSTABLE
#error "mprof/descriptor.h is not stable before 1.0: define MPROF_UNSTABLE to use it, and expect it to change"
#endif

#include <mprof/api.h>

MPROF_BEGIN_DECLS

/**
 * \brief Moves a file descriptor, such as the socket of a client of the recorder, to a high number, closed by exec.
 *
 * A program may rely on the lowest numbers being free, and may need all numbers that its limit allows
 * (\c RLIMIT_NOFILE). If that limit is 1024 or lower, the new number is above it, for which the limit is raised by 64
 * for the length of a system call. The descriptors of recorders are moved in the same way. Moved at the same time as
 * another one, a descriptor gets one of the last 64 numbers below the limit instead. Has no effect on Windows.
 *
 * Thread-safe. Keeps errno. Must not be called in a signal handler.
 * \param fd The descriptor; it is closed if it is moved. A negative number is returned as it is, so that the result of
 * \c open() or \c socket() can be passed.
 * \return The new number; \p fd if it could not be moved.
 * \since 0.1
 */
MPROF_API int mprof_descriptor_move(int fd);

MPROF_END_DECLS

#endif
