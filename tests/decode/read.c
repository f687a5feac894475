/* SPDX-License-Identifier: MIT */
/* Reads a log and passes its blocks to the sections. */
#include "oracle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 512

/* Bytes of a header before April 2008, and since then. */
#define SHORT_HEADER 6
#define LONG_HEADER 10

/* The block being read. */
typedef struct reading {
	mprof_parser *parser;
	uint8_t *bytes; /* The whole log. */
	size_t length;
	mprof_block block;
	mprof_event *chain; /* The frames of a sample. */
	size_t chain_count;
	size_t chain_capacity;
} reading;

/* The message of the decoder. */
static int give_up_at_intro(const mprof_block *block)
{
	printf("ERROR: Exception in block of code INTRO, length %" PRIu64 ", file offset %d, block offset %" PRIu64
	       ": Index was outside the bounds of the array.\n",
	       block->length, LONG_HEADER, block->length);
	return 0;
}

static void add_names(oracle *all, mprof_parser *parser)
{
	mprof_mapping mappings[BATCH];
	size_t count;

	while (mprof_parser_next_mappings(parser, mappings, sizeof(*mappings), BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			names_define(mappings[i].is_method ? &all->methods : &all->classes, mappings[i].id,
				     mappings[i].class_id, mappings[i].name);
	}
}

static void end_chain(oracle *all, reading *log)
{
	if (log->chain_count > 0)
		hits_add(all, log->chain, log->chain_count);
	log->chain_count = 0;
}

static void add_hits(oracle *all, reading *log)
{
	mprof_record records[BATCH];
	mprof_event events[BATCH];
	size_t count;

	while (mprof_parser_next_records(log->parser, records, sizeof(*records), BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			hits_define(all, &records[i]);
	}
	all->dialect = mprof_parser_get_dialect(log->parser);
	while (mprof_parser_next_events(log->parser, events, BATCH, &count) == MPROF_OK || count > 0) {
		for (size_t i = 0; i < count; i++) {
			if (!(events[i].flags & MPROF_EVENT_FLAG_CALLER))
				end_chain(all, log);
			log->chain =
				room_for(log->chain, log->chain_count + 1, &log->chain_capacity, sizeof(*log->chain));
			log->chain[log->chain_count++] = events[i];
		}
	}
	end_chain(all, log);
}

static void add_heap(oracle *all, const reading *log)
{
	mprof_event events[BATCH];
	size_t count;

	heap_begin_shot(all, &log->block);
	while (mprof_parser_next_events(log->parser, events, BATCH, &count) == MPROF_OK || count > 0) {
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind == MPROF_EVENT_HEAP_FREE)
				heap_free(all, &events[i]);
		}
	}
}

static void add_summary(oracle *all, const reading *log)
{
	mprof_record records[BATCH];
	size_t count;

	heap_begin_summary(all, &log->block);
	while (mprof_parser_next_records(log->parser, records, sizeof(*records), BATCH, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++)
			heap_summarize(all, &records[i]);
	}
}

static int add_events(oracle *all, const reading *log)
{
	size_t payload = (size_t)(log->block.offset + log->block.header_length);
	size_t length = log->length - payload;

	/* The last block may be truncated. */
	if (length > log->block.length)
		length = (size_t)log->block.length;
	return events_add(all, log->parser, &log->block, log->bytes + payload, length);
}

/* Returns 0 if the decoder gives up. */
static int add_block(oracle *all, reading *log)
{
	switch (log->block.kind) {
	case MPROF_BLOCK_INTRO:
		if (log->block.header_length == SHORT_HEADER && has_fault(all, FAULT_HEADERS))
			return give_up_at_intro(&log->block);
		all->flags = log->block.as.intro.flags;
		all->start = all->last = log->block.start;
		break;
	case MPROF_BLOCK_DIRECTIVES:
		all->directives = log->block.as.directives.declared.bits[0];
		if (all->directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK))
			all->has_allocation_stacks = 1;
		break;
	case MPROF_BLOCK_END:
		all->last = log->block.start;
		all->has_ended = 1;
		break;
	case MPROF_BLOCK_MAPPING:
		add_names(all, log->parser);
		break;
	case MPROF_BLOCK_EVENTS:
		return add_events(all, log);
	case MPROF_BLOCK_STATISTICAL:
		add_hits(all, log);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		add_heap(all, log);
		break;
	case MPROF_BLOCK_HEAP_SUMMARY:
		add_summary(all, log);
		break;
	default:
		break;
	}
	return 1;
}

static void note_clock(oracle *all, const mprof_clock *clock)
{
	if (!all->has_ended && (int64_t)(clock->counter - all->last.counter) > 0)
		all->last = *clock;
}

static void read_file(reading *log, const char *path)
{
	FILE *file = fopen(path, "rb");
	size_t capacity = 0;
	size_t got = 0;

	if (file == NULL) {
		perror(path);
		exit(2);
	}
	do {
		log->length += got;
		log->bytes = room_for(log->bytes, log->length + 65536, &capacity, 1);
		got = fread(log->bytes + log->length, 1, 65536, file);
	} while (got > 0);
	fclose(file);
}

static int read_blocks(oracle *all, reading *log)
{
	for (;;) {
		mprof_status status;
		mprof_error error;

		memset(&log->block, 0, sizeof(log->block));
		mprof_block_init(&log->block, sizeof(log->block));
		status = mprof_parser_next_block(log->parser, &log->block);
		if (status == MPROF_END)
			return 1;
		if (status == MPROF_OK || log->block.loaded) {
			if (!add_block(all, log))
				return 0;
			if (log->block.has_clocks) {
				note_clock(all, &log->block.start);
				note_clock(all, &log->block.end);
			}
			continue;
		}
		error.struct_size = sizeof(error);
		mprof_parser_get_error(log->parser, &error);
		if (error.severity != MPROF_SEVERITY_BLOCK)
			return 1;
	}
}

int oracle_read(oracle *all, const char *path)
{
	reading log;
	int is_read;

	memset(&log, 0, sizeof(log));
	read_file(&log, path);
	if (mprof_parser_create(NULL, &log.parser) != MPROF_OK ||
	    mprof_parser_feed(log.parser, log.bytes, log.length) != MPROF_OK)
		exit(2);
	mprof_parser_finish(log.parser);
	is_read = read_blocks(all, &log);
	all->dialect = mprof_parser_get_dialect(log.parser);
	if (is_read && !all->has_ended && has_fault(all, FAULT_MISSING_END)) {
		puts("No END block.");
		is_read = 0;
	}
	mprof_parser_destroy(log.parser);
	free(log.chain);
	free(log.bytes);
	return is_read;
}
