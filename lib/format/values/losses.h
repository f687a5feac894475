/* SPDX-License-Identifier: MIT */
/**
 * \file format/values/losses.h
 * \brief Counts what a lossy conversion leaves out because the dialect cannot represent it.
 */
#ifndef FORMAT_VALUES_LOSSES_H
#define FORMAT_VALUES_LOSSES_H

#include <mprof/writer.h>

#define LOSSES_COUNT(counts, kind)                                                                                     \
	do {                                                                                                           \
		if ((kind) < sizeof(counts) / sizeof((counts)[0]))                                                     \
			(counts)[kind]++;                                                                              \
	} while (0)

/** Counts an event that is not in the log. */
static inline void losses_leave_out_event(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_events, kind);
}

/** Counts an event of which a part is not in the log. */
static inline void losses_shorten_event(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->shortened_events, kind);
}

/** Counts a block that is not in the log. */
static inline void losses_leave_out_block(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_blocks, kind);
}

/** Counts a block of which a part other than events is not in the log. */
static inline void losses_shorten_block(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->shortened_blocks, kind);
}

/** Counts a definition or record that is not in the log although its block is. */
static inline void losses_leave_out_record(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_records, kind);
}

#endif
