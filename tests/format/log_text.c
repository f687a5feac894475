/* SPDX-License-Identifier: MIT */
#include "log_text_parts.h"

#include "format/blocks/records.h"
#include "format/events/event_kinds.h"
#include "logs/log_fixture.h"

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void log_text_add(log_text *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	out->length += (size_t)vsnprintf(out->text + out->length, sizeof(out->text) - out->length, format, arguments);
	va_end(arguments);
	cr_assert_lt(out->length, sizeof(out->text));
}

/* Adds a line for the error of a list or a block, with its offset. */
void log_text_render_error(log_text *out, const log_input *input)
{
	static const struct {
		mprof_status status;
		const char *name;
	} names[] = {
		{MPROF_ERR_NOT_MPROF, "not-mprof"},
		{MPROF_ERR_TRUNCATED, "truncated"},
		{MPROF_ERR_MALFORMED, "malformed"},
		{MPROF_ERR_CHECKSUM, "checksum"},
		{MPROF_ERR_LIMIT, "limit"},
		{MPROF_ERR_UNSUPPORTED, "unsupported"},
		{MPROF_ERR_UNDEFINED_ID, "undefined-id"},
		{MPROF_ERR_REDEFINED_ID, "redefined-id"},
	};
	mprof_error error = log_input_error(input);
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].status == (mprof_status)error.status)
			name = names[i].name;
	}
	cr_assert_not_null(name, "%s", mprof_status_get_text((mprof_status)error.status));
	/* A truncated block is reported twice: by the block and by its list. */
	if (error.status == out->last_error.status && error.offset == out->last_error.offset)
		return;
	out->last_error = error;
	log_text_add(out, "error %s at %llu%s\n", name, (number)error.offset,
		     error.severity == MPROF_SEVERITY_FATAL ? ", the log ends here" : "");
}

void log_text_expect_end(log_text *out, const log_input *input, mprof_status status)
{
	if (status == MPROF_END)
		return;
	cr_assert(out->takes_errors, "%s", mprof_status_get_text(status));
	log_text_render_error(out, input);
}

static void render_clock(log_text *out, const char *name, const mprof_clock *clock)
{
	log_text_add(out, " %s=%llu/%llu", name, (number)clock->counter, (number)clock->time);
}

static void render_clocks(log_text *out, const mprof_block *block)
{
	render_clock(out, "start", &block->start);
	render_clock(out, "end", &block->end);
}

static void render_element(log_text *out, const mprof_block *block)
{
	const mprof_assembly_name *assembly = block->as.element.assembly;

	log_text_add(out, " kind=%u start=%llu end=%llu thread=%llu id=%u name=\"%s\"\n", block->as.element.kind,
		     (number)block->as.element.start_counter, (number)block->as.element.end_counter,
		     (number)block->thread, block->as.element.id, block->as.element.name);
	if (assembly == NULL)
		return;
	log_text_add(out, "  assembly=\"%s\" version=%u.%u.%u.%u culture=\"%s\" token=\"%s\" retargetable=%u\n",
		     assembly->base_name, assembly->major, assembly->minor, assembly->build, assembly->revision,
		     assembly->culture, assembly->public_key_token, assembly->retargetable);
}

static void render_directives(log_text *out, const mprof_block *block)
{
	const char *separator = "";

	render_clocks(out, block);
	log_text_add(out, " in-force=");
	for (uint32_t directive = 0; directive < 64; directive++) {
		/* Directives that are not known are not compared. */
		if (directive > MPROF_DIRECTIVE_PROCESSES ||
		    (block->as.directives.declared.bits[0] >> directive & 1) == 0)
			continue;
		log_text_add(out, "%s%u", separator, directive);
		separator = ",";
	}
	log_text_add(out, "\n");
}

static void render_lost(log_text *out, const mprof_block *block)
{
	render_clocks(out, block);
	log_text_add(out, " thread=%llu", (number)block->thread);
	for (uint32_t cause = 0; cause < LOSS_CAUSE_COUNT; cause++) {
		if (block->as.lost.counts[cause] != 0)
			log_text_add(out, " %s=%llu", mprof_loss_get_name(cause), (number)block->as.lost.counts[cause]);
	}
	log_text_add(out, "\n");
}

static void render_heap(log_text *out, const log_input *input, const mprof_block *block, uint64_t directives)
{
	if (block->as.heap_data.has_clocks) {
		log_text_add(out, " collection=%u flags=%u", block->as.heap_data.number, block->as.heap_data.flags);
		render_clock(out, "shot-start", &block->as.heap_data.start);
		render_clock(out, "shot-end", &block->as.heap_data.end);
	} else {
		log_text_add(out, " shot=%u flags=%u counter=%llu", block->as.heap_data.number,
			     block->as.heap_data.flags, (number)block->as.heap_data.counter);
		if (block->as.heap_data.process != 0)
			log_text_add(out, " process=%llu", (number)block->as.heap_data.process);
	}
	if (block->has_clocks)
		render_clocks(out, block);
	log_text_add(out, "\n");
	log_text_render_events(out, input, directives, block->kind);
}

static void render_statistical(log_text *out, const log_input *input, const mprof_block *block, uint64_t directives)
{
	if (block->has_clocks)
		render_clocks(out, block);
	else
		log_text_add(out, " start=%llu end=%llu", (number)block->as.statistical.start_counter,
			     (number)block->as.statistical.end_counter);
	log_text_add(out, "\n");
	if (block->has_clocks)
		log_text_render_records(out, input);
	log_text_render_events(out, input, directives, block->kind);
}

/* A block without lists that are rendered on lines of their own. */
static void render_fields(log_text *out, const mprof_block *block)
{
	switch (block->kind) {
	case MPROF_BLOCK_INTRO:
		log_text_add(out, " version=%u runtime=\"%s\" flags=%" PRIu64, block->as.end.version,
			     block->as.intro.runtime, block->as.intro.flags);
		render_clock(out, "clock", &block->start);
		log_text_add(out, "\n");
		break;
	case MPROF_BLOCK_END:
		log_text_add(out, " version=%u", block->as.end.version);
		render_clock(out, "clock", &block->start);
		if (block->as.end.index_distance != 0)
			log_text_add(out, " index=%llu", (number)block->as.end.index_distance);
		log_text_add(out, "\n");
		break;
	case MPROF_BLOCK_APPLICATION:
		log_text_add(out, " name=\"%s\" kind=%u flags=%u data=", block->as.application.name,
			     block->as.application.kind, block->as.application.flags);
		for (size_t i = 0; i < block->as.application.size; i++)
			log_text_add(out, "%02x", block->as.application.bytes[i]);
		render_clocks(out, block);
		log_text_add(out, "\n");
		break;
	case MPROF_BLOCK_MARK:
		log_text_add(out, " counter=%llu thread=%llu text=\"%s\"\n", (number)block->as.mark.counter,
			     (number)block->thread, block->as.mark.text);
		break;
	case MPROF_BLOCK_INDEX:
		log_text_add(out, " previous=%llu blocks=%llu\n", (number)block->as.index.previous_distance,
			     (number)block->as.index.count);
		break;
	case MPROF_BLOCK_WATERMARK:
		log_text_add(out, " counter=%llu\n", (number)block->as.watermark.counter);
		break;
	case MPROF_BLOCK_THREAD:
		render_clock(out, "clock", &block->start);
		log_text_add(out, " thread=%llu name=\"%s\"\n", (number)block->thread, block->as.thread_name.name);
		break;
	case MPROF_BLOCK_LOST:
		render_lost(out, block);
		break;
	default:
		log_text_add(out, " code=%u\n", block->code);
		break;
	}
}

static void render_records_block(log_text *out, const log_input *input, const mprof_block *block)
{
	if (block_has_heap_notes(block->kind))
		log_text_add(out, " shot=%u", block->as.heap_notes.number);
	if (block->kind == MPROF_BLOCK_HEAP_SUMMARY)
		log_text_add(out, " collection=%u", block->as.heap_summary.collection);
	render_clocks(out, block);
	log_text_add(out, "\n");
	log_text_render_records(out, input);
}

static void render_block(log_text *out, const log_input *input, const mprof_block *block, uint64_t *directives)
{
	log_text_add(out, "%s", mprof_block_get_name(block->kind));
	if (block->header_length > 6)
		log_text_add(out, " delta=%u", block->counter_delta);
	switch (block->kind) {
	case MPROF_BLOCK_LOADED:
	case MPROF_BLOCK_UNLOADED:
		render_element(out, block);
		break;
	case MPROF_BLOCK_MAPPING:
		render_clocks(out, block);
		log_text_add(out, "\n");
		log_text_render_mappings(out, input, *directives);
		break;
	case MPROF_BLOCK_EVENTS:
	case MPROF_BLOCK_SAMPLES:
	case MPROF_BLOCK_TYPED:
		log_text_add(out, " thread=%llu base=%llu", (number)block->thread,
			     (number)block->as.samples.base_counter);
		render_clocks(out, block);
		log_text_add(out, "\n");
		log_text_render_events(out, input, *directives, block->kind);
		break;
	case MPROF_BLOCK_STATISTICAL:
		render_statistical(out, input, block, *directives);
		break;
	case MPROF_BLOCK_HEAP_DATA:
		render_heap(out, input, block, *directives);
		break;
	case MPROF_BLOCK_DIRECTIVES:
		*directives = block->as.directives.declared.bits[0];
		render_directives(out, block);
		break;
	case MPROF_BLOCK_SESSION:
		render_clock(out, "clock", &block->start);
		log_text_add(out, "\n");
		log_text_render_properties(out, input);
		break;
	default:
		if (block_has_records(block->kind))
			render_records_block(out, input, block);
		else
			render_fields(out, block);
		break;
	}
}

void log_text_clear(log_text *out)
{
	out->text[0] = 0;
	out->length = 0;
	out->directives = 0;
	out->takes_errors = 0;
	memset(&out->last_error, 0, sizeof(out->last_error));
}

void log_text_render(log_text *out, const uint8_t *bytes, size_t length, size_t piece)
{
	log_input input = {NULL, NULL};
	uint64_t directives = 0;
	size_t fed = 0;
	int reads_all = 1;
	mprof_block block;
	mprof_status status;

	log_text_clear(out);
	mprof_block_init(&block, sizeof(block));
	cr_assert_eq(mprof_parser_create(NULL, &input.parser), MPROF_OK);
	while ((status = mprof_parser_next_block(input.parser, &block)) != MPROF_END) {
		size_t more = length - fed < piece ? length - fed : piece;

		if (status == MPROF_OK) {
			render_block(out, &input, &block, &directives);
		} else if (status == MPROF_ERR_UNSUPPORTED) {
			log_text_add(out, "%s unreadable\n", mprof_block_get_name(block.kind));
			reads_all = 0;
		} else {
			cr_assert_eq(status, MPROF_AGAIN, "%s", mprof_status_get_text(status));
			cr_assert_gt(more, 0);
			cr_assert_eq(mprof_parser_feed(input.parser, bytes + fed, more), MPROF_OK);
			fed += more;
		}
		if (fed == length)
			mprof_parser_finish(input.parser);
	}
	cr_assert_eq(fed, length);
	/* The valid bytes are only known if the content of all blocks was decoded. */
	cr_assert(!reads_all || mprof_parser_get_valid_bytes(input.parser) == length);
	mprof_parser_destroy(input.parser);
}

int log_text_next(log_text *out, mprof_reader *reader)
{
	const log_input input = {NULL, reader};
	mprof_block block;
	mprof_status status;

	memset(&block, 0, sizeof(block));
	mprof_block_init(&block, sizeof(block));
	out->takes_errors = 1;
	status = mprof_reader_next_block(reader, &block);
	if (status == MPROF_END)
		return 0;
	if (status == MPROF_OK || block.loaded)
		render_block(out, &input, &block, &out->directives);
	if (status == MPROF_OK)
		return 1;
	log_text_render_error(out, &input);
	return reader_error_of(reader).severity == MPROF_SEVERITY_BLOCK;
}

void log_text_read(log_text *out, const uint8_t *bytes, size_t length)
{
	log_input input = {NULL, NULL};
	mprof_reader_options options;
	mprof_status status;

	mprof_reader_options_init(&options, sizeof(options));
	options.keep_implicit_leaves = 1;
	status = mprof_reader_open_memory(bytes, length, &options, &input.reader);
	cr_assert_not_null(input.reader);
	log_text_clear(out);
	if (status != MPROF_OK)
		log_text_render_error(out, &input);
	while ((status == MPROF_OK || out->last_error.severity == MPROF_SEVERITY_BLOCK) &&
	       log_text_next(out, input.reader))
		continue;
	mprof_reader_destroy(input.reader);
}
