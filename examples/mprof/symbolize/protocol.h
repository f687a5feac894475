/* SPDX-License-Identifier: MIT */
/**
 * \file symbolize/protocol.h
 * \brief Messages between mprof and the process that reads debug information. Both run the same program, so integers
 * have the byte order and the size of this machine.
 *
 * A request is a #lines_request, followed for a module by the texts of its build ID and its file. The answer is a
 * #lines_answer, followed by that number of frames: a #lines_frame, and its texts in the order of its fields.
 */
#ifndef SYMBOLIZE_PROTOCOL_H
#define SYMBOLIZE_PROTOCOL_H

#include <stddef.h>
#include <stdint.h>

/** Maximum number of frames of an address: the function and the functions inlined into it. */
#define LINES_MAX_FRAMES 64

/** Maximum number of modules. */
#define LINES_MAX_MODULES 1024

/** Maximum length of a text in bytes. */
#define LINES_MAX_TEXT 4096

/** Whether debug information of a module can be used. */
typedef enum debug_state {
	DEBUG_FOUND,
	DEBUG_NO_BUILD_ID, /**< The log has no build ID of the module. */
	DEBUG_NO_FILE,     /**< The file does not exist or cannot be read. */
	DEBUG_REBUILT,     /**< The file has another build ID. */
	DEBUG_NONE,        /**< There is no debug information. */
	DEBUG_UNREADABLE,  /**< The file is damaged, or reading it took too much time or memory. */
	DEBUG_STATES
} debug_state;

/** What a request asks for. */
typedef enum lines_wanted {
	LINES_OPEN,            /**< Open the module, whose texts follow. */
	LINES_FRAMES,          /**< The frames of an address. */
	LINES_FRAMES_OR_SYMBOL /**< The same; without debug information a frame with the name of the symbol. */
} lines_wanted;

typedef struct lines_request {
	uint64_t offset;          /**< Bytes from the start of the module. */
	uint32_t module;          /**< A number of the module, below #LINES_MAX_MODULES. */
	uint32_t wanted;          /**< A #lines_wanted. */
	uint32_t build_id_length; /**< 0 for an address, as is the next. */
	uint32_t file_length;
} lines_request;

typedef struct lines_answer {
	uint32_t state; /**< A #debug_state. */
	uint32_t count; /**< Number of frames, innermost first; 0 for a module. */
} lines_answer;

typedef struct lines_frame {
	uint32_t line;         /**< Of the instruction or the call; 0 if unknown. */
	uint32_t defined_line; /**< Of the definition of the function; 0 if unknown. */
	uint32_t is_inlined;
	uint32_t name_length; /**< 0 if unknown, as are the next two. */
	uint32_t file_length;
	uint32_t defined_file_length;
} lines_frame;

/** Sends all bytes. Returns 0 on an error, such as the end of the other process. */
int protocol_send(int fd, const void *bytes, size_t length);

/**
 * Receives exactly that number of bytes. \p deadline_ms: time of the monotonic clock in milliseconds after which it
 * gives up, or -1. Returns 0 on an error, at the end, and after the deadline.
 */
int protocol_receive(int fd, void *bytes, size_t length, int64_t deadline_ms);

/** The monotonic clock in milliseconds. */
int64_t protocol_now_ms(void);

#endif
