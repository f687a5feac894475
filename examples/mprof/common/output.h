/* SPDX-License-Identifier: MIT */
/**
 * \file common/output.h
 * \brief Standard output: whether all output was written.
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

/**
 * Returns nonzero if standard output failed, such as a pipe that no process reads any more. A command may then stop
 * early.
 */
int output_is_broken(void);

/**
 * Reports that a part of the output is missing because memory was exhausted. Prints a message once, and makes
 * output_finish() return 1 or more.
 */
void output_out_of_memory(void);

/** Whether output_out_of_memory() was called. A file that was made since then is not complete. */
int output_lacks_memory(void);

/**
 * Flushes the output. Returns \p status, or 1 after a message if that failed, or if the output is incomplete because
 * memory was exhausted. A closed pipe is not a failure.
 */
int output_finish(int status);

#endif
