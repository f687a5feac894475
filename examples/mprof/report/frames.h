/* SPDX-License-Identifier: MIT */
/**
 * \file report/frames.h
 * \brief Callers and callees of methods, inverted trees, and filters for the frames of call stacks.
 */
#ifndef REPORT_FRAMES_H
#define REPORT_FRAMES_H

#include "common/json.h"
#include "report/report.h"

/** What the filters do with a frame: bits of #mprof_frame_choice. \p kind: an #mprof_sample_kind. */
uint32_t report_frames_choose(const log_report *report, uint32_t kind, uint32_t id);

/**
 * Makes a tree of frames with the focus of the report. Returns NULL after a message if memory is exhausted. The caller
 * destroys the tree.
 */
mprof_frame_tree *report_frames_create(const log_report *report, mprof_frame_tree_options *options);

/** Makes the trees that the options ask for. Returns 0 after a message if out of memory. */
int report_frames_make(log_report *report);
void report_frames_release(log_report *report);

/** Whether the options ask for callers, callees or inverted trees, which are then printed alone. */
int report_frames_are_alone(const log_report *report);

/**
 * Replaces the statistics of methods by those of the call stacks that the filters keep. Adds a row for collapsed
 * frames, which \p methods has room for. Returns the number of rows.
 */
size_t report_frames_filter_methods(const log_report *report, mprof_method_stats *methods, size_t count);

/** Whether the filters of frames keep a call stack. Hidden and collapsed frames make no difference. */
int report_frames_keep_stack(const log_report *report, uint32_t stack);

/** Whether the filters of frames keep the site of an allocation; without a call stack, the direct caller counts. */
int report_frames_keep_site(const log_report *report, uint32_t stack, uint32_t caller);

void report_frames_text(const log_report *report);
void report_frames_json(log_report *report, json_writer *json);

#endif
