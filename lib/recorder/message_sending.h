/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/message_sending.h
 * \brief Sends messages to the writer thread within the limit of the queue: a thread waits for room, or loses the
 * message.
 */
#ifndef RECORDER_MESSAGE_SENDING_H
#define RECORDER_MESSAGE_SENDING_H

#include "recorder/shared.h"

/**
 * Counts a definition against the limit, so that it may be pushed. With #MPROF_OVERFLOW_WAIT, the thread waits for room
 * as it waits for a buffer. The message is released if this fails. Any thread.
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_MEMORY if \p created is NULL.
 * - #MPROF_ERR_STATE if the recorder is being closed.
 * - #MPROF_ERR_LIMIT if there is no room and the thread must not wait: it is counted as refused.
 */
mprof_status message_sending_reserve(recorder_shared *shared, message *created);

/**
 * Sends the definition of a key, with the same results. If it is lost, events that use the key from now on do not get
 * its earlier meaning. Any thread.
 */
mprof_status message_sending_define(recorder_shared *shared, message_kind kind, mprof_key key, uint64_t counter,
				    message *created);

/** Sends another definition, with the same results. Any thread. */
mprof_status message_sending_send(recorder_shared *shared, message *created);

/** Sends a message that is refused if there is no room, with the same results. Any thread; never waits. */
mprof_status message_sending_offer(recorder_shared *shared, message *created);

#endif
