/* SPDX-License-Identifier: MIT */
/**
 * \file report/tree.h
 * \brief Prints a tree of the profile as text or JSON, the heaviest branches first, without those that are too light or
 * too deep; the caller specifies what its nodes are. Not recursive, so deep trees need no more stack than flat ones.
 */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "common/json.h"
#include "report/report.h"

/** The properties of a node that the walk needs. Node 0 is the root; as a link, 0 means that there is no such node. */
typedef struct tree_node {
	uint32_t node;
	uint32_t first_child;
	uint32_t next_sibling;
	uint32_t name;     /**< Last sort key: the smaller one comes first. */
	uint64_t weight;   /**< Weight of the node with its descendants. */
	uint64_t tiebreak; /**< Sort key for nodes of the same weight: the larger one comes first. */
} tree_node;

/** A kind of tree. Node 0 is the root, which is not printed. */
typedef struct report_tree {
	const char *title;
	report_table table;
	const char *columns;    /**< Headings of the columns between the weight and the name, right-aligned. */
	const char *subject;    /**< Heading of the names. */
	const char *key;        /**< JSON key of the tree. */
	const char *share_key;  /**< JSON key of the share below which branches are left out, in percent. */
	const char *hidden_key; /**< JSON key of the weight of the branches of a node that are left out. */

	/** Prints lines below the title; NULL: none. */
	void (*print_note)(const log_report *report);
	/** Fills in all fields of \p found for a node. */
	void (*get)(const log_report *report, uint32_t node, tree_node *found);
	int (*is_empty)(const log_report *report);
	/** The weight of the whole tree. */
	uint64_t (*whole)(const log_report *report);
	/** The name of a node; NULL if unknown. Valid until the next call. */
	const char *(*name)(const log_report *report, uint32_t node);
	/** Formats a weight: text_duration() or text_count(). */
	char *(*format)(char *text, uint64_t weight);
	/** Prints the other columns of a node, as wide as the headings. */
	void (*print_columns)(const log_report *report, uint32_t node);
	/** Prints the name of a node as the rest of a line. */
	void (*print_name)(const log_report *report, uint32_t node);
	/** Prints the JSON fields of a node before its children. */
	void (*print_fields)(const log_report *report, json_writer *json, uint32_t node);
} report_tree;

/** Prints a tree as text; nothing if it is empty. Branches below the requested share are left out. */
void report_tree_text(const log_report *report, const report_tree *tree);

/**
 * Prints a tree as JSON without the branches below the requested share. If none was requested for a bounded document,
 * the share is the smallest with which the tree is not larger than the log.
 */
void report_tree_json(const log_report *report, const report_tree *tree, json_writer *json);

#endif
