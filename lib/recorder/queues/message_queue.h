/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/queues/message_queue.h
 * \brief What threads send to the writer thread in addition to events: definitions, code units, names, markers,
 * metrics, roots.
 *
 * Any thread pushes without a lock; the writer thread takes all at once. A message that was pushed before an event was
 * published is taken before that event is drained, because the writer thread determines what it drains first and takes
 * the messages after that.
 *
 * Threads limit what waits: recorder/client/definitions.c.
 */
#ifndef RECORDER_QUEUES_MESSAGE_QUEUE_H
#define RECORDER_QUEUES_MESSAGE_QUEUE_H

#include <mprof/parser.h>
#include <mprof/recorder.h>

#include "base/allocator.h"
#include "recorder/queues/salvage_area.h"

#include <stdatomic.h>

/*
 * The fields of a class are one piece of memory without pointers, so that they can be in a message, in the journal of a
 * salvage area, and in the table of keys.
 */

/** A field. The names are after the last one, in the same order, each terminated by NUL. */
typedef struct stored_field {
	mprof_key class_key; /**< The class that declares it, or 0. Once queued: the ID of that class. */
	uint32_t offset;
	uint32_t stride;
} stored_field;

/** An own copy of the fields of a class. */
typedef struct class_fields {
	struct class_fields *next; /**< In a field_queue. */
	size_t size;               /**< Bytes of fields, with the names. */
	uint32_t count;            /**< Number of fields. */
	uint32_t class_id;         /**< Once queued. */
	stored_field fields[];
} class_fields;

/**
 * Whether a field can follow the one at the offset \p before in a class whose first field is at \p first, so that each
 * offset in an object means one field. The offsets ascend and have 32 bits, and so has the number of fields.
 */
static inline int class_fields_ascend(uint32_t before, uint32_t first, uint32_t stride, uint32_t offset,
				      uint32_t own_stride)
{
	return offset > before && own_stride == stride && (stride == 0 || offset - first < stride);
}

/** Whether \p size bytes that a process left behind are \p count fields as class_fields_store() stores them. */
int class_fields_are_valid(const stored_field *fields, uint64_t size, uint64_t count);

/** Copies fields. Returns NULL if there is no memory. */
class_fields *class_fields_copy(const mprof_allocator *allocator, const stored_field *fields, size_t size,
				uint32_t count);

/** Frees a copy; NULL does nothing. */
void class_fields_release(const mprof_allocator *allocator, class_fields *fields);

/** The name of the first field. That of the next one follows its NUL. */
static inline const char *class_fields_names(const class_fields *fields)
{
	return (const char *)(fields->fields + fields->count);
}

typedef enum message_kind {
	MESSAGE_DEFINE_CLASS,
	MESSAGE_DEFINE_METHOD,
	MESSAGE_LOADED,
	MESSAGE_UNLOADED,
	MESSAGE_THREAD_NAME,
	MESSAGE_PROPERTY,
	MESSAGE_MARK,
	MESSAGE_APPLICATION,
	MESSAGE_DEFINE_METRIC,
	MESSAGE_METRIC_VALUES,
	MESSAGE_ROOT_REGISTERED,
	MESSAGE_ROOT_UNREGISTERED,
	MESSAGE_DEFINE_FIELDS,
	MESSAGE_DEFINE_TEXT,
	MESSAGE_DEFINE_ARGUMENTS,
	MESSAGE_DEFINE_TYPE,
	MESSAGE_DEFINE_CLOCK,
	MESSAGE_DEFINE_TIMELINE,
	MESSAGE_DEFINE_PROCESS,
	MESSAGE_CLOCK_PAIR,
	MESSAGE_DEFINE_CODE,
	MESSAGE_END_CODE
} message_kind;

typedef struct message message;
struct message {
	message *next;
	size_t size;       /**< Of the whole allocation, text included. */
	size_t reserved;   /**< What it takes of message_queue::waiting_bytes: its size, or 0 if it was not limited. */
	uint64_t sequence; /**< Order of pushing, for recovery. */
	uint64_t address;  /**< Its own address, for recovery: its pointers are adjusted by the difference. */
	uint64_t batch;    /**< Batch in which it was taken; 0 before. For recovery. Writer thread. */
	message_kind kind;
	uint32_t flags;       /**< Methods, data of applications. */
	uint32_t object_size; /**< Classes. */
	uint32_t id;          /**< The ID of a metric, a text, the first argument or a type that is defined; what
	                           the data of an application is. */
	mprof_key key;        /**< Key of what is defined or loaded; the method of a range of code. */
	mprof_key owner;      /**< A method's class, a class's assembly. */
	uint64_t counter;     /**< When it was sent. Definitions, markers and roots. */
	uint64_t thread;      /**< Thread names, markers. */
	const char *name;     /**< Definitions, thread names, markers, texts; the value of a property. Points into
	                           text. */
	size_t name_length;
	const char *section;     /**< The key of a property. Points into text. */
	const char *source_file; /**< Source file. Methods: NULL if none. Data of applications. Points into text. */
	size_t source_file_length;
	uint32_t source_line;
	union {
		struct {
			mprof_element element; /**< Its name and assembly point into text. */
			mprof_assembly_name assembly;
		} loaded; /**< Loaded and unloaded. */
		struct {
			const mprof_metric_value *values; /**< Points into text. */
			size_t count;
		} metrics; /**< Metric values. */
		struct {
			const stored_field *list; /**< Points to the start of text. */
			size_t bytes;             /**< With the names. */
			uint32_t count;
		} fields; /**< Fields of a class. */
		struct {
			const mprof_argument_record *list; /**< Points to the start of text, as do its names. */
			size_t count;
		} arguments;            /**< Arguments of events. */
		mprof_type_record type; /**< A type of events; the name points into text. */
		mprof_record record;    /**< Metrics, clocks, timelines, processes, pairs, ranges of code and their
		                             ends; the texts point into text. */
		struct {
			mprof_record record;          /**< As above. */
			const mprof_code_line *lines; /**< Points to the start of text. */
			size_t line_count;
		} code;               /**< A range of code with its lines. */
		mprof_root_area root; /**< Roots; the name points into text or is "". Unregistered: start only. */
	} more;
	_Alignas(uint64_t) char text[];
};

/** How many definitions without their text wait at most: see message_queue_note_lost(). */
#define MESSAGE_QUEUE_MAX_LOST 64

typedef struct message_queue {
	/** Where messages are allocated: by the recorder's allocator, or in a salvage_area. Constant. */
	mprof_allocator allocator;
	mprof_allocator fallback;   /**< That of the recorder. Constant. */
	salvage_area *area;         /**< NULL if none. Constant. */
	_Atomic uint64_t *sequence; /**< In the header of the area; NULL if none. Constant. */
	size_t most_bytes;          /**< Limit of each of waiting_bytes. Constant. */
	_Atomic(message *) newest;
	/**
	 * Bytes of the messages that were sent and not released yet: definitions, and messages that are refused rather
	 * than waited for (#message_is_optional()). Any thread adds before it pushes, the writer thread subtracts.
	 * Sequentially consistent: see definitions.c.
	 */
	_Atomic size_t waiting_bytes[2];
	_Atomic uint64_t refused; /**< How many were refused since the writer thread last took the count. Relaxed. */

	/**
	 * Placeholders of lost definitions, without text; the first lost_count are used. A thread that has incremented
	 * the count owns the element until it has pushed it; the writer thread owns it after that, and sets the count
	 * to 0 with release once it has processed all. A thread increments it with acquire.
	 */
	message lost[MESSAGE_QUEUE_MAX_LOST];
	_Atomic uint32_t lost_count;
	uint32_t lost_done; /**< How many of them the writer thread has processed. */
	/** 1: more were lost. Stored with release before any event that uses their keys is published; the writer thread
	 * loads it with acquire after it has determined what it drains. */
	_Atomic int has_lost_more;
} message_queue;

/** Default of message_queue::most_bytes. */
#define MESSAGE_QUEUE_DEFAULT_BYTES ((size_t)16 << 20)

/**
 * \p most_bytes: the limit. \p area and \p sequence: where to allocate messages and to count their order, or NULL.
 */
void message_queue_init(message_queue *queue, const mprof_allocator *allocator, size_t most_bytes, salvage_area *area,
			_Atomic uint64_t *sequence);

/**
 * Copies a message of a process that has ended, and adjusts its pointers. \p room: the bytes available where it is.
 * Returns NULL if the message is not complete or there is no memory.
 */
message *message_recover(const mprof_allocator *allocator, const message *remaining, uint64_t room);

/** Creates the message for a definition. Returns NULL without memory. */
message *message_definition(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			    const mprof_description *description, uint64_t counter);

/** Creates the message for a loaded or unloaded code unit. Returns NULL without memory. */
message *message_element(const mprof_allocator *allocator, message_kind kind, mprof_key key,
			 const mprof_element *element);

/** Creates the message for a thread's name. Returns NULL without memory. */
message *message_thread_name(const mprof_allocator *allocator, uint64_t thread, const char *name, size_t name_length);

/** Creates the message for a property of the session. Returns NULL without memory. */
message *message_property(const mprof_allocator *allocator, const char *key, const char *value);

/** Creates the message for a marker. Returns NULL without memory. */
message *message_mark(const mprof_allocator *allocator, uint64_t thread, const char *text, size_t text_length,
		      uint64_t counter);

/** Creates the message for values of metrics. Returns NULL without memory. */
message *message_metric_values(const mprof_allocator *allocator, const mprof_metric_value *values, size_t count);

/** Creates the message for an area of roots. Returns NULL without memory. */
message *message_root(const mprof_allocator *allocator, message_kind kind, const mprof_root_area *area,
		      uint64_t counter);

/** Creates the message for the fields of a class. Returns NULL without memory. */
message *message_fields(const mprof_allocator *allocator, mprof_key class_key, const mprof_class_field *fields,
			uint32_t count);

/** Creates the message for data of an application. Returns NULL without memory. */
message *message_application(const mprof_allocator *allocator, const mprof_application_block *application);

/** Creates the message for a text that has an ID. Returns NULL without memory. */
message *message_known_text(const mprof_allocator *allocator, const char *text, size_t text_length);

/** Creates the message for arguments of events with consecutive IDs. Returns NULL without memory. */
message *message_arguments(const mprof_allocator *allocator, const mprof_argument_record *arguments, size_t count);

/** Creates the message for a type of events. Returns NULL without memory. */
message *message_type(const mprof_allocator *allocator, const mprof_type_record *type);

/**
 * Creates the message for a metric, a clock, a timeline, a process or a pair of a clock. Returns NULL without memory.
 */
message *message_record(const mprof_allocator *allocator, message_kind kind, const mprof_record *record);

/** Creates the message for a range of code. Returns NULL without memory. */
message *message_code(const mprof_allocator *allocator, const mprof_record *range, const mprof_code_line *lines,
		      size_t count);

void message_release(const mprof_allocator *allocator, message *released);

/**
 * Whether a message is refused if too many of its kind wait: the rest of the log is correct without it, and a client
 * may send any number. Other messages are definitions.
 */
int message_is_optional(const message *requested);

/**
 * Counts a message against the limit, before it is pushed. Returns 0 if there is no room for it: the queue has room for
 * a message of any size if no other one of its kind waits. \p most_bytes: the limit. \p is_filling is set to 1 if the
 * writer thread should be woken. Any thread.
 */
int message_queue_reserve(message_queue *queue, message *reserved, size_t most_bytes, int *is_filling);

/** Pushes a message. Without message_queue_reserve() it is not limited. Any thread. */
void message_queue_push(message_queue *queue, message *pushed);

/** Counts a message that was refused. Any thread. */
void message_queue_count_refused(message_queue *queue);

/**
 * Notes that a definition with a key was lost: the key has no known meaning from \p counter on. Pushes a message
 * without text for it, or notes that there are too many. Needs no memory. Any thread.
 */
void message_queue_note_lost(message_queue *queue, message_kind kind, mprof_key key, uint64_t counter);

/** Takes the count of messages that were refused. Writer thread only. */
uint64_t message_queue_take_refused(message_queue *queue);

/**
 * Takes the note that more definitions were lost than message_queue_note_lost() could push: no key has a known meaning.
 * Call it after message_queue_take(). Writer thread only.
 */
int message_queue_take_lost_more(message_queue *queue);

/** Takes all messages, in the order in which they were pushed. Writer thread only. */
message *message_queue_take(message_queue *queue);

/** Releases a message that was taken, and the room that it had. Writer thread only. */
void message_queue_release(message_queue *queue, message *done);

/** Releases only the room of a message that was taken, or of one that is not pushed after all. */
void message_queue_release_room(message_queue *queue, message *done);

#endif
