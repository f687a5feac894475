/* SPDX-License-Identifier: MIT */
/**
 * \file record/options.h
 * \brief The options of mprof record that are passed on to the module, under the same names.
 */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include "shared/record_options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdint.h>

/** Space for all options in the form that the modules read, in bytes. */
#define REQUEST_WORDS_SIZE 8192

/** What the options of one recording ask for. Initialised by {0}. */
typedef struct record_request {
	char words[REQUEST_WORDS_SIZE]; /**< The options, each after a comma. */
	record_combination combination;
	uint32_t kinds;      /**< Bits of #record_kind; 0: the default of the program's kind. */
	int writes_names;    /**< Only names for other profilers, unless kinds are asked for. */
	int samples_by_real; /**< The kind of samples is that of real time. */
	int needs_runtime;   /**< A runtime takes the samples. */
	int has_namespace;   /**< A pattern is for the namespace. */
	int has_memory;      /**< Something about memory. */
	int starts_disabled;
	int has_leaks; /**< The memory of processes is searched when they end. */
	uint64_t ring_bytes;
	const char *salvage; /**< A path or "no"; NULL for the default. Of the caller, as all values. */
	const char *control_path;
	const char *only; /**< The first pattern of --only; NULL if none. */
	int has_several_only;
} record_request;

/** Fills in a list of record_options_count elements for getopt_long(); each option returns \p value. */
void record_request_list(struct option *list, int value);

/** Adds an option; \p value is NULL if it has none. Returns 0 after a message. */
int record_request_add(record_request *request, const char *name, const char *value);

/** Whether the options can be combined. If not, returns 0 after a message. */
int record_request_check(const record_request *request);

/**
 * Returns 0 after a message if a ring does not fit the memory of the control group, \p limit bytes: the kernel would
 * kill the program, and mprof when it completes the log.
 */
int record_request_check_ring(const record_request *request, uint64_t limit);

/**
 * Whether all options apply to programs that \p reader records, RECORD_OF_MONO or RECORD_OF_NATIVE. If not, returns 0
 * after a message that lists those that do not.
 */
int record_request_check_reader(const record_request *request, record_reader reader);

/**
 * Whether all options apply to the recording of native memory, if that is asked for. If not, returns 0 after a message
 * that lists those that do not.
 */
int record_request_check_memory(const record_request *request);

/** Whether native programs can be sampled as requested. If not, returns 0 after a message. */
int record_request_check_native_samples(const record_request *request);

/** Prints which options apply only to Mono programs that \p program runs, if there are any. */
void record_request_explain_others(const record_request *request, const char *program);

/** Prints which options concern nothing among \p kinds, which are recorded from the start. */
void record_request_explain_unused(const record_request *request, uint32_t kinds);

/** Prints a line if one of the \p arguments of a program, which end with NULL, looks like an option of mprof record. */
void record_request_explain_arguments(char *const *arguments);

/** Whether native programs can be sampled on this system. */
int record_request_can_sample_native(void);

/** Removes the options that \p reader does not understand from \p words, each after a comma. */
void record_request_keep(char *words, record_reader reader);

#endif
