/* SPDX-License-Identifier: MIT */
/**
 * \file classic_log.h
 * \brief Builds logs of the older dialects from single numbers, including content that no writer produces.
 */
#ifndef LOGS_CLASSIC_LOG_H
#define LOGS_CLASSIC_LOG_H

#include <mprof/reader.h>

/** Block codes of drop, mono and unity. */
enum { CLASSIC_INTRO = 1, CLASSIC_END = 2, CLASSIC_EVENTS = 6, CLASSIC_STATISTICAL = 7, CLASSIC_DIRECTIVES = 10 };

/** A log under construction. */
typedef struct classic_log {
	mprof_dialect dialect;
	uint8_t bytes[65536];
	size_t length;
	size_t block;     /**< Offset of the open block. */
	uint64_t counter; /**< Of the next CLOCK, and also its time; incremented automatically. */
} classic_log;

/** Starts a log of #MPROF_DIALECT_DROP or #MPROF_DIALECT_MONO with its INTRO. */
void classic_log_begin(classic_log *log, mprof_dialect dialect);

/** Adds numbers as varints. CLASSIC_PUT(log, 1, 2) adds two. */
void classic_log_put(classic_log *log, const uint64_t *numbers, size_t count);
#define CLASSIC_NUMBERS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define CLASSIC_PUT(log, ...) classic_log_put(log, CLASSIC_NUMBERS(__VA_ARGS__))

void classic_log_put_byte(classic_log *log, uint8_t byte);
void classic_log_put_text(classic_log *log, const char *text);

/** Starts a block and adds its CLOCK. Returns its offset. */
size_t classic_log_open(classic_log *log, uint8_t code);

/** Adds the CLOCK at the end of the block. */
void classic_log_close(classic_log *log);

/** Starts and ends an EVENTS block; the end is preceded by the byte 0. The base counter is that of its CLOCK. */
size_t classic_log_open_events(classic_log *log, uint64_t thread);
void classic_log_close_events(classic_log *log);

/** A DIRECTIVES block with these directives, as #MPROF_DIRECTIVE_BIT. */
void classic_log_directives(classic_log *log, uint64_t directives);

/**
 * A stack section: the number of frames that stay, then the new frames, the innermost first. A frame is a method << 1,
 * with bit 0 set if the method is being compiled. CLASSIC_SECTION(log, 2, 3 << 1) keeps two frames and adds method 3.
 */
void classic_log_section(classic_log *log, const uint64_t *numbers, size_t count);
#define CLASSIC_SECTION(log, ...) classic_log_section(log, CLASSIC_NUMBERS(__VA_ARGS__))

/** An allocation of class 3 without optional fields, and a monitor event of it. */
void classic_log_allocation(classic_log *log);
void classic_log_monitor(classic_log *log);

/** The END block. */
void classic_log_end(classic_log *log);

/** Opens a reader for the log. */
mprof_reader *classic_log_read(const classic_log *log, const mprof_reader_options *options);

/**
 * Reads the log repeatedly, each time with another request for memory refused, until none is. Fails unless each
 * run but the last ends with #MPROF_ERR_MEMORY, the last one with #MPROF_END, and all memory is freed. \p kind: the
 * blocks whose events are fetched, in batches of \p capacity, at most 64. \p fail_once: later requests are granted.
 */
void classic_log_refuse_memory(const classic_log *log, mprof_block_kind kind, size_t capacity, int fail_once);

/** Goes to the next block of a kind, which must exist. */
void classic_log_go_to(mprof_reader *reader, mprof_block_kind kind, mprof_block *block);

#endif
