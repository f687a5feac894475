/* SPDX-License-Identifier: MIT */
/**
 * \file classic_log.h
 * \brief Logs of the older dialects, put together number by number, to say in them what no writer would.
 */
#ifndef CLASSIC_LOG_H
#define CLASSIC_LOG_H

#include <mprof/reader.h>

/** Block codes of drop, mono and unity. */
enum { CLASSIC_INTRO = 1, CLASSIC_END = 2, CLASSIC_EVENTS = 6, CLASSIC_STATISTICAL = 7, CLASSIC_DIRECTIVES = 10 };

/** A log that is being made. */
typedef struct classic_log {
	mprof_dialect dialect;
	uint8_t bytes[65536];
	size_t length;
	size_t block;     /**< Where the open block begins. */
	uint64_t counter; /**< Of the next CLOCK, which is also its time; grows by itself. */
} classic_log;

/** Begins a log of #MPROF_DIALECT_DROP or #MPROF_DIALECT_MONO with its INTRO. */
void classic_log_begin(classic_log *log, mprof_dialect dialect);

/** Puts numbers, as INTs. CLASSIC_PUT(log, 1, 2) puts two. */
void classic_log_put(classic_log *log, const uint64_t *numbers, size_t count);
#define CLASSIC_NUMBERS(...) (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)
#define CLASSIC_PUT(log, ...) classic_log_put(log, CLASSIC_NUMBERS(__VA_ARGS__))

void classic_log_put_byte(classic_log *log, uint8_t byte);
void classic_log_put_text(classic_log *log, const char *text);

/** Opens a block and puts its CLOCK. Returns where it begins. */
size_t classic_log_open(classic_log *log, uint8_t code);

/** Puts the CLOCK at the end of the block. */
void classic_log_close(classic_log *log);

/** A block of events: opens it, and puts the byte 0 in front of its end. The base counter is that of its CLOCK. */
size_t classic_log_open_events(classic_log *log, uint64_t thread);
void classic_log_close_events(classic_log *log);

/** A DIRECTIVES block with these directives, as #MPROF_DIRECTIVE_BIT. */
void classic_log_directives(classic_log *log, uint64_t directives);

/**
 * A stack section: the number of frames that stay, and those on them, each a method << 1, with bit 0 if it is being
 * compiled; the innermost first. CLASSIC_SECTION(log, 2, 3 << 1) lets two stay, below method 3.
 */
void classic_log_section(classic_log *log, const uint64_t *numbers, size_t count);
#define CLASSIC_SECTION(log, ...) classic_log_section(log, CLASSIC_NUMBERS(__VA_ARGS__))

/** An allocation of the class 3, without extras; and a monitor event of it. */
void classic_log_allocation(classic_log *log);
void classic_log_monitor(classic_log *log);

/** The END block. */
void classic_log_end(classic_log *log);

/** Opens a reader for it. */
mprof_reader *classic_log_read(const classic_log *log, const mprof_reader_options *options);

/** Goes to the next block of a kind, which must be there. */
void classic_log_go_to(mprof_reader *reader, mprof_block_kind kind, mprof_block *block);

#endif
