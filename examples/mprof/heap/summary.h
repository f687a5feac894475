/* SPDX-License-Identifier: MIT */
/**
 * \file heap/summary.h
 * \brief Prints which snapshot it is, what it contains in total, and what is missing; and the list of all snapshots.
 */
#ifndef HEAP_SUMMARY_H
#define HEAP_SUMMARY_H

#include "common/json.h"
#include "heap/view.h"

void heap_summary_text(const heap_view *view);

/** Prints the fields into an open object. */
void heap_summary_json(const heap_view *view, json_writer *json);

void heap_list_text(const heap_view *view);
void heap_list_csv(const heap_view *view);

/** Prints the snapshots as an array. */
void heap_list_json(const heap_view *view, json_writer *json);

#endif
