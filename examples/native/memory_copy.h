/* SPDX-License-Identifier: MIT */
/**
 * \file native/memory_copy.h
 * \brief Leaves a copy of the memory of a process that ends, for "mprof record --leaks": shared/memory_copy.h.
 */
#ifndef NATIVE_MEMORY_COPY_H
#define NATIVE_MEMORY_COPY_H

/** Notes what the program has not changed yet. Called before main(), if copies are wanted. */
void memory_copy_prepare(void);

/**
 * Creates a process with a copy of the memory of this one, on the thread that ends it, and reports it and the path of
 * the complete log. The new process has no descriptors, is in a session of its own, ignores all signals but SIGKILL,
 * and ends when the pipe at \p pipe_path is gone, at the latest after five minutes. It is not a child of this process
 * any more when the function returns. Does nothing if there is no pipe.
 */
void memory_copy_make(const char *pipe_path, const char *log_path);

#endif
