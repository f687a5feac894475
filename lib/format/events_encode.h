/* SPDX-License-Identifier: MIT */
/**
 * \file format/events_encode.h
 * \brief Encodes events (doc/format.md, section 4).
 */
#ifndef FORMAT_EVENTS_ENCODE_H
#define FORMAT_EVENTS_ENCODE_H

#include "format/encode_buffer.h"
#include "format/event_encoder.h"

/**
 * The room, in bytes, that events_encode() keeps free after the events: for the end of the list, a CLOCK and a
 * checksum. A buffer passed to events_encode() must have it. A block that was started can therefore always be ended
 * without another allocation.
 */
#define EVENTS_TAIL_ROOM (1 + 2 * MPROF_VARINT_MAX_LENGTH + 4)

/**
 * Maximum size of an encoded event, that of resized memory: a byte, five varints of 64 bits, two remainders of
 * addresses, an ID. The last 8 bytes are for stores of varints, which write eight bytes at a time.
 */
#define EVENT_ROOM (1 + 5 * MPROF_VARINT_MAX_LENGTH + 2 + 5 + 8)

/** Initializes an encoder for a dialect and the directives declared. \p defined is copied; \p stats is borrowed. */
void event_encoder_init(event_encoder *encoder, const dialect_rules *rules, uint64_t directives, int lossy,
			const event_definitions *defined, mprof_writer_stats *stats);

/** Maximum length of a stack section in bytes: a byte, and varints of 32 bits. */
#define EVENT_SECTION_ROOM(frames) (1 + (2 + (frames)) * 5)

/**
 * Appends a stack section: \p kept outermost frames of the previous stack stay, and \p frames replace the others,
 * innermost first.
 */
void event_encode_section(encode_buffer *buffer, size_t kept, const uint32_t *frames, size_t count);

/**
 * Appends events up to the first one that cannot be written. \p taken receives the number of events written or, if
 * lossy, left out. encode_buffer::status does not change.
 *
 * \return #MPROF_OK
 * \return #MPROF_ERR_UNDEFINED_ID: an event refers to an ID that is not defined
 * \return #MPROF_ERR_ARGUMENT: a handle is out of range, or a detail is invalid
 * \return #MPROF_ERR_UNSUPPORTED: the dialect or the directives cannot represent an event, and the encoder is not lossy
 * \return #MPROF_ERR_MEMORY: out of memory
 * \return #MPROF_ERR_LIMIT: the events exceed encode_buffer::limit
 */
mprof_status events_encode(event_encoder *encoder, encode_buffer *buffer, const mprof_event *events, size_t count,
			   size_t *taken);

#endif
