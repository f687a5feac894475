/* SPDX-License-Identifier: MIT */
/**
 * \file common/summary.h
 * \brief A summary of a log: its session, and counts of its contents.
 */
#ifndef COMMON_SUMMARY_H
#define COMMON_SUMMARY_H

#include <mprof/reader.h>

#include "common/input.h"
#include "common/json.h"
#include "shared/kinds.h"

#include <stdint.h>
#include <stdio.h>

/** The number of all codecs that are not known. */
#define BLOCK_STORAGE_OTHER 3

typedef struct block_storage {
	uint64_t blocks;                          /**< Blocks of all kinds. */
	uint64_t packed_blocks;                   /**< Those that are compressed. */
	uint64_t packed_bytes;                    /**< Their bytes in the log, with their headers. */
	uint64_t unpacked_bytes;                  /**< Bytes of these blocks before compression. */
	uint64_t codecs[BLOCK_STORAGE_OTHER + 1]; /**< Compressed blocks by #mprof_codec_number. */
	uint64_t index_blocks;
	int has_whole_index; /**< The log ends with an index of all its blocks. */
} block_storage;

/** Maximum length of the patterns of an option; longer ones are shortened. */
#define RECORDING_FILTERS_TEXT 1024

typedef struct recording_filters {
	char only[RECORDING_FILTERS_TEXT]; /**< Separated by line feeds; "" if none. */
	char excluded[RECORDING_FILTERS_TEXT];
	int are_changed; /**< They were changed while the program ran. */
} recording_filters;

/** Whether a property is one of filters. */
int recording_filters_is_key(const char *key);

#define RING_SPAN_TEXT_SIZE 192

typedef struct ring_span {
	int is_partial; /**< Older events were overwritten; otherwise the other fields are not valid. */
	int is_known;   /**< The numbers below are valid; otherwise only the text is. */
	double covered_seconds;
	uint64_t overwritten_bytes;
	uint64_t overwritten_blocks;
	int has_events; /**< The next number is valid: logs of earlier versions do not contain it. */
	uint64_t overwritten_events;
	char text[RING_SPAN_TEXT_SIZE];
} ring_span;

/** Size of the texts below, in bytes. */
#define SAMPLING_TEXT 32

/** Numbers that the log does not contain are 0, and texts are empty. */
typedef struct sampling_facts {
	uint64_t requested_hz; /**< Samples per second of the clock that were requested for each thread. */
	uint64_t time_ns;      /**< Time of all sampled threads together, by the clock. */
	uint64_t hits;         /**< Samples taken in this time. */
	uint64_t discarded;    /**< Hits of threads that had not run or were in the profiler. */
	uint64_t tick_hz;      /**< Frequency of the kernel's tick. */
	uint64_t period_ns;    /**< Time that a sample of the present rate stands for. */
	uint64_t unit_ns;      /**< Time that a counted sample stands for, see sampling_set_unit(). */
	uint64_t hit_ns;       /**< The time that all samples stand for, each one its period. */
	uint64_t short_ns;     /**< Time of threads that ended before they could be interrupted. */
	uint64_t blocked_ns;   /**< Time of threads without a sample that block the signal. */
	int is_filtered;       /**< The filters may have left samples out. */
	int is_measured;       /**< The log contains time_ns, hits and discarded. */
	char clock[SAMPLING_TEXT];
	char source[SAMPLING_TEXT];
	char scope[SAMPLING_TEXT]; /**< "user" if the system allows no samples of time in the kernel. */
} sampling_facts;

/**
 * Sets the time that a counted sample stands for, mprof_profile_totals::sample_period_ns. Without a profile, it is that
 * of the present rate.
 */
void sampling_set_unit(sampling_facts *facts, uint64_t unit_ns);

/** Whether the time of samples can be estimated. */
int sampling_has_time(const sampling_facts *facts);

/** The time that a number of samples represents, in nanoseconds; 0 if it cannot be estimated. */
uint64_t sampling_time_of(const sampling_facts *facts, uint64_t hits);

/**
 * Prints rows for processor time that no sample stands for, below a table of samples of the whole log whose columns for
 * times begin after \p indent characters.
 */
void sampling_print_rest(const sampling_facts *facts, int indent, FILE *file);

/** Prints why the log of a native program, \p subject, has no samples, as the rest of a line. */
void sampling_explain_none(const sampling_facts *facts, const char *subject, FILE *file);

/** Prints the rates as one indented line, for a table of samples; nothing if they are unknown. */
void sampling_print_rate(const sampling_facts *facts, FILE *file);

#define PRECOMPILED_SIZE 1024

typedef struct precompiled_images {
	char names[PRECOMPILED_SIZE]; /**< The first names, each ends with NUL. */
	size_t length;                /**< Bytes used of \a names. */
	size_t left_out;              /**< Number of images whose names did not fit. */
} precompiled_images;

/** Prints "mscorlib.dll, mcs.exe". */
void precompiled_print(const precompiled_images *images, FILE *file);

#define SUMMARY_BLOCK_KINDS 64

typedef struct log_summary {
	mprof_session session; /**< From the reader, but complete and valid_bytes account for problems of all kinds. */
	uint64_t size;         /**< Size of the log in bytes; if it is compressed, of the part that could be read. */
	uint64_t threads;
	uint64_t classes;
	uint64_t methods;
	uint64_t events;
	uint64_t stacks;
	uint64_t modules;
	uint64_t functions;
	uint64_t locations;
	uint64_t roots;
	uint64_t metrics;
	uint64_t clocks;
	uint64_t timelines; /**< Descriptions of threads. */
	uint64_t processes; /**< Descriptions of processes. */
	uint64_t code_ranges;
	uint64_t heap_shots;
	uint64_t ended_shots;      /**< Heap snapshots with a last block. */
	uint64_t incomplete_shots; /**< Heap snapshots that are marked as incomplete. */
	uint32_t incomplete_shot;  /**< Collection number of the last such snapshot. */
	precompiled_images precompiled;
	ring_span ring;
	char program[256];            /**< The recorded program, shortened if its name is long; "" if unknown. */
	uint64_t unrecorded_children; /**< Processes that fork() made and that were not recorded, as far as known. */
	char recording_ended[64];     /**< Why recording ended before the program; "" if it did not. */
	char write_error[64];         /**< Why the log could not be written whole; "" if it could. */
	char unrecorded_memory[256];  /**< Why the program's own memory is not recorded; "" if it is. */
	sampling_facts sampling;
	recording_filters filters;
	int is_growing;           /**< A program is still writing the log. */
	uint64_t running_threads; /**< Threads that still ran when recording ended. */
	block_storage storage;
	uint64_t lost[KIND_ROOM]; /**< Lost events by cause. */
	uint64_t block_counts[SUMMARY_BLOCK_KINDS];
	uint64_t event_counts[KIND_ROOM];
} log_summary;

/** Counts one event. */
static inline void summary_count_event(log_summary *summary, const mprof_event *event)
{
	summary->event_counts[event->kind]++;
	summary->events++;
}

/** Counts one block without its events. */
void summary_count_block(log_summary *summary, const mprof_block *block);

/** Takes what the summary contains from a property of the session. */
void summary_take_property(log_summary *summary, const char *key, const char *value);

/** Reads the properties of a loaded SESSION block. */
void summary_read_properties(log_summary *summary, log_input *input);

/** Reads a whole log and counts its contents. Returns 0 after a message if out of memory. */
int summary_read(log_summary *summary, log_input *input);

/** Fills in the fields that the reader provides after the log was read. */
void summary_complete(log_summary *summary, const log_input *input);

/** Whether calls were recorded, but not those of images with ahead-of-time compiled code. */
int summary_lacks_calls(const log_summary *summary);

/** Prints the fields of a summary into an open object. */
void summary_print_json(const log_summary *summary, const log_input *input, json_writer *json);

/** Prints a summary as lines of a label and a value. */
void summary_print_text(const log_summary *summary, const log_input *input, FILE *file);

/** Writes that the wall clock was set while the log was recorded, if it was, and what that means for durations. */
void summary_print_steps(const mprof_session *session, FILE *file);

/**
 * Prints the most important facts on one line, and what is missing in the log on further lines. \p program: NULL if
 * unknown.
 */
void summary_print_header(const log_summary *summary, const log_input *input, const char *program, FILE *file);

#endif
