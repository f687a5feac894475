/* SPDX-License-Identifier: MIT */
/**
 * \file model/profile/meaning_rows.h
 * \brief The rows of metrics and histograms, and of events that have a meaning: messages, waits,
 * generations and states of threads.
 */
#ifndef MODEL_PROFILE_MEANING_ROWS_H
#define MODEL_PROFILE_MEANING_ROWS_H

#include <mprof/profile.h>

/** Number of rows of each table. */
size_t meaning_rows_count_metrics(const mprof_profile *profile);
size_t meaning_rows_count_histograms(const mprof_profile *profile);
size_t meaning_rows_count_messages(const mprof_profile *profile);
size_t meaning_rows_count_waits(const mprof_profile *profile);
size_t meaning_rows_count_generations(const mprof_profile *profile);
size_t meaning_rows_count_states(const mprof_profile *profile);

/** Store a row in a struct of the table, all 0. */
void meaning_rows_store_metric(const mprof_profile *profile, size_t index, void *row);
void meaning_rows_store_histogram(const mprof_profile *profile, size_t index, void *row);
void meaning_rows_store_message(const mprof_profile *profile, size_t index, void *row);
void meaning_rows_store_wait(const mprof_profile *profile, size_t index, void *row);
void meaning_rows_store_generation(const mprof_profile *profile, size_t index, void *row);
void meaning_rows_store_state(const mprof_profile *profile, size_t index, void *row);

#endif
