/* SPDX-License-Identifier: MIT */
/**
 * \file model/records/partial_profile.h
 * \brief What the events of one block add to a profile, computed without the profile, so that any thread can do it.
 *
 * The methods that are open at the start of the block are not known then. Events are therefore divided into runs, and
 * the calls of a run are a tree that starts with the unknown frame on top of the stack. A return from it leads to the
 * frame below, which is not known either. When the run is added to a profile, the nodes of the tree become nodes of the
 * call tree of the profile. There are far fewer of them than events, since calls repeat.
 *
 * A run ends at each event that is not a call, a return, or an allocation. Such events are kept, and the profile adds
 * them as usual between the runs: they may change the stack, so the next run starts with an unknown frame again.
 *
 * All memory is part of the struct. If it is not enough, there is no partial profile.
 */
#ifndef MODEL_RECORDS_PARTIAL_PROFILE_H
#define MODEL_RECORDS_PARTIAL_PROFILE_H

#include "format/events/event_decode_table.h"

#include <mprof/format.h>

/** Maximum numbers for a block. A typical block has far fewer. */
enum { PARTIAL_NODES = 16384, PARTIAL_ALLOCATIONS = 8192, PARTIAL_RUNS = 512 };

/** The number of no node. */
#define PARTIAL_NONE UINT32_MAX

/** The method of a frame is not known. A leave of a method with this ID is not part of a run. */
#define PARTIAL_UNKNOWN UINT32_MAX

/**
 * A node of the tree of a run. Frames from before the run have no parent; they are in the order in which the run
 * reached them, each below the one before. Several nodes may stand for the same path, each with a part of its sums.
 */
typedef struct partial_node {
	uint32_t method; /**< For a frame from before the run the method of the leave that ended it, or
	                      #PARTIAL_UNKNOWN. */
	uint32_t parent; /**< #PARTIAL_NONE for a frame from before the run. */
	uint64_t self;   /**< In counters. */
	uint32_t calls;
} partial_node;

/** Allocations of a class by a node, at one call site. There may be several with the same. */
typedef struct partial_allocation {
	uint32_t node;
	uint32_t class_id;
	uint32_t stack;
	uint32_t caller;
	uint32_t is_unsized; /**< 1: their size is that of the class; bytes is 0. */
	uint64_t count;
	uint64_t bytes;
} partial_allocation;

/** Events between two that are not part of runs. */
typedef struct partial_run {
	size_t first_node; /**< The first of its nodes, which is the frame on top of the stack at its start. */
	size_t node_end;   /**< The number after that of its last node. */
	size_t first_allocation;
	size_t allocation_end;
	uint32_t top;           /**< The node on top at its end. */
	int32_t highest;        /**< The maximum number of frames above the one on top at its start. */
	uint64_t start_counter; /**< The time of the thread at its start; for the first run that of the first event
	                             with a time. */
	uint64_t end_counter;
	uint64_t leaves; /**< With a method. */
	uint64_t implicit_leaves;
} partial_run;

typedef struct partial_profile {
	struct partial_builder *builder; /**< What builds it, until it is complete. */
	uint64_t event_count;
	uint64_t first_counter; /**< Counter of the first event. */

	partial_run runs[PARTIAL_RUNS];
	size_t run_count;
	mprof_event rows[PARTIAL_RUNS]; /**< The event after each run but the last one. */
	mprof_event_detail details[PARTIAL_RUNS];
	partial_node nodes[PARTIAL_NODES];
	partial_allocation allocations[PARTIAL_ALLOCATIONS];
} partial_profile;

/** Builds partial profiles, which are its states. */
extern const event_visitor partial_profile_visitor;

#endif
