/* SPDX-License-Identifier: MIT */
/**
 * \file common/input.h
 * \brief A log being read: opens it, continues after damage, and reports what is wrong and where.
 */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include "common/names.h"

#include <mprof/profile.h>
#include <mprof/reader.h>

#include <stdint.h>
#include <time.h>

typedef struct progress_line {
	const char *name; /**< Name of the file being read. */
	uint64_t total;   /**< Size in bytes, 0 if unknown. */
	uint64_t done;
	struct timespec next; /**< Time of the next update. */
	int is_wanted;        /**< Standard error is a terminal. */
	int is_shown;
} progress_line;

/** Clears the line, so that other messages can be printed; the next progress shows it again. */
void progress_hide(progress_line *progress);

/** Size of the text about a problem, in bytes. */
#define PROBLEM_SIZE 128

/** A problem of the log. */
typedef struct log_problem {
	/** Offset of the problem; if a block is truncated or its checksum is wrong, that of its start. */
	uint64_t offset;
	uint32_t status; /**< An #mprof_status. */
	char what[PROBLEM_SIZE];
} log_problem;

typedef struct log_input {
	const char *name; /**< As given: a path, or "-". Borrowed. */
	int fd;
	int is_file;        /**< A regular file, which has a size and can be seeked. */
	uint64_t file_size; /**< Size on disk in bytes, 0 if unknown. */
	uint64_t reached;   /**< Offset of the end of the last block read, or of the end of the log. */
	uint64_t begun;     /**< Offset of the block that is being read, or was read last. */
	mprof_reader *reader;
	name_lookup *names; /**< Names of the log. */
	progress_line progress;
	log_problem *problems; /**< The first problems, up to MAX_PROBLEMS_KEPT. */
	size_t problem_count;  /**< Number of all problems. */
	uint64_t first_fault;  /**< Least offset of a problem that is damage of the log; UINT64_MAX if none. */
	int is_quiet;          /**< No message is printed. */
	int lists_all;         /**< All problems are printed, not only the first ones. */
	int is_growing;        /**< The log may still be written. */
	int may_be_salvaged;   /**< If the log has no end, a salvage file beside it is mentioned. */
	int is_source_over;    /**< The log comes from a pipe that has ended. */
	int is_over;           /**< No further block can be read. */
	int is_again;          /**< All of it was read before, so its problems are known. */
	int status;            /**< Exit status so far. */
	mprof_status failure;  /**< See input_failure(). */
} log_input;

/**
 * Opens a log; "-" is standard input. \p wanted: MPROF_BLOCK_BIT() of the block kinds to load, 0 for all. Returns
 * #STATUS_OK, or #STATUS_NOTHING after a message. Call input_close() in both cases.
 */
int input_open(log_input *input, const char *path, uint64_t wanted);

/** As input_open(), for a log that was opened before: a salvage file is not mentioned once more. */
int input_open_again(log_input *input, const char *path, uint64_t wanted);

/**
 * Opens a log. No messages are printed, neither by this call nor by later ones for \p input. Returns #STATUS_OK or
 * #STATUS_NOTHING. Call input_close() in both cases.
 */
int input_open_quietly(log_input *input, const char *path);

/** Opens a log like input_open_quietly(), to load only blocks of the kinds \p wanted, as #MPROF_BLOCK_BIT. */
int input_open_part(log_input *input, const char *path, uint64_t wanted);

/**
 * Opens a log that may still be written. At the end of the available bytes, input_next_block() returns 0, is_over is 0,
 * and the next call continues. Returns #STATUS_OK, or #STATUS_NOTHING after a message. Call input_close() in both
 * cases.
 */
int input_open_growing(log_input *input, const char *path);

/** Closes the log and frees the names and the problems. */
void input_close(log_input *input);

/**
 * Reads the next block, skips damaged ones, and reports each damage. Returns 0 at the end. The last block may be
 * truncated: fetching from it then fails.
 */
int input_next_block(log_input *input, mprof_block *block);

/**
 * Whether the log must be read once more, because it defines generated code after events that have its addresses. Then
 * input_next_block() begins at the start again. A log that is not a file is not read twice.
 */
int input_begin_again(log_input *input);

/** Reads the ranges of generated code of a log, so that they are known from its start on, if another reader has any. */
void input_learn_code(log_input *input, const mprof_reader *other);

/** Returns 1 if mprof_reader_next_events() returns the content of blocks of this kind. */
int input_block_has_events(const mprof_block *block);

/** Returns 1 if mprof_reader_next_records() returns the content of blocks of this kind. */
int input_block_has_records(const mprof_block *block);

/** Reports the error of a fetch from the current block. Nothing more can be fetched from it. */
void input_fetch_failed(log_input *input);

/**
 * Reports an error of a function of the library that reads the whole log: an mprof_damage_function whose \p user is the
 * log_input.
 */
void input_damage(void *user, const mprof_error *error);

/** Reports a problem that is not an error for the reader. */
void input_problem(log_input *input, uint64_t offset, mprof_status status, const char *what);

/** Reports an error that ends reading and did not occur in the reader, such as exhausted memory. */
void input_failed(log_input *input, uint64_t offset, mprof_status status, const char *what);

/**
 * The first failure of this machine, not of the log, such as a read error or refused memory; #MPROF_OK if none. Damage
 * is the same each time that a log is read; a failure is not, so what was read after it must not pass for the whole
 * log.
 */
mprof_status input_failure(const log_input *input);

/**
 * Reports, for a log that is read once more, that this failed: it prints a message also for an input that was opened
 * quietly. Returns #STATUS_OK if input_failure() is #MPROF_OK, else #STATUS_NOTHING.
 */
int input_check_again(const log_input *input);

/** Number of problems that are kept. */
size_t input_kept_problems(const log_input *input);

/** Whether a program is writing a log to a path: each process that writes one holds a lock on its file. */
int input_is_being_written(const char *path);

/** Number of definitions fetched so far, by #mprof_record_kind. Initially all 0. */
typedef struct definition_progress {
	uint64_t taken[MPROF_RECORD_METRIC + 1];
} definition_progress;

/**
 * Fetches the next definition that the reader has made since the last call; a definition precedes those that refer to
 * it. Returns 0 if none, as always with mprof2, whose blocks contain all definitions.
 */
int definitions_next(definition_progress *progress, const log_input *input, mprof_record *record);

/** Skips the modules and functions defined so far, which a STATISTICAL block lists itself. */
void definitions_skip_listed(definition_progress *progress, const log_input *input);

/** Adds the current block to a profile, and reports problems. */
void profile_input_add(log_input *input, mprof_profile *profile, const mprof_block *block);

/** Finishes a profile, and reports problems; \p block is the last one read. */
void profile_input_finish(log_input *input, mprof_profile *profile, const mprof_block *block);

/**
 * Copies standard input to an unnamed temporary file, which becomes standard input, unless \p path is not "-". Returns
 * the path that can be opened any number of times: \p path for other files; NULL after a message if that failed.
 */
const char *spooled_path(const char *path);

#endif
