/* SPDX-License-Identifier: MIT */
/**
 * \file shared/memory_copy.h
 * \brief What a recorded process that ends leaves for "mprof record --leaks": a process with a copy of its memory.
 *
 * The module sends a message through a pipe of mprof record, which it opens by its path below /proc, so nothing
 * remains when either of them is killed. mprof record reads the copy through /proc/PID/mem, starting from the notes
 * whose address is in the message. Both are of the same build, and programs of another word size are not recorded.
 */
#ifndef SHARED_MEMORY_COPY_H
#define SHARED_MEMORY_COPY_H

#include <stdint.h>

/** Size of the path of the pipe. */
#define MEMORY_COPY_PATH_SIZE 64

/** Size of the path of a log. */
#define MEMORY_COPY_LOG_SIZE 4096

/** Why there is no copy. */
typedef enum memory_copy_problem {
	MEMORY_COPY_OK,
	MEMORY_COPY_REFUSED,   /**< The system refused: error is its reason. */
	MEMORY_COPY_RESTRICTED /**< The program restricts its system calls: one more could end it. */
} memory_copy_problem;

/** A message, which the pipe passes on as a whole. */
typedef struct memory_copy_message {
	int64_t process; /**< The process that ends. */
	int64_t copy;    /**< The process with the copy; 0 if there is none. */
	uint64_t notes;  /**< Address of the memory_copy_notes in the copy. */
	int32_t problem; /**< A #memory_copy_problem. */
	int32_t error;   /**< An errno value. */
} memory_copy_message;

/** A thread of the program that existed when the copy was made; not those of the recorder. */
typedef struct memory_copy_thread {
	uint64_t id;    /**< Its system ID. */
	uint64_t stack; /**< Its stack pointer; 0 if not known, since it ran. */
} memory_copy_thread;

/** Memory of the recorder. */
typedef struct memory_copy_range {
	uint64_t start;
	uint64_t size;
} memory_copy_range;

#define MEMORY_COPY_THREADS 4096
#define MEMORY_COPY_RANGES 1024

typedef struct memory_copy_notes {
	char log[MEMORY_COPY_LOG_SIZE]; /**< Path of the log, which is complete. */
	uint32_t has_all_threads;       /**< 0: there are more than fit, or the list could not be read. */
	uint32_t thread_count;
	uint32_t range_count;
	uint32_t reserved;
	memory_copy_thread threads[MEMORY_COPY_THREADS];
	memory_copy_range ranges[MEMORY_COPY_RANGES];
} memory_copy_notes;

#endif
