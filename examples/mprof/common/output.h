/* SPDX-License-Identifier: MIT */
/**
 * \file common/output.h
 * \brief Standard output: whether what was printed has arrived.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

/** 1 if nobody can read any more what is printed, so that a command may stop early. */
int output_is_broken(void);

/** Memory was refused for something that should be printed: says so, once, and makes output_finish() return 1 or more. */
void output_out_of_memory(void);

/**
 * Hands on what was printed. Returns \p status, or 1 after a message if that failed, or if it lacks something for want of
 * memory; a reader that left is no failure.
 */
int output_finish(int status);

#endif
