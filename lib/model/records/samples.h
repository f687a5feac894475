/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/samples.h
 * \brief Samples: a tree of call stacks, and sums over it for each method and each part of native code. Also by line
 * of the source (doc/format.md, 3.32), and samples of kinds that the log describes (3.25), each with its own tree.
 *
 * Frames are mapped to *records*, numbered from 0: a method, or the function, module or location of native code. The
 * tree is a call tree whose methods are records and whose exclusive times are numbers of samples. Samples without
 * memory for their call stacks count at the root itself.
 */
#ifndef MODEL_RECORDS_SAMPLES_H
#define MODEL_RECORDS_SAMPLES_H

#include <mprof/format.h>
#include <mprof/profile.h>
#include <mprof/reader.h>

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/call_tree.h"
#include "model/records/record_table.h"
#include "model/records/window.h"

#include <stdint.h>

/** What a frame of a call stack contributes to the kind of a wait. */
typedef struct wait_role {
	mprof_wait_kind kind; /**< #MPROF_WAIT_NONE: nothing. */
	int is_innermost;     /**< A thread can wait in the function itself. Else kind is why a callee waits. */
} wait_role;

typedef struct sample_record {
	uint32_t kind; /**< An mprof_sample_kind. */
	uint32_t id;
	uint32_t active;       /**< While sums are computed: the number of frames of the record on the current path. */
	wait_role wait;        /**< By its name when it was added. */
	uint32_t mark;         /**< While a call stack is visited: sample_model::mark of the last one that contains this
	                      record. */
	uint32_t next_changed; /**< Link of sample_model::changed; 0: not linked. */
	uint64_t counted_self; /**< While sums are computed: of the nodes visited so far, as is counted_total. */
	uint64_t counted_total;
	uint64_t self; /**< As of the last samples_show(), as is total. */
	uint64_t total;
	uint64_t folded_self; /**< Since the last samples_show(), of samples that have no node, as is folded_total. */
	uint64_t folded_total;
} sample_record;

/** The node of a call stack in the tree. For a stack ID without samples the node is the root. */
typedef struct sample_stack {
	uint32_t id;
	uint32_t node;
	uint64_t count; /**< Samples with exactly this call stack. */
	uint64_t idle;  /**< More of them, of an idle thread, that no node has: see samples_fold_idle(). */
} sample_stack;

typedef struct sample_model {
	hash_map numbers; /**< Numbers of records, by kind and ID. */
	sample_record *records;
	size_t record_count;
	size_t record_capacity;
	record_table stacks;
	call_tree tree;
	uint32_t *path; /**< Buffer for a walk from a call stack to its outermost frame. */
	size_t path_capacity;
	mprof_allocator allocator;   /**< For records. */
	const memory_budget *budget; /**< Consulted when memory is refused. */
	uint32_t mark;
	int has_locations; /**< Native frames are counted by location, not by function. */
	int folds_idle;    /**< Set after samples_init(): samples of idle threads are held for samples_fold_idle(). */
	int has_methods;   /**< A managed method is on a call stack. */
	int has_folded;    /**< Records have folded samples since the last samples_show(). */
	uint32_t changed;  /**< While sums are computed: list of the records that nodes were counted in. */
} sample_model;

/**
 * \p has_locations: native frames are counted by location instead of by function. Returns 0 if there is no memory;
 * samples_destroy() may be called in that case, too.
 */
int samples_init(sample_model *samples, memory_budget *budget, int has_locations);
void samples_destroy(sample_model *samples);

/**
 * What a frame of a call stack counts as, an mprof_sample_kind and its ID. A location counts as its function, or as its
 * module if the function is not known.
 */
void samples_item_of_frame(const mprof_reader *reader, const mprof_stack_frame *frame, uint32_t *kind, uint32_t *id);

/**
 * Adds \p count samples of a call stack. A stack that is not defined in the reader counts as an unknown method. Returns
 * 0 if there is no memory.
 */
int samples_add_stack(sample_model *samples, const mprof_reader *reader, uint32_t stack, uint64_t count);

/**
 * Counts the samples that were held as one frame if there is managed code, and else by their call stacks. Returns 0 if
 * there is no memory, when another call goes on.
 */
int samples_fold_idle(sample_model *samples, const mprof_reader *reader);

/** Adds \p count samples of a single frame, without a call stack. Returns 0 if there is no memory. */
int samples_add_frame(sample_model *samples, const mprof_reader *reader, uint32_t kind, uint32_t id, uint64_t count);

/** Multiplies all numbers of samples so far. */
void samples_scale(sample_model *samples, uint64_t factor);

/** What threads wait for in the samples whose innermost frame is a node. */
mprof_wait_kind samples_wait_of(const sample_model *samples, uint32_t node);

/** What threads wait for in samples with this call stack, some of which have been added. */
mprof_wait_kind samples_wait_of_stack(const sample_model *samples, uint32_t stack);

/** Called for a record whose sums may have changed. Returns 0 to stop. */
typedef int (*samples_visit)(void *user, const sample_record *record);

/** Steps of samples_show(). */
uint64_t samples_steps(const sample_model *samples);

/**
 * Adds new samples to the sums of nodes and records. \p prepare is called for all records concerned before anything
 * changes, and \p show afterwards; it may be called more than once for a record, the last time with its final sums.
 * Returns 0 if \p prepare does, when nothing has changed, or if it was stopped, when all has changed or nothing.
 */
int samples_show(sample_model *samples, samples_visit prepare, samples_visit show, void *user, progress *going);

/** The key of the property that states the period of the samples that follow, in nanoseconds (doc/format.md, 3.8). */
#define SAMPLE_PERIOD_KEY "sample_period_ns"

/*
 * Samples are counted in units of time, not longer than the shortest period so far. A sample of a longer period counts
 * several times; fractions count for the next samples. While all periods are the same, each sample counts once.
 */

typedef struct sample_weights {
	uint64_t unit;   /**< In nanoseconds; 0 before a period is known. */
	uint64_t period; /**< Of the samples that follow. */
	uint64_t rest;   /**< Time of samples that is not counted yet: less than a unit. */
} sample_weights;

/**
 * Sets the period of the samples that follow, as the log states it; other texts change nothing. Returns the factor by
 * which all counts so far must be multiplied, since the unit is shorter now: 1 or more.
 */
uint64_t sample_weights_set_period(sample_weights *weights, const char *text);

/** The number that samples count for. */
static inline uint64_t sample_weights_count(sample_weights *weights, uint64_t samples)
{
	uint64_t time;

	if (weights->unit == weights->period)
		return samples;
	time = weights->rest + samples * weights->period;
	weights->rest = time % weights->unit;
	return time / weights->unit;
}

/** Samples and allocations of a line. */
typedef struct line_record {
	mprof_line_stats stats;
	uint64_t mark; /**< While a call stack is visited: line_list::mark of the last one that contains the line. */
} line_record;

typedef struct line_list {
	mprof_allocator allocator;
	line_record *records;
	size_t count;
	size_t capacity;
	hash_map numbers; /**< Numbers of records, by the hash of a line and the hashes after it. */
	uint64_t mark;
} line_list;

/** What a call stack counts. */
typedef struct line_counts {
	uint64_t samples;
	uint64_t allocations;
	uint64_t bytes;
} line_counts;

void line_list_init(line_list *lines, const mprof_allocator *allocator);
void line_list_destroy(line_list *lines);
void line_list_clear(line_list *lines);

/**
 * Adds what a call stack counts. A method allocates in the line of its own frame, also if native code inside it does.
 * Returns 0 if there is no memory.
 */
int line_list_add(line_list *lines, const mprof_reader *reader, uint32_t stack, const line_counts *counts);

/** A kind. Its sums are those of the samples that are in the tree. */
typedef struct sample_kind {
	uint32_t type;
	uint32_t unit; /**< Of the weight, an #mprof_argument_unit. */
	uint64_t period;
	uint64_t samples;
	uint64_t weight;
	uint64_t without_weight; /**< Samples that weight lacks. */
	uint64_t without_stack;  /**< Samples without a call stack, or with one that is not defined. */
	char *name;
	char *unit_name;
	char *source;
	sample_model *tree; /**< Weights by call stack. */
	struct kind_argument *arguments;
	size_t argument_count; /**< Up to the last one that matters. */
} sample_kind;

/** Samples of a kind on a thread and a processor. */
typedef struct sample_group {
	uint32_t type;
	uint32_t cpu; /**< #MPROF_CPU_UNKNOWN if not known. */
	uint64_t thread;
	uint64_t mode; /**< An #mprof_sample_mode. */
	uint64_t samples;
	uint64_t weight;
} sample_group;

typedef struct sample_kinds {
	record_table kinds; /**< Of sample_kind, by type. */
	sample_group *groups;
	size_t group_count;
	size_t group_capacity;
	hash_index numbers; /**< Of groups, plus 1. */
	memory_budget *budget;
	int has_locations; /**< Native frames are counted by location, not by function. */
} sample_kinds;

/** \p has_locations: as for samples_init(). */
void sample_kinds_init(sample_kinds *all, memory_budget *budget, int has_locations);
void sample_kinds_destroy(sample_kinds *all);

/**
 * Adds an event whose type is a kind of samples. \p thread is that of the block, which an argument may replace. A
 * sample of a thread that is not in the window is not counted. \p is_counted receives whether it is. Returns 0 if there
 * is no memory; nothing is counted then.
 */
int sample_kinds_add(sample_kinds *all, mprof_reader *reader, const profile_window *window, uint64_t thread,
		     const mprof_event *event, int *is_counted);

/** A kind, or NULL if no sample of the type was added. */
static inline const sample_kind *sample_kinds_find(const sample_kinds *all, uint32_t type)
{
	return record_table_find(&all->kinds, type);
}

#endif
