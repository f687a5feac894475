/* SPDX-License-Identifier: MIT */
/**
 * \file common/modules.h
 * \brief Finds the modules that are loaded into a program to record it, and their library paths.
 */
#ifndef COMMON_MODULES_H
#define COMMON_MODULES_H

/** The module that Mono loads. */
#define MONO_MODULE "libmono-profiler-mprof.so"

/** The module that is preloaded into native programs to record calls and samples. */
#define INSTRUMENT_MODULE "libmprof-instrument.so"

/** The module that is preloaded into any program to record native memory. */
#define MEMORY_MODULE "libmprof-malloc.so"

/**
 * The directory of a module. Searches the directories in the environment variable MPROF_MODULE_DIR (separated by
 * colons), the one where the module was built if this program runs where it was built, and the one where it is
 * installed. NULL if no directory contains the module. The caller frees the result.
 */
char *modules_find(const char *file_name);

/**
 * The directories that are searched for a module, separated by colons. NULL if out of memory. The caller frees the
 * text.
 */
char *modules_directories(const char *file_name);

/**
 * The value of LD_LIBRARY_PATH with which a program finds libraries in the given directories, and libmprof itself. The
 * caller frees it; NULL if out of memory.
 */
char *modules_library_path(const char *directories);

/** Joins three texts. The caller frees the result; NULL if out of memory. */
char *modules_join(const char *first, const char *second, const char *third);

/** Whether memory was exhausted in any of these functions so far. If so, a module reported as missing may exist. */
int modules_lacked_memory(void);

#endif
