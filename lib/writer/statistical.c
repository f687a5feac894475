/* SPDX-License-Identifier: MIT */
/*
 * Samples as STATISTICAL blocks, in which they have neither a thread nor a time. The call chains and the native code
 * that mprof2 defines in blocks of their own are told here where they are used first.
 */
#include "writer/writer_internal.h"

#include "format/event_detail.h"
#include "format/hits_decode.h"
#include "format/losses.h"

#include <string.h>

/* Mono's own reader keeps a chain in an array of 32. */
#define MOST_CALLERS 31
/* A sample that stands for many is written so often at most; more than so many were never in one block. */
#define MOST_REPEATED 65536

/* The low bits of a token say what it is. */
#define TOKEN_BITS 3

enum {
	TOKEN_METHOD = 1,
	TOKEN_FUNCTION = 2,
	TOKEN_NEW_FUNCTION = 3,
	TOKEN_ADDRESS = 4,
	TOKEN_DROP_ADDRESS = 3,
	TOKEN_CHAIN = 5,
	TOKEN_MODULES = 7
};

/* Where a frame is. */
typedef struct frame_place {
	mprof_record module; /* id is 0 if there is none. */
	mprof_record function;
	uint64_t offset; /* From the begin of the module, or the address. */
} frame_place;

static void put_token(mprof_writer *writer, uint32_t token, uint64_t argument)
{
	encode_int(&writer->block, argument << TOKEN_BITS | token);
}

static int has_counts(const mprof_writer *writer)
{
	return writer->encoding.rules->has_sample_counts;
}

static uint32_t at_most_32_bits(uint64_t number)
{
	return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void put_module(mprof_writer *writer, const mprof_record *module)
{
	encode_buffer *block = &writer->block;

	encode_int(block, module->id);
	encode_int(block, module->as.module.address);
	encode_int(block, at_most_32_bits(module->as.module.size));
	encode_int(block, at_most_32_bits(module->as.module.file_offset));
	encode_string(block, module->as.module.file, strlen(module->as.module.file));
}

/* Begins a table, in which no module is said to be no more. */
static void begin_modules(mprof_writer *writer)
{
	put_token(writer, TOKEN_MODULES, 0);
	encode_int(&writer->block, 0);
}

/* The modules that were defined since the last table. */
static void put_modules(mprof_writer *writer)
{
	mprof_record module;

	begin_modules(writer);
	while (writer->modules_written < writer->defined[MPROF_RECORD_MODULE]) {
		if (!definition_table_get(&writer->code, MPROF_RECORD_MODULE, ++writer->modules_written, &module))
			continue;
		put_module(writer, &module);
	}
	encode_int(&writer->block, 0);
}

/* A function without a module is in one that stands for none: readers do not find it otherwise. */
static void put_no_module(mprof_writer *writer)
{
	const mprof_record none = {.kind = MPROF_RECORD_MODULE, .id = HITS_NO_MODULE, .as.module.file = ""};

	if (writer->tells_no_module)
		return;
	begin_modules(writer);
	put_module(writer, &none);
	encode_int(&writer->block, 0);
	writer->tells_no_module = 1;
}

static void find_place(const mprof_writer *writer, uint32_t location_id, frame_place *place)
{
	mprof_record location;

	memset(place, 0, sizeof(*place));
	if (!definition_table_get(&writer->code, MPROF_RECORD_LOCATION, location_id, &location))
		return;
	place->offset = location.as.location.offset;
	(void)definition_table_get(&writer->code, MPROF_RECORD_MODULE, location.as.location.module, &place->module);
	(void)definition_table_get(&writer->code, MPROF_RECORD_FUNCTION, location.as.location.function,
				   &place->function);
}

static void put_address(mprof_writer *writer, const frame_place *place)
{
	uint32_t token = has_counts(writer) ? TOKEN_DROP_ADDRESS : TOKEN_ADDRESS;

	if (place->module.id != 0 && place->offset <= UINT32_MAX) {
		put_token(writer, token, place->module.id);
		encode_int(&writer->block, place->offset);
	} else {
		put_token(writer, token, 0);
		encode_int(&writer->block, place->module.as.module.address + place->offset);
	}
}

/* The number of a function in the log; its name is told with the first hit. 0 if there is no memory. */
static uint32_t number_function(mprof_writer *writer, uint32_t id, int *is_first)
{
	uint32_t number = id_map_get(&writer->function_numbers, id);

	/* A number from a block that was not written counts as none. */
	*is_first = number == 0 || number > writer->functions_written;
	if (!*is_first)
		return number;
	if (!id_map_put(&writer->function_numbers, id, writer->functions_written + 1))
		return 0;
	return ++writer->functions_written;
}

static int put_function(mprof_writer *writer, const frame_place *place, uint64_t hits)
{
	encode_buffer *block = &writer->block;
	int is_first;
	uint32_t number = number_function(writer, place->function.id, &is_first);

	if (number == 0)
		return 0;
	if (has_counts(writer)) {
		put_token(writer, TOKEN_FUNCTION, number);
		if (is_first) {
			encode_int(block, 0);
			encode_string(block, place->function.as.function.name,
				      strlen(place->function.as.function.name));
		}
		encode_int(block, hits);
	} else if (is_first) {
		if (place->module.id == 0)
			put_no_module(writer);
		put_token(writer, TOKEN_NEW_FUNCTION, place->module.id != 0 ? place->module.id : HITS_NO_MODULE);
		encode_int(block, number);
		encode_string(block, place->function.as.function.name, strlen(place->function.as.function.name));
	} else {
		put_token(writer, TOKEN_FUNCTION, number);
	}
	return 1;
}

/* A function can be told if it has a name. */
static int has_function(const frame_place *place)
{
	return place->function.id != 0 && place->function.as.function.name[0] != 0;
}

static int put_frame(mprof_writer *writer, const mprof_record *frame)
{
	frame_place place;

	if (!frame->as.stack.is_native) {
		put_token(writer, TOKEN_METHOD, frame->as.stack.target);
		return 1;
	}
	find_place(writer, frame->as.stack.target, &place);
	if (has_function(&place))
		return put_function(writer, &place, 1);
	put_address(writer, &place);
	return 1;
}

/* The frames of a sample, the innermost first, as many as the dialect takes; at least one. */
static size_t collect_frames(const mprof_writer *writer, const mprof_event *sample,
			     mprof_record frames[1 + MOST_CALLERS])
{
	size_t most = has_counts(writer) ? 1 : 1 + MOST_CALLERS;
	uint64_t chain = sample->value;
	size_t count = 0;

	while (count < most && chain != 0 && chain <= UINT32_MAX &&
	       definition_table_get(&writer->code, MPROF_RECORD_STACK, (uint32_t)chain, &frames[count]))
		chain = frames[count++].as.stack.caller;
	if (count > 0)
		return count;
	memset(&frames[0], 0, sizeof(frames[0]));
	frames[0].as.stack.target = sample->id;
	return 1;
}

static int put_callers(mprof_writer *writer, const mprof_record *callers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!put_frame(writer, &callers[i]))
			return 0;
	}
	return 1;
}

/* Where the number of callers comes first it is there even if there are none; else after the innermost frame. */
static int put_sample(mprof_writer *writer, const mprof_record *frames, size_t count)
{
	const int is_chain_first = writer->encoding.rules->is_chain_first;

	if (is_chain_first) {
		put_token(writer, TOKEN_CHAIN, count - 1);
		if (writer->modules_written < writer->defined[MPROF_RECORD_MODULE])
			put_modules(writer);
	}
	if (!put_frame(writer, &frames[0]))
		return 0;
	if (!is_chain_first && count > 1)
		put_token(writer, TOKEN_CHAIN, count - 1);
	return put_callers(writer, frames + 1, count - 1);
}

static uint64_t weight_of(const mprof_event *sample)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(sample->more.detail, &own);
	uint64_t weight = detail != NULL ? detail->samples : 1;

	return weight == 0 ? 1 : weight;
}

/* A sample as often as it counts. */
static int put_weighted(mprof_writer *writer, const mprof_record *frames, size_t count, uint64_t weight)
{
	frame_place place;

	if (has_counts(writer) && frames[0].as.stack.is_native) {
		find_place(writer, frames[0].as.stack.target, &place);
		if (has_function(&place))
			return put_function(writer, &place, at_most_32_bits(weight));
	}
	for (uint64_t done = 0; done < weight && done < MOST_REPEATED; done++) {
		if (!put_sample(writer, frames, count))
			return 0;
	}
	return 1;
}

static int put_samples(mprof_writer *writer, const mprof_event *samples, size_t count)
{
	mprof_record frames[1 + MOST_CALLERS];

	/* Where hits are counted the table says besides which of two grammars the block has. */
	if (has_counts(writer) || (!writer->encoding.rules->is_chain_first && count > 0 &&
				writer->modules_written < writer->defined[MPROF_RECORD_MODULE]))
		put_modules(writer);
	for (size_t i = 0; i < count; i++) {
		size_t depth = collect_frames(writer, &samples[i], frames);

		if (!put_weighted(writer, frames, depth, weight_of(&samples[i])))
			return 0;
	}
	return 1;
}

/* That a method is being compiled cannot be told; some functions, by an address alone. */
static int is_frame_shortened(const mprof_writer *writer, const mprof_record *frame)
{
	frame_place place;

	if (!frame->as.stack.is_native)
		return frame->as.stack.is_compiling != 0;
	find_place(writer, frame->as.stack.target, &place);
	return place.function.id != 0 && !has_function(&place);
}

/* These dialects tell neither which thread it was nor when; samples that come from them do not either. */
static int is_shortened(const mprof_writer *writer, uint64_t thread, uint64_t base_counter, const mprof_event *sample)
{
	mprof_record frames[1 + MOST_CALLERS];
	size_t count = collect_frames(writer, sample, frames);

	if (thread != 0 || sample->counter != base_counter || frames[count - 1].as.stack.caller != 0)
		return 1;
	while (count > 0 && !is_frame_shortened(writer, &frames[count - 1]))
		count--;
	return count > 0;
}

static void count_shortened(mprof_writer *writer, uint64_t thread, uint64_t base_counter, const mprof_event *samples,
			    size_t count)
{
	for (size_t i = 0; writer->lossy && i < count; i++) {
		if (is_shortened(writer, thread, base_counter, &samples[i]))
			losses_shorten_event(&writer->stats, MPROF_EVENT_SAMPLE);
	}
}

mprof_status writer_put_statistical(mprof_writer *writer, uint64_t thread, uint64_t base_counter,
				    const mprof_event *samples, size_t count)
{
	uint32_t modules_before = writer->modules_written;
	uint32_t functions_before = writer->functions_written;
	int told_no_module = writer->tells_no_module;
	mprof_clock clock;
	mprof_status status;

	writer_read_clock(writer, &clock);
	block_encode_begin(&writer->block, &writer->encoding, MPROF_BLOCK_STATISTICAL);
	encode_clock(&writer->block, &clock);
	if (put_samples(writer, samples, count)) {
		encode_int(&writer->block, 0);
		writer_read_clock(writer, &clock);
		encode_clock(&writer->block, &clock);
		status = writer_put_block(writer);
	} else {
		status = writer_refuse(writer, MPROF_ERR_MEMORY, "no memory for samples");
	}
	if (status != MPROF_OK) {
		writer->modules_written = modules_before;
		writer->functions_written = functions_before;
		writer->tells_no_module = told_no_module;
		return status;
	}
	writer->stats.events += count;
	count_shortened(writer, thread, base_counter, samples, count);
	return MPROF_OK;
}
