/* SPDX-License-Identifier: MIT */
/**
 * \file record/quoted.h
 * \brief Prints names for commands that a user may copy.
 */
#ifndef RECORD_QUOTED_H
#define RECORD_QUOTED_H

#include <stdio.h>

/** Prints a name so that a shell reads it as one word. */
void quoted_print(FILE *file, const char *name);

#endif
