/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder_types.h
 * \brief The handles, keys and frames that the functions of a recorder take. Included by mprof/recorder.h.
 */
#ifndef MPROF_RECORDER_TYPES_H
#define MPROF_RECORDER_TYPES_H

#include <mprof/api.h>

MPROF_BEGIN_DECLS

/**
 * \brief A recorder. Any thread may use it, as described at each function.
 * \since 0.1
 */
typedef struct mprof_recorder mprof_recorder;

/**
 * \brief The handle of a thread that is attached to a recorder.
 * \since 0.1
 */
typedef struct mprof_thread mprof_thread;

/**
 * \brief Identifies a method, a class or a code unit while it exists. 0 and UINT64_MAX are not valid keys; an event
 * recorded with one of them gets the name "(no key)".
 * \since 0.1
 */
typedef uint64_t mprof_key;

/**
 * \brief A frame of a call stack: the key of a method, or an address of native code with #MPROF_FRAME_NATIVE.
 *
 * The key of a method that is used as a frame must be below 2^62; 0 is an unknown method. An address of native code
 * must be below 2^61. The address of the innermost frame is that of the instruction which the thread executes, as a
 * signal handler finds it, unless it is marked as a return address. The addresses of outer frames are always return
 * addresses. A client that has return addresses only, such as a function that is called in place of malloc(), marks all
 * of them with #MPROF_FRAME_RETURN: a call may be the last instruction of its function, so the byte at a return address
 * may belong to another function.
 * \since 0.1
 */
typedef uint64_t mprof_frame;

/**
 * \brief Marks a frame as an address of native code; see mprof_frame_make_native().
 * \since 0.1
 */
#define MPROF_FRAME_NATIVE (UINT64_C(1) << 63)

/**
 * \brief Marks a frame as a return address of native code, the address after the call, also if it is the innermost
 * frame. Includes #MPROF_FRAME_NATIVE.
 * \since 0.1
 */
#define MPROF_FRAME_RETURN (MPROF_FRAME_NATIVE | UINT64_C(1) << 61)

/**
 * \brief Marks a frame as a method that is being compiled, not executed; see mprof_frame_make_compiling(). If it is the
 * innermost method in the call stack of an allocation, the compiler allocates: the event is of kind
 * #MPROF_EVENT_ALLOCATION_AT_JIT.
 * \since 0.1
 */
#define MPROF_FRAME_COMPILING (UINT64_C(1) << 62)

/**
 * \brief Passed as the outermost frame of a call stack whose outer frames are not recorded, because the client walks a
 * limited number of frames. A call stack without it is taken to be complete, and its outermost frame to be the start of
 * a thread. Log readers count samples of truncated call stacks below one frame (section 3.13 of doc/format.md).
 *
 * At any other position in a call stack it is an unknown method.
 * \since 0.1
 */
#define MPROF_FRAME_TRUNCATED (MPROF_FRAME_NATIVE | MPROF_FRAME_COMPILING)

/**
 * \brief Makes the frame of an address of native code, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param address The address, below 2^61.
 * \return The address with #MPROF_FRAME_NATIVE.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_native(uint64_t address);

/**
 * \brief Makes the frame of a return address of native code, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param address The address, below 2^61.
 * \return The address with #MPROF_FRAME_RETURN.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_return(uint64_t address);

/**
 * \brief Makes the frame of a method that is being compiled, for languages that have no macros.
 *
 * Thread-safe, async-signal-safe.
 * \param method The key of the method, below 2^62.
 * \return The key with #MPROF_FRAME_COMPILING.
 * \since 0.1
 */
MPROF_API mprof_frame mprof_frame_make_compiling(mprof_key method);

/**
 * \brief Limits of a recorder.
 * \since 0.1
 */
enum {
	MPROF_STACK_MAX = 250 /**< Maximum number of frames of a call stack. If a call stack is longer, its innermost
	                           frames are recorded, followed by #MPROF_FRAME_TRUNCATED. */
};

MPROF_END_DECLS

#endif
