/* SPDX-License-Identifier: MIT */
/**
 * \file record/leak_copy.h
 * \brief Reads a process with a copy of the memory of a program that has ended (shared/memory_copy.h), and finds the
 * parts of it that a search for pointers starts from.
 */
#ifndef RECORD_LEAK_COPY_H
#define RECORD_LEAK_COPY_H

#include "shared/memory_copy.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Memory from \p start up to but not including \p end. */
typedef struct leak_range {
	uint64_t start;
	uint64_t end;
	int is_shared; /**< It is the memory that the program had, not a copy of it. */
} leak_range;

typedef struct leak_ranges {
	leak_range *ranges; /**< In ascending order. */
	size_t count;
	size_t capacity;
	int lacks_memory;
} leak_ranges;

typedef struct leak_copy {
	pid_t process;
	int memory;          /**< Descriptor of /proc/PID/mem. */
	int pages;           /**< Descriptor of /proc/PID/pagemap; -1 if it cannot be opened. */
	const char *salvage; /**< Path; NULL for that of the log with a suffix. */
	uint64_t notes_address;
	memory_copy_notes *notes;
	unsigned char *buffer;
	leak_ranges roots;
	uint64_t shared_bytes; /**< Of the roots. */
} leak_copy;

/** Words that are read at once. \p address, that of the first one, is a multiple of their size. */
typedef void (*leak_visit)(void *user, uint64_t address, const uint64_t *words, size_t count);

/**
 * Opens the copy of \p message. \p salvage: the path of the salvage file, or NULL for that of the log with a suffix;
 * borrowed. Returns NULL, or why the copy cannot be read. Call leak_copy_close() in both cases.
 */
const char *leak_copy_open(leak_copy *copy, const memory_copy_message *message, const char *salvage);
void leak_copy_close(leak_copy *copy);

/**
 * Whether the copy still has its memory. The system may end it at any time; what is read after that is as if the
 * program had never used it.
 */
int leak_copy_exists(const leak_copy *copy);

/**
 * Finds the roots: data of the program and its libraries, the stacks of threads in use, thread-local data, and memory
 * that the program has mapped, shared memory included. Not: the heap of the C library and its data about it, stacks of
 * threads that have ended, memory of devices, and that of the recorder. Returns NULL, or why that is not possible.
 */
const char *leak_copy_find_roots(leak_copy *copy);

/** Reads a range. Pages that cannot be read, or were never used, are skipped. */
void leak_copy_scan(const leak_copy *copy, const leak_range *range, leak_visit visit, void *user);

/** Reads up to \p length bytes. Returns their number. */
size_t leak_copy_read(const leak_copy *copy, uint64_t address, void *bytes, size_t length);

#endif
