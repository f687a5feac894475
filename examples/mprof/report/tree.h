/* SPDX-License-Identifier: MIT */
/**
 * \file report/tree.h
 * \brief Limits the size of a tree in a bounded document.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "report/report.h"
#include "report/tree_paths.h"

/** The name of a node; valid until the next call. */
typedef const char *(*report_node_name)(const log_report *report, uint32_t node);

/**
 * Walks a tree of a profile for JSON and leaves out branches below the requested share. If none was requested, the
 * share is the least with which the tree is not larger than the log. \p whole is the weight of the root. Returns the
 * share.
 */
uint64_t report_tree_walk_json(const log_report *report, const tree_visitor *visitor, uint64_t whole,
			       report_node_name name);

#endif
