/* SPDX-License-Identifier: MIT */
/*
 * The library libmono-profiler-logging.so, by which Mono finds the module under its other name. The module is a
 * dependency of it: Mono's search for the entry point mono_profiler_init_logging() includes dependencies, and all names
 * share one module and its state.
 */

/* ISO C requires a declaration. */
typedef int logging_name_has_no_code;
