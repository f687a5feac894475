/* SPDX-License-Identifier: MIT */
/**
 * \file format/losses.h
 * \brief Counts what a dialect cannot say.
 */
#ifndef FORMAT_LOSSES_H
#define FORMAT_LOSSES_H

#include <mprof/writer.h>

#define LOSSES_COUNT(counts, kind)                                                                                     \
	do {                                                                                                           \
		if ((kind) < sizeof(counts) / sizeof((counts)[0]))                                                     \
			(counts)[kind]++;                                                                              \
	} while (0)

/** An event is not in the log. */
static inline void losses_leave_out_event(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_events, kind);
}

/** An event is in the log without something. */
static inline void losses_shorten_event(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->shortened_events, kind);
}

/** A block is not in the log. */
static inline void losses_leave_out_block(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_blocks, kind);
}

/** Counts a block that is in the log without something other than events. */
static inline void losses_shorten_block(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->shortened_blocks, kind);
}

/** A definition or record is not in the log, though its block is. */
static inline void losses_leave_out_record(mprof_writer_stats *stats, uint32_t kind)
{
	stats->left_out++;
	LOSSES_COUNT(stats->left_out_records, kind);
}

#endif
