/* SPDX-License-Identifier: MIT */
/* Declares directives, and applies them to events. */
#include "writer/directives.h"

#include "writer/errors.h"
#include "writer/put_block.h"
#include "writer/writer_internal.h"

void writer_apply_directives(mprof_writer *writer, int allows_undefined)
{
	const event_definitions defined = {&writer->method_ids, &writer->class_ids, &writer->object_sizes,
					   &writer->defined[MPROF_RECORD_STACK], allows_undefined};

	writer->has_sections =
		(writer->encoding.directives & MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_ALLOCATION_STACK)) != 0;
	event_encoder_init(&writer->events, writer->encoding.rules, writer->encoding.directives, writer->lossy,
			   &defined, &writer->stats);
}

mprof_status writer_put_directives(mprof_writer *writer)
{
	mprof_clock clock;

	writer_read_clock(writer, &clock);
	block_encode_directives(&writer->block, &writer->encoding, &clock, &clock);
	return writer_put_block(writer);
}

mprof_status writer_declare_more(mprof_writer *writer, uint64_t directives)
{
	const uint64_t more = directives & writer->encoding.rules->directives & ~writer->encoding.directives;
	const event_encoder before = writer->events;
	mprof_status status = writer_enter(writer, WRITER_BETWEEN_BLOCKS);

	if (status == MPROF_OK && more != 0)
		status = writer_put_definitions(writer);
	if (status != MPROF_OK || more == 0)
		return status;
	writer->encoding.directives |= more;
	writer_apply_directives(writer, before.defined.any);
	/* The numbering of collections continues. */
	writer->events.collection = before.collection;
	writer->events.last_number = before.last_number;
	writer->events.has_counted = before.has_counted;
	writer->events.is_numbered = before.is_numbered;
	return writer_put_directives(writer);
}
