/* SPDX-License-Identifier: MIT */
/**
 * \file report/tree.h
 * \brief How much of a tree a bounded document has room for.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "report/report.h"
#include "report/tree_paths.h"

/** The name of a node; valid until the next call. */
typedef const char *(*report_node_name)(const log_report *report, uint32_t node);

/**
 * Walks over a tree of a profile for JSON and leaves out branches below the share that was asked for. Unless one was,
 * that is the least that makes the tree no larger than the log. \p whole is what the root weighs. Returns the share.
 */
uint64_t report_tree_walk_json(const log_report *report, const tree_visitor *visitor, uint64_t whole,
			       report_node_name name);

#endif
