/* SPDX-License-Identifier: MIT */
/**
 * \file shared/program_name.h
 * \brief By which name the program was started. Programs that show a title in lists of processes overwrite the text to
 * which program_invocation_name of the C library refers.
 */
#ifndef SHARED_PROGRAM_NAME_H
#define SHARED_PROGRAM_NAME_H

/** The name as it was when the module was loaded, which is cut if it has 4096 characters or more. */
const char *program_name(void);

/** The part of it after the last slash. */
const char *program_short_name(void);

#endif
