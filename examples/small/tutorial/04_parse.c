/* SPDX-License-Identifier: MIT */
/*
 * 04: parse bytes as they arrive.
 *
 * A parser does no I/O: it is fed bytes in pieces of any size, here seven at a time, and returns MPROF_AGAIN when it
 * needs more. So it fits any event loop. mprof_parser_finish() marks the end of the input.
 *
 *     ./04_parse <tutorial.mprof
 */
#include <mprof/parser.h>

#include <inttypes.h>
#include <stdio.h>

static uint64_t blocks, events;

/* Reads all blocks that are complete. Returns MPROF_AGAIN, MPROF_END or an error. */
static mprof_status read_blocks(mprof_parser *parser)
{
	mprof_event batch[64];
	mprof_status status;
	mprof_block block;
	size_t count;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_parser_next_block(parser, &block)) == MPROF_OK) {
		blocks++;
		while (block.kind == MPROF_BLOCK_EVENTS &&
		       mprof_parser_next_events(parser, batch, 64, &count) == MPROF_OK)
			events += count;
	}
	return status;
}

int main(void)
{
	mprof_parser *parser;
	mprof_status status;
	char piece[7];
	size_t length;

	if (mprof_parser_create(NULL, &parser) != MPROF_OK)
		return 1;
	do {
		length = fread(piece, 1, sizeof(piece), stdin);
		if (length == 0)
			mprof_parser_finish(parser);
		else if (mprof_parser_feed(parser, piece, length) != MPROF_OK)
			break;
		status = read_blocks(parser);
	} while (status == MPROF_AGAIN);
	printf("%" PRIu64 " blocks, %" PRIu64 " events, %s\n", blocks, events,
	       mprof_parser_is_complete(parser) ? "complete" : mprof_status_get_text(status));
	status = mprof_parser_is_complete(parser) ? MPROF_OK : MPROF_ERR_TRUNCATED;
	mprof_parser_destroy(parser);
	return status != MPROF_OK;
}
