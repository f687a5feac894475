/* SPDX-License-Identifier: MIT */
/**
 * \file export/hprof_stream.h
 * \brief The records of an HPROF 1.0.2 file. All numbers are big-endian.
 *
 * The objects are sub-records of HEAP_DUMP_SEGMENT records. A segment is buffered, since its length comes first; a
 * sub-record that exceeds the buffer is a segment of its own. A write error need not be checked at each call.
 */
#ifndef EXPORT_HPROF_STREAM_H
#define EXPORT_HPROF_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Codes of records. */
enum { HPROF_STRING = 0x01, HPROF_LOAD_CLASS = 0x02, HPROF_STACK_TRACE = 0x05 };

/** Codes of sub-records. */
enum {
	HPROF_ROOT_JNI_GLOBAL = 0x01,
	HPROF_ROOT_JAVA_FRAME = 0x03,
	HPROF_ROOT_STICKY_CLASS = 0x05,
	HPROF_ROOT_THREAD_BLOCK = 0x06,
	HPROF_CLASS_DUMP = 0x20,
	HPROF_INSTANCE_DUMP = 0x21,
	HPROF_OBJECT_ARRAY_DUMP = 0x22,
	HPROF_ROOT_UNKNOWN = 0xff
};

/** Types of fields. */
enum { HPROF_OBJECT = 2, HPROF_BYTE = 8, HPROF_LONG = 11 };

#define HPROF_BUFFER_SIZE (UINT32_C(1) << 20)

typedef struct hprof_stream {
	FILE *stream;
	uint32_t id_size; /**< Of the IDs of objects, classes and texts: 4 or 8 bytes. */
	int can_skip;     /**< The stream is a new file, in which bytes that are skipped are 0. */
	int is_direct;    /**< The header of the segment has been written. */
	size_t used;
	unsigned char buffer[HPROF_BUFFER_SIZE];
} hprof_stream;

/** Writes the head of the file. \p time_ms: milliseconds since 1970. */
void hprof_begin(hprof_stream *stream, FILE *file, uint32_t id_size, uint64_t time_ms);

/** Begins a record that is not a segment. \p length is that of its content in bytes, less than 2^32. */
void hprof_begin_record(hprof_stream *stream, uint32_t code, uint64_t length);

/** Begins a sub-record. \p length includes its code; it is less than 2^32. */
void hprof_begin_part(hprof_stream *stream, uint32_t code, uint64_t length);

/** Writes a number of 1, 2, 4 or 8 bytes. */
void hprof_number(hprof_stream *stream, uint64_t number, uint32_t size);

void hprof_id(hprof_stream *stream, uint64_t id);
void hprof_bytes(hprof_stream *stream, const void *bytes, size_t size);
void hprof_zeros(hprof_stream *stream, uint64_t count);

/** Writes the last segment and the end of the heap dump. */
void hprof_end(hprof_stream *stream);

#endif
