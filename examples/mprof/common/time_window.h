/* SPDX-License-Identifier: MIT */
/**
 * \file common/time_window.h
 * \brief The part of a log between two times, which are given as durations from its start, as names of markers, or
 * relative to its end.
 */
#ifndef COMMON_TIME_WINDOW_H
#define COMMON_TIME_WINDOW_H

#include <stdint.h>

typedef struct time_window {
	const char *text;   /**< The value of --time; NULL if not given. */
	const char *option; /**< The option that messages name; NULL for --time. */
	uint64_t last_ns;   /**< The value of --last, 0 if not given. */
	int needs_end;      /**< The end of the log must be found even without --last. */
	int is_bounded;     /**< 0: the whole log. */
	int64_t start_ns;   /**< From the start of the log, like the fields below. */
	int64_t end_ns;     /**< #TIME_WINDOW_OPEN if it is the end of the log. */
	int64_t log_end_ns;
} time_window;

#define TIME_WINDOW_OPEN INT64_MAX

/** The end of a window as mprof_profile_options::window_end_ns. */
static inline int64_t time_window_end(const time_window *window)
{
	return window->end_ns != TIME_WINDOW_OPEN ? window->end_ns : 0;
}

/** Parses a duration with an optional unit (s, ms, us, ns). Returns 0 after a message if it is invalid. */
int time_window_parse_duration(const char *option, const char *value, uint64_t *nanoseconds);

/** Takes the value of --last. Returns 0 after a message if it is not a duration. */
int time_window_parse_last(time_window *window, const char *value);

/** Takes the value of --time. Returns 0 after a message if it cannot be FROM-TO. */
int time_window_parse(time_window *window, const char *value);

/**
 * Reads a log up to its end to find the markers, the clock and the end that the window refers to; the log can be read
 * again from its start afterwards, also from standard input. Does nothing if the whole log was requested. Returns
 * #STATUS_OK, or another status after a message.
 */
int time_window_find(time_window *window, const char *path);

#endif
