/* SPDX-License-Identifier: MIT */
/**
 * \file mprof/recorder_thread.h
 * \brief Records events of a thread that is attached to a recorder: calls, allocations, collections, monitors, handles,
 * native memory. Included by mprof/recorder.h.
 *
 * Functions named mprof_thread_... may be called only by the attached thread. They keep errno, and may be called where
 * the collector has stopped all other threads only if their description permits it. None may be called in a signal
 * handler.
 *
 * NULL is refused as in mprof/recorder.h: functions that return a status return #MPROF_ERR_ARGUMENT, others do nothing
 * or return 0.
 */
#ifndef MPROF_RECORDER_THREAD_H
#define MPROF_RECORDER_THREAD_H

#include <mprof/recorder_types.h>
#include <mprof/status.h>
#include <mprof/format.h>

MPROF_BEGIN_DECLS

/**
 * \brief Attaches a thread. Its first event buffer is taken and touched by this call, not by the first event.
 *
 * Thread-safe. Must not be called in a signal handler.
 * \param recorder The recorder.
 * \param id ID of the thread in the log; 0 means the system's ID of the calling thread. Only one attached handle may
 * have an ID, since the events of a thread in the log are those of one call stack at a time. When the handle is
 * detached, its ID may be used again; the log then contains the events of both handles in order.
 * \param thread Receives the handle, which only that thread may use; NULL on an error. It is valid until
 * mprof_thread_detach() or mprof_recorder_destroy().
 * \return
 * - #MPROF_OK.
 * - #MPROF_ERR_ARGUMENT if a pointer is NULL.
 * - #MPROF_ERR_STATE if an attached thread has the ID, the recorder is closed, on the writer thread, or in a child made
 *   by fork().
 * - #MPROF_ERR_MEMORY if the allocator refused.
 * \since 0.1
 */
MPROF_API MPROF_NODISCARD mprof_status mprof_recorder_attach(mprof_recorder *recorder, uint64_t id,
							     mprof_thread **thread);

/**
 * \brief Detaches a thread: hands over the events that it recorded and ends the handle.
 *
 * Any thread may call it once the owner no longer uses the handle. Not async-signal-safe.
 * \param thread The handle, or NULL.
 * \since 0.1
 */
MPROF_API void mprof_thread_detach(mprof_thread *thread);

/**
 * \brief Gets the ID of a thread in the log.
 * \param thread The handle.
 * \return The ID; 0 if \p thread is NULL.
 * \since 0.1
 */
MPROF_API uint64_t mprof_thread_get_id(const mprof_thread *thread);

/**
 * \brief Records that a method is entered.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param method Key of the method.
 * \since 0.1
 */
MPROF_API void mprof_thread_enter_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Records that a method returns.
 *
 * Methods that the thread entered later and did not leave end with it. A leave of a method that is not open in the
 * thread is recorded, but ends no method.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param method Key of the method; 0 means the method on top of the call stack, as in mprof_thread_leave_top().
 * \since 0.1
 */
MPROF_API void mprof_thread_leave_method(mprof_thread *thread, mprof_key method);

/**
 * \brief Records that the method on top of the thread's call stack returns: the one that was entered last and has not
 * been left.
 *
 * This is for runtimes that do not name the method when it returns. In dialects without implicit leaves (doc/format.md,
 * 4.3) the recorder adds the method. If the stack had 65,536 frames or more, it does not know the outer ones, and
 * counts their leaves as lost (#MPROF_LOSS_NO_MEMORY). If no method is open, the leave is recorded and matches none.
 *
 * mprof_thread_record_event() with #MPROF_EVENT_METHOD_LEAVE_EXCEPTION or #MPROF_EVENT_METHOD_LEAVE_TAIL and key 0 also
 * means the method on top, and specifies how it was left.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \since 0.1
 */
MPROF_API void mprof_thread_leave_top(mprof_thread *thread);

/**
 * \brief Counts events that the client could not record, such as a call in a signal handler that has interrupted a
 * function of the recorder on this thread. They are in the log as lost.
 *
 * While recording is stopped, it does nothing. May be called only by the thread that the handle belongs to, or by a
 * signal handler on it. Async-signal-safe.
 * \param thread The handle of the calling thread; NULL counts nothing.
 * \param cause Why they are lost; an unknown cause counts nothing.
 * \param count Number of events.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_lost(mprof_thread *thread, mprof_loss_cause cause, uint64_t count);

/**
 * \brief Records that the thread continues on another call stack: that of a coroutine, a fiber, a green thread.
 *
 * Events that the thread records from here on belong to that stack: methods are entered and left there, and no time
 * passes in methods that are open on the stacks that it left (doc/format.md, 4.8). A stack is on one thread at a time,
 * and may continue on another thread: the client calls this on the thread that leaves the stack first, and then on the
 * second thread. A stack uses about 300 bytes in the recording process, plus 16 for each method that is open on it.
 *
 * If stacks move between threads, and mprof_recorder_options::counter is used, that counter must advance between the
 * two calls.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param stack A number chosen by the client, such as the address of the runtime's structure, unique in the recorder; 0
 * means the thread's own stack, on which it starts. A number stands for the same stack until mprof_thread_end_stack():
 * a client that does not learn when a stack ends, as that of a coroutine that is collected, calls that function before
 * it uses the number for another stack. Otherwise the methods that were open on the old one stay open below the new
 * ones.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT if \p thread is NULL.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no stack switches (all except mprof2). With
 *   mprof_writer_options::lossy they are left out of the log and counted (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_switch_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief Records that a call stack has ended. Methods that are open on it end; no time has passed in them since it was
 * left. Its number may be used for another stack. For a number that is not in use the event changes nothing, so it may
 * also be recorded before a stack is first switched to.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread. If the thread is on the stack, it is on its own stack from here on.
 * \param stack Number of the stack, not 0.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT if \p thread is NULL or \p stack is 0.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the dialect has no stack switches (all except mprof2). With
 *   mprof_writer_options::lossy they are left out of the log and counted (mprof_writer_stats::left_out_events).
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_end_stack(mprof_thread *thread, uint64_t stack);

/**
 * \brief Records an event of a kind that has a time of its own.
 *
 * Events of collections (the kinds MPROF_EVENT_GC_...) never wait, whatever the overflow policy, and may be recorded
 * where the world is stopped, by one thread at a time for each handle.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind METHOD_*, CLASS_*, EXCEPTION, THREAD_*, GC_*, FINALIZATION_* or STACK_*. All leaves mean the method on
 * top of the call stack if \p subject is 0, and #MPROF_EVENT_METHOD_LEAVE_IMPLICIT always does.
 * \param flags Bits of #mprof_event_flag.
 * \param subject Key of the method or class, or the value of a kind that has neither.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL, or the kind has a function of its own or cannot
 *   be recorded.
 * - #MPROF_ERR_UNSUPPORTED, with nothing recorded, if the kind is STACK_* and the dialect has no stack switches.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_event(mprof_thread *thread, mprof_event_kind kind, uint32_t flags,
						 uint64_t subject);

/**
 * \brief Records an event of a collection with the number of the collection, for logs that have numbers (mono and
 * unity, and directive 21).
 *
 * Events with the same number belong to one collection, and so does a heap snapshot with that number. In mono and unity
 * a change of the heap's size has a number of its own, as in Mono 2; in other dialects pass 0 for it, so that numbers
 * count collections.
 *
 * Never waits, whatever the overflow policy, and may be called where the world is stopped, by one thread at a time for
 * each handle.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind One of the kinds MPROF_EVENT_GC_...
 * \param number Number of the collection, from 1; 0 if not known: mono and unity are then numbered automatically.
 * \param value The generation, or the size of the heap in bytes.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or the kind is another one.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_collection(mprof_thread *thread, mprof_event_kind kind, uint32_t number,
						      uint64_t value);

/**
 * \brief Records that an object was allocated. The event has no time of its own in the log.
 *
 * If the key of the class was defined twice without mprof_recorder_retire_keys() in between, the object is of the class
 * that the key meant at the last event of the thread that has a time.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class.
 * \param size Size of the object in bytes, below 2^56.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_allocation(mprof_thread *thread, mprof_key class_key, uint64_t size);

/**
 * \brief Records that an object was allocated, with the optional fields that mprof_recorder_options::allocation_detail
 * selects; the others are ignored. See #MPROF_FRAME_COMPILING for objects that a compiler allocates.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class.
 * \param size Size of the object in bytes, below 2^56.
 * \param object Address of the object.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_allocation_detailed(mprof_thread *thread, mprof_key class_key, uint64_t size,
						       uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief Records that an exception is thrown, with the call stack if mprof_recorder_options::exception_stacks is set;
 * otherwise the frames are ignored.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param class_key Key of the class of the exception.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_exception(mprof_thread *thread, mprof_key class_key, const mprof_frame *frames,
					     size_t count);

/**
 * \brief Records that a clause of a method runs because of an exception, if mprof_recorder_options::exception_clauses
 * is set.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param kind An #mprof_clause_kind.
 * \param number Number of the clause in its method, from 0.
 * \param class_key Key of the class of the exception.
 * \param method Key of the method that has the clause.
 * \return
 * - #MPROF_OK, also if exception_clauses is not set, while recording is stopped, and if the event is dropped and
 * counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p kind is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_exception_clause(mprof_thread *thread, mprof_clause_kind kind,
							    uint32_t number, mprof_key class_key, mprof_key method);

/**
 * \brief Records the size and the origin of code that was compiled or loaded, if mprof_recorder_options::method_code is
 * set.
 *
 * If a compilation that the thread has recorded contains it, call it between the #MPROF_EVENT_METHOD_JIT_START and the
 * #MPROF_EVENT_METHOD_JIT_END of the method: the time of the compilation then counts for this code. A method may have
 * code several times, for instance in several AppDomains.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param method Key of the method; 0 for code that belongs to none.
 * \param origin An #mprof_code_origin.
 * \param size Size of the code in bytes.
 * \return
 * - #MPROF_OK, also if method_code is not set, while recording is stopped, and if the event is dropped and counted
 * because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p origin is unknown.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_method_code(mprof_thread *thread, mprof_key method, mprof_code_origin origin,
						       uint32_t size);

/**
 * \brief Records that a thread waits for a monitor, acquires it, or gives up.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread.
 * \param state An #mprof_monitor_state.
 * \param class_key Key of the class of the object.
 * \param object Address of the object.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \return
 * - #MPROF_OK, also while recording is stopped, and if the event is dropped and counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p state is unknown.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_monitor(mprof_thread *thread, mprof_monitor_state state, mprof_key class_key,
						   uint64_t object, const mprof_frame *frames, size_t count);

/**
 * \brief Records which thread holds the monitor that the calling thread waits for, if directive 30 is declared by
 * mprof_writer_options::directives. To be called after mprof_thread_record_monitor() with #MPROF_MONITOR_CONTENDED.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe. Section 4.4 of doc/format.md.
 * \param thread The handle of the calling thread.
 * \param class_key Key of the class of the object, or 0 if not known.
 * \param object Address of the object, or 0 if not known.
 * \param holder ID of the thread that holds the monitor, as of mprof_thread_get_id(); not 0, below 2^56.
 * \return
 * - #MPROF_OK, also if the directive is not declared, while recording is stopped, and if the event is dropped and
 * counted because no buffer is free.
 * - #MPROF_ERR_ARGUMENT, with nothing recorded, if \p thread is NULL or \p holder is out of range.
 * - #MPROF_ERR_UNSUPPORTED if the library was built without the recorder.
 * \since 0.1
 */
MPROF_API mprof_status mprof_thread_record_monitor_holder(mprof_thread *thread, mprof_key class_key, uint64_t object,
							  uint64_t holder);

/**
 * \brief Records that a handle was created.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param handle Number of the handle, below 2^62, so that it may be an address; others are ignored.
 * \param type Type of the handle.
 * \param class_key Key of the class of its object, 0 if it has none.
 * \param object Address of its object, 0 if it has none.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_handle_created(mprof_thread *thread, uint64_t handle, mprof_handle_type type,
						  mprof_key class_key, uint64_t object, const mprof_frame *frames,
						  size_t count);

/**
 * \brief Records that a handle was deleted.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param handle Number of the handle, below 2^62; others are ignored.
 * \param type Type of the handle.
 * \param frames The call stack, the innermost frame first, copied; may be NULL if \p count is 0.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_handle_deleted(mprof_thread *thread, uint64_t handle, mprof_handle_type type,
						  const mprof_frame *frames, size_t count);

/**
 * \brief Records that a finalizer begins or ends.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param is_end 0: it begins. 1: it ends.
 * \param class_key Key of the class of the object.
 * \param object Address of the object.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_finalizer(mprof_thread *thread, int is_end, mprof_key class_key, uint64_t object);

/**
 * \brief Records that native memory was allocated (section 4.7). Call it after the allocation.
 *
 * Takes no lock and calls no allocator; waits for a free buffer if that is the overflow policy. Any thread may free
 * what another one allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param address Address of the memory.
 * \param size Size in bytes, as requested; below 2^56.
 * \param frames The call stack, the innermost frame first, copied; NULL for none, which is the cheapest. The first
 * frame is the caller of the allocator.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_allocated(mprof_thread *thread, uint64_t address, uint64_t size,
						    const mprof_frame *frames, size_t count);

/**
 * \brief Records that native memory is freed (section 4.7). Call it before the memory is freed, so that no other thread
 * gets the address at a time before that of this event.
 *
 * Without a call stack it costs as little as mprof_thread_enter_method(). Takes no lock and calls no allocator; waits
 * for a free buffer if that is the overflow policy. Any thread may free what another one allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param address Address of the memory.
 * \param frames The call stack, the innermost frame first, copied; NULL for none.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_freed(mprof_thread *thread, uint64_t address, const mprof_frame *frames,
						size_t count);

/**
 * \brief Records that native memory was resized (section 4.7), as by realloc(). Call it afterwards, and not if resizing
 * failed.
 *
 * If there was no memory before, or there is none afterwards, record an allocation or a free instead. Takes no lock and
 * calls no allocator; waits for a free buffer if that is the overflow policy. Any thread may resize what another one
 * allocated.
 *
 * May be called only by the thread that the handle belongs to. Not async-signal-safe.
 * \param thread The handle of the calling thread; NULL records nothing.
 * \param old_address Address before.
 * \param started What mprof_recorder_read_counter() returned before the memory was resized: from then on another thread
 * may have been given the old address. 0 if not known.
 * \param new_address Address afterwards; may be the same.
 * \param size New size in bytes; below 2^56.
 * \param frames The call stack, the innermost frame first, copied; NULL for none.
 * \param count Number of elements in \p frames; see #MPROF_STACK_MAX for longer stacks.
 * \since 0.1
 */
MPROF_API void mprof_thread_record_memory_resized(mprof_thread *thread, uint64_t old_address, uint64_t started,
						  uint64_t new_address, uint64_t size, const mprof_frame *frames,
						  size_t count);

MPROF_END_DECLS

#endif
