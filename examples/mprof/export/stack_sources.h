/* SPDX-License-Identifier: MIT */
/**
 * \file export/stack_sources.h
 * \brief Fills trees of call stacks with the calls, samples, allocations, waits and handles of a report.
 *
 * All functions return 0 if out of memory.
 */
#ifndef STACK_SOURCES_H
#define STACK_SOURCES_H

#include "export/stack_nodes.h"

/** Adds the calls, by time or by number. */
int stack_sources_add_calls(stack_tree *tree, const log_report *report);

/** Adds the samples, by number or by the time that they represent. */
int stack_sources_add_samples(stack_tree *tree, const log_report *report);

/** Adds the allocations, by number or by bytes. The innermost frame is the class. */
int stack_sources_add_allocations(stack_tree *tree, const log_report *report);

/** Adds the waits for monitors. */
int stack_sources_add_waits(stack_tree *tree, const log_report *report);

/** Adds the handles that are alive. */
int stack_sources_add_handles(stack_tree *tree, const log_report *report);

#endif
