/* SPDX-License-Identifier: MIT */
/**
 * \file common/output.h
 * \brief Standard output: whether all output was written.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

/** Returns 1 if no process reads the output any more, so that a command may stop early. */
int output_is_broken(void);

/**
 * Reports that memory was exhausted for something to be printed. Prints a message once, and makes output_finish()
 * return 1 or more.
 */
void output_out_of_memory(void);

/**
 * Flushes the output. Returns \p status, or 1 after a message if that failed, or if the output is incomplete because
 * memory was exhausted. A closed pipe is not a failure.
 */
int output_finish(int status);

#endif
