/* SPDX-License-Identifier: MIT */
/**
 * \file shared/sanitizers.h
 * \brief Names in programs that are built with a sanitizer, into which no recorder can be loaded.
 *
 * The libraries of sanitizers refuse to run unless they are loaded first; those that are linked statically replace
 * memcpy() and others for the recorder as well, and take its copies of stacks for faults of the program.
 */
#ifndef SHARED_SANITIZERS_H
#define SHARED_SANITIZERS_H

/** How the names of the libraries begin, and NULL. */
extern const char *const sanitizer_libraries[];

/** Functions of which programs have one, and NULL. */
extern const char *const sanitizer_functions[];

#endif
