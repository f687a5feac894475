/* SPDX-License-Identifier: MIT */
/**
 * \file parser/log_state.h
 * \brief Stores what blocks specify for the blocks after them, and the last counter of each thread.
 */
#ifndef PARSER_LOG_STATE_H
#define PARSER_LOG_STATE_H

#include <mprof/parser.h>

#include "format/blocks/block_decode.h"
#include "parser/parser_internal.h"

/**
 * Detects the dialect from the first bytes of the log, as far as they determine it. Returns #MPROF_OK, #MPROF_AGAIN, or
 * the error for a file that is not a readable log.
 */
mprof_status parser_detect(mprof_parser *parser);

/** Whether the log begins like mail, and no block has shown yet whether it is mail or drop. */
int parser_may_be_mail_or_drop(const mprof_parser *parser);

/** Advances parser::log_phase after INTRO was read or found to be unreadable. Has no effect when called again. */
void parser_intro_done(mprof_parser *parser);

/**
 * Distinguishes mail and drop, whose INTROs are the same, by the block whose header is at the start of the buffer: they
 * have different codes for the same kinds of blocks. If the block is valid in both, the next one decides; until then
 * mail is assumed.
 */
mprof_status parser_decide_mail_or_drop(mprof_parser *parser, const block_header *header);

/**
 * Sets the directives in force to those of the DIRECTIVES blocks before an offset of the log, as far as these were
 * read.
 */
void parser_directives_restore(mprof_parser *parser, uint64_t offset);

/** Makes room for one more change of the directives. Returns 0 if out of memory. */
int parser_directives_reserve(mprof_parser *parser);

/** Adds what the DIRECTIVES block at the start of the buffer declares. Call parser_directives_reserve() before. */
void parser_directives_add(mprof_parser *parser, uint64_t declared, uint64_t unreadable_kinds, int is_lost);

/** Stores the object sizes from the decoded MAPPING block at the start of the buffer. Returns 0 if out of memory. */
int parser_store_object_sizes(mprof_parser *parser);

/**
 * Infers from the decoded block at the start of the buffer how to decode blocks of older logs, which do not specify
 * their layout.
 */
void parser_infer_layouts(mprof_parser *parser);

void thread_counters_init(thread_counters *counters, const mprof_allocator *allocator);
void thread_counters_destroy(thread_counters *counters);

/**
 * Begins a block of a thread. \p start receives the counter that its first delta is added to. Returns 0 if out of
 * memory; the block is then not begun.
 */
int thread_counters_begin(thread_counters *counters, uint64_t offset, uint64_t thread, uint64_t base, uint64_t *start);

/** Ends the block that was begun last. \p reached is the counter of its last event. */
void thread_counters_end(thread_counters *counters, uint64_t reached);

/** Records that the EVENTS block at this offset is skipped, so that counters of threads may be wrong after it. */
void thread_counters_miss(thread_counters *counters, uint64_t offset);

/**
 * Records that reading, which has reached the offset \p from, continues at the offset \p to. The counters of threads do
 * not apply there and are discarded; the starts of blocks still apply and are kept.
 */
void thread_counters_jump(thread_counters *counters, uint64_t from, uint64_t to);

#endif
