/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/keys.h
 * \brief Which ID the log has for what a client names by a key. All of this is the writer thread's.
 *
 * An ID is given, and its definition handed to the mprof_writer, when the first use of a key is drained; so what
 * follows may use it.
 */
#ifndef RECORDER_KEYS_H
#define RECORDER_KEYS_H

#include <mprof/recorder.h>

/**
 * The ID of a method at a counter. A key that is none is the method "(no key)"; in a call chain it is 0 instead,
 * without asking. Returns 0 for want of memory.
 */
uint32_t recorder_method_id(mprof_recorder *recorder, mprof_key key, uint64_t counter);

/** The same for a class. */
uint32_t recorder_class_id(mprof_recorder *recorder, mprof_key key, uint64_t counter);

/** Keeps the first error of the mprof_writer, which ends the writing, but not the draining. #MPROF_OK is none. */
void recorder_note_status(mprof_recorder *recorder, mprof_status status);

/**
 * Takes in what threads have told so far. To be called between finding out what is to be drained and looking at its
 * keys: their definitions were pushed before.
 */
void recorder_process_messages(mprof_recorder *recorder);

/**
 * Whether the log still takes more than losses: writing did not fail, and no block was refused for the limit. What is not
 * written is counted with recorder_count_lost().
 */
int recorder_is_writing(mprof_recorder *recorder);

/** Counts events or samples that come from no thread that is attached: told as losses of thread 0. */
void recorder_count_lost(mprof_recorder *recorder, mprof_loss_cause cause, uint64_t count);

/** The cause to count with recorder_count_lost() where recorder_is_writing() says no. */
mprof_loss_cause recorder_loss_cause(const mprof_recorder *recorder);

/**
 * The ID of the area of roots that held an address at a counter, and its kind; it is in the log when this returns. 0,
 * with \p kind left as it was, if there is none. May write blocks: not to be called inside of one.
 */
uint32_t recorder_root_id(mprof_recorder *recorder, uint64_t slot, uint64_t counter, mprof_root_kind *kind);

#endif
