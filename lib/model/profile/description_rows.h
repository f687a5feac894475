/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/description_rows.h
 * \brief The rows of what a log describes: processes, timelines, clocks and kinds of samples.
 */
#ifndef MODEL_PROFILE_DESCRIPTION_ROWS_H
#define MODEL_PROFILE_DESCRIPTION_ROWS_H

#include <mprof/profile.h>

/** Number of rows of each table. */
size_t description_rows_count_processes(const mprof_profile *profile);
size_t description_rows_count_timelines(const mprof_profile *profile);
size_t description_rows_count_clocks(const mprof_profile *profile);
size_t description_rows_count_sample_kinds(const mprof_profile *profile);
size_t description_rows_count_sample_groups(const mprof_profile *profile);

/** Store a row in a struct of the table, all 0. */
void description_rows_store_process(const mprof_profile *profile, size_t index, void *row);
void description_rows_store_timeline(const mprof_profile *profile, size_t index, void *row);
void description_rows_store_clock(const mprof_profile *profile, size_t index, void *row);
void description_rows_store_sample_kind(const mprof_profile *profile, size_t index, void *row);
void description_rows_store_sample_group(const mprof_profile *profile, size_t index, void *row);
size_t description_rows_count_code_ranges(const mprof_profile *profile);
void description_rows_store_code_range(const mprof_profile *profile, size_t index, void *row);

#endif
