/* SPDX-License-Identifier: MIT */
/**
 * \file common/modules.h
 * \brief Where the modules are that record from inside of a program, and what finds them there.
 */
#ifndef MODULES_H
#define MODULES_H

/** The module that Mono loads. */
#define MONO_MODULE "libmono-profiler-mprof.so"

/** The module that is preloaded into programs built with -finstrument-functions. */
#define INSTRUMENT_MODULE "libmprof-instrument.so"

/**
 * The directory of a module: one of those in the environment's MPROF_MODULE_DIR (separated by colons), the one where it
 * was built if this program runs where it was built, or the one where it is installed. NULL if it is in none. To be freed.
 */
char *modules_find(const char *file_name);

/** The directories where a module is looked for, separated by colons. To be freed; NULL if there is no memory. */
char *modules_directories(const char *file_name);

/** LD_LIBRARY_PATH as it must be for a program to find what is in some directories, and this library. As above. */
char *modules_library_path(const char *directories);

/** Joins three texts. As above. */
char *modules_join(const char *first, const char *second, const char *third);

/** Whether any of these functions was refused memory so far. What one has not found since may be there. */
int modules_lacked_memory(void);

#endif
