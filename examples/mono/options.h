/* SPDX-License-Identifier: MIT */
/**
 * \file options.h
 * \brief The options of the module, such as "mprof:calls,alloc,output=FILE".
 */
#ifndef MONO_OPTIONS_H
#define MONO_OPTIONS_H

#include "shared/record_options.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct module_options {
	uint32_t kinds;       /**< Bits of #record_kind. */
	char *output;         /**< Pattern of the log's path, or NULL. */
	char *salvage;        /**< Path of the salvage file, "no", or NULL for the default. */
	uint32_t dialect;     /**< An mprof_dialect, 0 for the default. */
	uint32_t gzip_level;  /**< 0 for no compression. */
	uint32_t codec;       /**< An mprof_codec_number, 0 for no compression of blocks. */
	uint32_t codec_level; /**< 0 for that of the codec. */
	uint32_t max_buffers; /**< 0 for the recorder's default, as for the next two fields. */
	uint32_t buffer_events;
	uint32_t drain_interval_ms;
	uint32_t resolution_ns;  /**< Longest unit of times in the log, 0 for that of the recorder. */
	uint32_t drain_threads;  /**< 0 for none. */
	int drop;                /**< Lose events rather than wait. */
	int no_wrappers;         /**< Leave out calls of methods that the runtime generates. */
	int all_wrappers;        /**< Record even calls of methods that exist only because allocations are profiled. */
	struct filters *filters; /**< Methods whose calls are left out, see filters.h; NULL for none. */
	int async;               /**< Record logical call stacks of async methods. */
	uint32_t call_depth;     /**< Calls nested deeper are left out, see call_depth.h; 0 for no limit. */

	uint32_t sample_hz;    /**< Samples of each thread per second. */
	int sample_source;     /**< The best #sample_source to use. */
	int sample_real;       /**< Sample by real time, not by processor time. */
	uint32_t sample_depth; /**< Maximum frames of a sample, at least 1. */

	record_heap heap;
	int heap_summary;       /**< 1 with RECORD_SUMMARIES. */
	uint64_t heap_bytes;    /**< Maximum memory for unwritten heap snapshots; 0 for the recorder's default. */
	int no_heap_fields;     /**< References of heap snapshots have no offsets, and classes no fields. */
	int64_t heap_snapshots; /**< With HEAP_EVERY: initial value of heap_snapshots_left; -1 for no limit. */

	record_allocation allocation;
	uint32_t stack_depth; /**< Maximum frames of the stacks of allocations, handles and monitors. */
	record_exceptions exceptions;
	uint32_t exception_depth; /**< Maximum frames of the stacks of exceptions; 0 for none. */
	record_handles handles;   /**< With RECORD_HANDLES. */
	char *handle_class;       /**< A copy of its pattern, or NULL. */
	uint32_t metrics_milliseconds;

	int start_disabled;
	uint64_t max_bytes;  /**< Maximum size of the log; 0 for no limit. */
	uint64_t ring_bytes; /**< Size of the ring buffer, which is written on request and at the end; 0 for none. */

	int no_control;     /**< Open no Unix socket. */
	char *control_path; /**< Path of the Unix socket, or NULL for the default. */
	uint32_t port;      /**< Port of the loopback to listen on, 0 for none. */
	record_signals signals;

	int jit_dump;   /**< Write the code of methods for perf to jit-PID.dump in the directory of the log. */
	int perf_map;   /**< Write the names of methods for perf to /tmp/perf-PID.map. */
	int oprofile;   /**< Report the code of methods to oprofile. */
	char *failures; /**< File that gets a byte if the log could not be written whole, or NULL. */
	int quiet;
	int quiet_start; /**< Print no line at the start. */
	int help;
} module_options;

/** Sets all options to their defaults. */
void options_init(module_options *options);

/** Whether the log has a format older than mprof2, which cannot represent everything that is recorded. */
int options_are_classic(const module_options *options);

/** Whether the recording can be changed while the program runs. */
int options_allow_changes(const module_options *options);

void options_release(module_options *options);

/**
 * Parses the options of a module loaded as "logging", which are those of the profiler of that name in Mono 2. Like that
 * profiler, it prints options that it does not understand on stderr and ignores them, so it fails only if out of
 * memory.
 */
int options_parse_classic(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE]);

/** Prints all options, one per line. */
void options_print_help(FILE *out);

/**
 * Parses the text that the runtime passes, including the module's name. Returns 1; 0 with a line of text in \p message
 * if an option is invalid. Release the options in both cases.
 */
int options_parse(const char *text, module_options *options, char message[RECORD_MESSAGE_SIZE]);

/** Size that suffices for every result of options_describe_kinds(), in bytes. */
#define OPTIONS_KINDS_SIZE 256

/** Formats the names of the kinds recorded, such as "calls, allocations". */
void options_describe_kinds(uint32_t kinds, char *text, size_t size);

#endif
