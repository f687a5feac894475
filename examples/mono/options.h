/* SPDX-License-Identifier: MIT */
/**
 * \file options.h
 * \brief What the user asks of the module: "mprof:calls,alloc,output=FILE".
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What is recorded, one bit each. Loaded and unloaded assemblies, modules and domains always are. */
typedef enum record_kind {
	RECORD_CALLS = 1 << 0,
	RECORD_ALLOCATIONS = 1 << 1,
	RECORD_JIT = 1 << 2,
	RECORD_COLLECTIONS = 1 << 3,
	RECORD_EXCEPTIONS = 1 << 4,
	RECORD_THREADS = 1 << 5,
	RECORD_CLASSES = 1 << 6,
	RECORD_ALL = (1 << 7) - 1
} record_kind;

typedef struct module_options {
	uint32_t kinds;       /**< Bits of #record_kind. */
	char *output;         /**< Pattern of the log's path, or NULL. */
	uint32_t dialect;     /**< An mprof_dialect, 0 for the default. */
	uint32_t gzip_level;  /**< 0 if not compressed. */
	uint32_t max_buffers; /**< 0 for the recorder's default; so are the next two. */
	uint32_t buffer_events;
	uint32_t drain_interval_ms;
	int drop;        /**< Lose events rather than wait. */
	int no_wrappers; /**< Leave out calls of what the runtime makes itself. */
	int quiet;
	int help;
} module_options;

/** Room for what options_parse() has to say. */
#define OPTIONS_MESSAGE_SIZE 256

/**
 * Takes the text that the runtime passes, module name included. Returns 1, or 0 with one line of text in \p message and
 * the options to be released all the same.
 */
int options_parse(const char *text, module_options *options, char message[OPTIONS_MESSAGE_SIZE]);

void options_release(module_options *options);

/** Prints all options, a line each. */
void options_print_help(FILE *out);

/** Puts the names of what is recorded into \p text, such as "calls, allocations". */
void options_describe_kinds(uint32_t kinds, char *text, size_t size);

#endif
