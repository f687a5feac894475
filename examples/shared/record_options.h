/* SPDX-License-Identifier: MIT */
/**
 * \file record_options.h
 * \brief The options of a recording: of "mprof record", where they begin with two dashes, and of the modules, to which
 * it passes them as words separated by commas. Their names, values, ranges, effects and texts are only here.
 */
#ifndef SHARED_RECORD_OPTIONS_H
#define SHARED_RECORD_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** A decimal number within these bounds. */
int record_values_number(const char *text, uint64_t least, uint64_t most, uint64_t *number);

/** A number of bytes within these bounds, with a suffix k, m or g that multiplies it, or without. */
int record_values_size(const char *text, uint64_t least, uint64_t most, uint64_t *size);

/** What an allocation is recorded with. */
typedef struct record_allocation {
	int has_stacks;
	uint64_t interval; /**< With stacks: bytes from one to the next, on average; 0: all allocations have one. */
	int has_callers;
	int has_objects;
} record_allocation;

/** Range of record_allocation::interval. */
#define MIN_ALLOCATION_INTERVAL (UINT64_C(1) << 10)
#define MAX_ALLOCATION_INTERVAL (UINT64_C(1) << 30)

/** One or several of stack, stack:BYTES, caller and objects, joined by +. */
int record_values_allocation(const char *text, record_allocation *allocation);

typedef struct record_exceptions {
	int has_stacks;
	int has_clauses;
} record_exceptions;

/** stack, clauses, or both joined by +. */
int record_values_exceptions(const char *text, record_exceptions *exceptions);

/** When heap snapshots are taken, in addition to those requested while the program runs. */
typedef enum heap_occasion {
	HEAP_ON_DEMAND,  /**< Only on request. */
	HEAP_EVERY,      /**< At every Nth full collection. */
	HEAP_AT_INTERVAL /**< At the first full collection after an interval in milliseconds. */
} heap_occasion;

typedef struct record_heap {
	heap_occasion when;
	uint32_t collections;  /**< N of HEAP_EVERY, at least 1. */
	uint32_t milliseconds; /**< Of HEAP_AT_INTERVAL, at least 1. */
} record_heap;

/** every-gc, ondemand, or a number such as 5gc or 500ms. */
int record_values_heap(const char *text, record_heap *heap);

typedef struct record_handles {
	const char *type;          /**< "normal", "pinned", "weak", "weak-track", or NULL for all. */
	const char *class_pattern; /**< For the class of the object, part of the text; NULL for all. */
} record_handles;

/** A type, or class:PATTERN. */
int record_values_handles(const char *text, record_handles *handles);

/** The action of a signal. */
typedef enum signal_action { SIGNAL_TOGGLE, SIGNAL_FLUSH, SIGNAL_HEAPSHOT } signal_action;

typedef struct record_signal {
	int number; /**< 0 if a program cannot use the signal for this. */
	signal_action action;
} record_signal;

/**
 * Reads "on", "off" or a number of samples per second.
 * \param value The text.
 * \param start_hz The rate that "on" means.
 * \param hz Set to the rate; 0 for "off".
 * \return NULL, or why the value is invalid. Static.
 */
const char *sample_rate_parse(const char *value, uint32_t start_hz, uint32_t *hz);

/**
 * The kinds of data recorded, one bit each. Loading and unloading of assemblies, modules and domains is always
 * recorded.
 */
typedef enum record_kind {
	RECORD_CALLS = 1 << 0,
	RECORD_ALLOCATIONS = 1 << 1,
	RECORD_JIT = 1 << 2,
	RECORD_COLLECTIONS = 1 << 3,
	RECORD_EXCEPTIONS = 1 << 4,
	RECORD_THREADS = 1 << 5,
	RECORD_CLASSES = 1 << 6,
	RECORD_ALL = (1 << 7) - 1, /**< All kinds above. */
	RECORD_SAMPLES = 1 << 7,
	RECORD_HEAP = 1 << 8, /**< Heap snapshots. */
	RECORD_HANDLES = 1 << 9,
	RECORD_MONITORS = 1 << 10,
	RECORD_FINALIZERS = 1 << 11,
	RECORD_METRICS = 1 << 12,   /**< The runtime's counters. */
	RECORD_FREED = 1 << 13,     /**< Objects that full collections find dead. */
	RECORD_MOVES = 1 << 14,     /**< Objects that collections move. */
	RECORD_SUMMARIES = 1 << 15, /**< Heap summaries by class at every full collection. */
	RECORD_MEMORY = 1 << 16,    /**< Native memory. */
	/** Kinds recorded by default: those that hardly slow the program down. Calls are not among them. */
	RECORD_DEFAULT = RECORD_SAMPLES | RECORD_ALLOCATIONS | RECORD_JIT | RECORD_COLLECTIONS | RECORD_EXCEPTIONS |
			 RECORD_THREADS | RECORD_MONITORS
} record_kind;

/** Who understands an option, one bit each. */
typedef enum record_reader {
	RECORD_OF_TOOL = 1 << 0,   /**< mprof record. */
	RECORD_OF_MONO = 1 << 1,   /**< The module for Mono. */
	RECORD_OF_NATIVE = 1 << 2, /**< That for calls and samples of native programs. */
	RECORD_OF_MEMORY = 1 << 3  /**< That for the memory of native programs. */
} record_reader;

/** The parts of a help text. */
typedef enum record_group {
	RECORD_GROUP_KINDS,
	RECORD_GROUP_DETAIL,
	RECORD_GROUP_LOG,
	RECORD_GROUP_CONTROL,
	RECORD_GROUP_OTHERS,
	RECORD_GROUP_INTERNAL /**< Of "mprof record" to a module, in no help text. */
} record_group;

typedef enum record_argument { RECORD_PLAIN, RECORD_VALUE, RECORD_VALUE_OR_PLAIN } record_argument;

/** The syntax of a value. */
typedef enum record_syntax {
	RECORD_NUMBER,
	RECORD_SIZE,
	RECORD_WORD,
	RECORD_DIALECT,
	RECORD_RESOLUTION,
	RECORD_CODEC,
	RECORD_TEXT,
	RECORD_PATTERN,
	RECORD_ALLOCATION,
	RECORD_EXCEPTION,
	RECORD_HEAP_WHEN,
	RECORD_HANDLE,
	RECORD_SIGNAL
} record_syntax;

typedef struct record_option {
	const char *name;
	const char *aliases; /**< Words of earlier profilers, which modules accept as well, each between blanks. */
	record_group group;
	unsigned readers; /**< Bits of #record_reader. */
	uint32_t kinds;   /**< Bits of #record_kind that the option switches on. */
	uint32_t needs;   /**< Without one of these kinds the option has no effect; 0 if it always has one. */
	record_argument argument;
	record_syntax syntax;
	uint64_t least; /**< Range of a number or of a size. */
	uint64_t most;
	const char *words; /**< With RECORD_WORD: the values, each between blanks. */
	const char *value; /**< Name of the value in help texts. */
	const char *help;  /**< One or more lines. */
} record_option;

/** Size of the buffer for a message, in bytes. */
#define RECORD_MESSAGE_SIZE 320

/** All options, in the order of the help texts. */
extern const record_option record_options[];
extern const size_t record_options_count;

/** The option of this name or alias, \p length bytes long, which one of \p readers understands; or NULL. */
const record_option *record_options_find(const char *name, size_t length, unsigned readers);

/**
 * Checks the value of an option, NULL if it has none. Returns 0 and formats a message, one line in which names of
 * options begin with \p prefix, if it is invalid or the library was built without what it needs.
 */
int record_options_check(const record_option *option, const char *value, const char *prefix,
			 char message[RECORD_MESSAGE_SIZE]);

/** Most signals that have an action. */
#define MAX_SIGNAL_ACTIONS 4

typedef struct record_signals {
	record_signal list[MAX_SIGNAL_ACTIONS];
	unsigned count;
} record_signals;

/** Adds a valid value of the option signal. Returns 0 with a message if it has an action, or there are too many. */
int record_signals_add(record_signals *signals, const char *value, const char *prefix,
		       char message[RECORD_MESSAGE_SIZE]);

/** What all options together ask for, as far as some exclude or need others. */
typedef struct record_combination {
	int has_ring;
	int has_max_size;
	int has_codec;
	int has_heap;
	int is_older; /**< A dialect before mprof2. */
	record_allocation allocation;
	record_signals signals;
} record_combination;

/** Returns 0 with a message if they cannot be combined. */
int record_combination_check(const record_combination *combination, const char *prefix,
			     char message[RECORD_MESSAGE_SIZE]);

/** Prints the options of a group that one of \p readers understands, with their texts. */
void record_options_print(FILE *out, record_group group, unsigned readers, const char *prefix);

/**
 * Checks all \p words, which are separated by commas and may be NULL, and calls \p report with a message for each that
 * \p reader does not understand or whose value is invalid.
 */
void record_options_check_words(const char *words, record_reader reader, void (*report)(const char *message));

/**
 * The value of an option in \p words, which are separated by commas and may be NULL: the last one counts. "" if it has
 * none, NULL if the option is not among them; \p *length is the number of bytes of the value.
 */
const char *record_options_value(const char *words, const char *name, size_t *length);

#endif
