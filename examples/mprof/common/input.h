/* SPDX-License-Identifier: MIT */
/**
 * \file common/input.h
 * \brief A log that is read: opening, going on behind damage, telling what is wrong and where.
 */
#ifndef INPUT_H
#define INPUT_H

#include "common/progress.h"

#include <mprof/reader.h>

/** Problems that are kept, and those that are printed unless all are asked for. */
#define MAX_PROBLEMS_KEPT 1000
#define MAX_PROBLEMS_PRINTED 10

/** Room for the words about a problem. */
#define PROBLEM_SIZE 128

/** Something that is wrong with the log. */
typedef struct log_problem {
	uint64_t
		offset; /**< Where it is. Of a block that is cut, or whose checksum is wrong, the start of the block. */
	uint32_t status; /**< An #mprof_status. */
	char what[PROBLEM_SIZE];
} log_problem;

typedef struct log_input {
	const char *name; /**< As given: a path, or "-". */
	int fd;
	int is_file;        /**< It has a size and can seek. */
	uint64_t file_size; /**< Bytes on disk, 0 if not known. */
	uint64_t reached; /**< Bytes of the log up to the end of the last block that was met, or to that of the log. */
	uint64_t begun;   /**< Where the block that is read now, or was read last, begins. */
	mprof_reader *reader;
	progress_line progress;
	log_problem *problems; /**< The first ones. */
	size_t problem_count;  /**< Of all. */
	uint64_t first_fault;  /**< Least offset of those that are the log's own; UINT64_MAX if there are none. */
	int is_quiet;          /**< Nothing is printed. */
	int lists_all;         /**< Every problem is printed, not only the first ones. */
	int is_over;           /**< Nothing more can be read. */
	int status;            /**< Exit status so far. */
} log_input;

/**
 * Opens a log; "-" is standard input. \p wanted: block kinds to load, 0 for all. Returns #STATUS_OK, or #STATUS_NOTHING
 * after a message. input_close() is right in both cases.
 */
int input_open(log_input *input, const char *path, uint64_t wanted);

/** The same without messages, also later. */
int input_open_quietly(log_input *input, const char *path);

void input_close(log_input *input);

/**
 * Goes to the next block, leaving behind those that are damaged, and tells of each damage. Returns 0 at the end. The
 * last block may be cut: fetching from it then fails.
 */
int input_next_block(log_input *input, mprof_block *block);

/** The dialect of the log, an #mprof_dialect. */
uint32_t input_dialect(const log_input *input);

/** 1 if mprof_reader_next_events() gives what blocks of this kind hold. */
int input_block_has_events(const mprof_block *block);

/** 1 if mprof_reader_next_records() gives what blocks of this kind hold. */
int input_block_has_records(const mprof_block *block);

/** Tells of the error of a fetch from the current block. Nothing more can be fetched from it. */
void input_fetch_failed(log_input *input);

/** Tells of something wrong that the reader does not mind. */
void input_problem(log_input *input, uint64_t offset, mprof_status status, const char *what);

/** Tells of an error that ends the reading and is not the reader's, such as no memory. */
void input_failed(log_input *input, uint64_t offset, mprof_status status, const char *what);

/** How many problems are kept. */
size_t input_kept_problems(const log_input *input);

#endif
