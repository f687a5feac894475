/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/sample_kinds.h
 * \brief Samples of kinds, which the log describes as types (doc/format.md, 3.25): how many there are of each kind,
 * what they stand for, and where, by call stack, thread and processor.
 */
#ifndef MODEL_RECORDS_SAMPLE_KINDS_H
#define MODEL_RECORDS_SAMPLE_KINDS_H

#include "base/hash_map.h"
#include "base/memory_budget.h"
#include "model/records/record_table.h"
#include "model/records/samples.h"
#include "model/records/window.h"

#include <mprof/format.h>
#include <mprof/reader.h>

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
