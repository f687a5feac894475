/* SPDX-License-Identifier: MIT */
/* Encodes the objects and references of heap blocks. */
#include "format/blocks/heap_encode.h"

#include "format/events/event_detail.h"
#include "format/blocks/heap_records.h"
#include "format/values/varint.h"

static int class_is_valid(const heap_encoding *encoding, uint32_t id)
{
	if (id == 0)
		return encoding->has_unknown_class;
	return encoding->any || id_set_has(encoding->class_ids, id);
}

/* Checks an event and ORs its addresses into \p addresses: a bit that is 0 there is 0 in every address. */
static mprof_status check_event(const heap_encoding *encoding, const mprof_event *event, uint64_t *addresses)
{
	mprof_event_detail own;
	const mprof_event_detail *detail;

	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
	case MPROF_EVENT_HEAP_FREE:
		if (!class_is_valid(encoding, event->id))
			return MPROF_ERR_UNDEFINED_ID;
		break;
	case MPROF_EVENT_HEAP_ROOT:
		if (!encoding->any && event->id > encoding->root_count)
			return MPROF_ERR_UNDEFINED_ID;
		break;
	case MPROF_EVENT_HEAP_MOVE:
		*addresses |= event->value;
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		break;
	default:
		return MPROF_ERR_ARGUMENT;
	}
	if (!event_detail_is_valid(event->more.detail))
		return MPROF_ERR_ARGUMENT;
	detail = event_detail_read(event->more.detail, &own);
	if (detail == NULL)
		return event->kind == MPROF_EVENT_HEAP_FREE ? MPROF_OK : MPROF_ERR_ARGUMENT;
	if (event->kind != MPROF_EVENT_HEAP_REFERENCES)
		*addresses |= detail->object;
	if (event->kind != MPROF_EVENT_HEAP_OBJECT && event->kind != MPROF_EVENT_HEAP_REFERENCES)
		return MPROF_OK;
	if (detail->reference_count > 0 && detail->references == NULL)
		return MPROF_ERR_ARGUMENT;
	for (uint32_t i = 0; i < detail->reference_count; i++)
		*addresses |= detail->references[i];
	for (uint32_t i = 0; encoding->has_offsets && detail->offsets != NULL && i < detail->reference_count; i++)
		*addresses |= detail->offsets[i];
	return MPROF_OK;
}

mprof_status heap_check(const heap_encoding *encoding, const mprof_event *events, size_t count, uint32_t *shift)
{
	uint64_t addresses = 0;

	for (size_t i = 0; i < count; i++) {
		mprof_status status = check_event(encoding, &events[i], &addresses);

		if (status != MPROF_OK)
			return status;
	}
	*shift = (uint32_t)__builtin_ctzll(addresses | UINT64_C(1) << HEAP_MAX_SHIFT);
	return MPROF_OK;
}

/* Collects bytes for an encode buffer: reserving room in the buffer for each single varint would cost too much. */
typedef struct heap_output {
	encode_buffer *buffer;
	uint8_t *next;
	uint64_t previous_address;
	uint32_t shift;
	uint8_t bytes[4096];
} heap_output;

static inline void put_varint(heap_output *output, uint64_t number)
{
	output->next = varint_word_put(output->next, number);
}

static void output_flush(heap_output *output)
{
	encode_bytes(output->buffer, output->bytes, (size_t)(output->next - output->bytes));
	output->next = output->bytes;
}

/* Number of varints that can be written after a call of output_reserve(). */
#define RESERVED ((size_t)8)

static inline void output_reserve(heap_output *output)
{
	if (__builtin_expect(output->next > output->bytes + sizeof(output->bytes) - RESERVED * MPROF_VARINT_MAX_LENGTH,
			     0))
		output_flush(output);
}

/* A difference in units of 2^shift: an arithmetic shift to the right, whose vacated bits are copies of the sign. */
static inline uint64_t to_units(const heap_output *output, uint64_t difference)
{
	return (difference >> output->shift) | (~(UINT64_MAX >> output->shift) * (difference >> 63));
}

static inline void put_object_address(heap_output *output, uint64_t address)
{
	uint64_t units = to_units(output, address - output->previous_address);

	output->previous_address = address;
	put_varint(output, zigzag_fold(units));
}

/* Encodes the start of a run. \p distance is in bytes. */
static void put_run_start(heap_output *output, uint64_t distance, uint32_t length)
{
	uint64_t units = to_units(output, distance);

	output_reserve(output);
	if (length <= HEAP_RUN_LONG && units <= UINT64_MAX >> HEAP_RUN_BITS) {
		put_varint(output, units << HEAP_RUN_BITS | (length - 1));
	} else {
		put_varint(output, (uint64_t)length << HEAP_RUN_BITS | HEAP_RUN_LONG);
		put_varint(output, zigzag_fold(units));
	}
}

/* Encodes references with their offsets: a run ends where the next offset is not that of the next unit. */
static void put_reference_runs(heap_output *output, const mprof_event_detail *detail)
{
	const uint64_t unit = UINT64_C(1) << output->shift;
	const uint64_t *offsets = detail->offsets;
	uint64_t next = 0;
	uint32_t end = 0;

	for (uint32_t i = 0; i < detail->reference_count; i++) {
		if (i == end) {
			while (++end < detail->reference_count && offsets[end] == offsets[end - 1] + unit)
				continue;
			put_run_start(output, offsets[i] - next, end - i);
			next = offsets[end - 1] + unit;
		}
		output_reserve(output);
		put_object_address(output, detail->references[i]);
	}
}

/* Whether the references of an event are encoded with their offsets. */
static int has_runs(const heap_encoding *encoding, const mprof_event_detail *detail)
{
	return encoding->has_offsets && detail->offsets != NULL && detail->reference_count > 0;
}

/* The number of references of an event, with the flag that directive 26 adds to it. */
static uint64_t flagged_count(const heap_encoding *encoding, const mprof_event_detail *detail)
{
	if (!encoding->has_offsets)
		return detail->reference_count;
	return (uint64_t)detail->reference_count << 1 | (has_runs(encoding, detail) ? 1 : 0);
}

static void put_reference_addresses(heap_output *output, const heap_encoding *encoding,
				    const mprof_event_detail *detail)
{
	if (has_runs(encoding, detail)) {
		put_reference_runs(output, detail);
		return;
	}
	for (uint32_t i = 0; i < detail->reference_count; i++) {
		output_reserve(output);
		put_object_address(output, detail->references[i]);
	}
}

/* Encodes a live or dead object up to its references. */
static void put_instance(heap_output *output, const heap_encoding *encoding, const mprof_event *event, uint64_t address)
{
	uint32_t type = event->kind == MPROF_EVENT_HEAP_OBJECT ? HEAP_RECORD_OBJECT : HEAP_RECORD_FREE;
	int is_fixed =
		encoding->sizes != NULL && event->value != 0 && event->value == id_map_get(encoding->sizes, event->id);

	/* For live and dead objects, the type of the record without a size is one higher. */
	put_varint(output, (uint64_t)event->id << HEAP_RECORD_BITS | (type + (is_fixed ? 1 : 0)));
	put_object_address(output, address);
	if (!is_fixed)
		put_varint(output, event->value);
}

static void put_event(heap_output *output, const heap_encoding *encoding, const mprof_event *event)
{
	mprof_event_detail own;
	const mprof_event_detail *detail = event_detail_read(event->more.detail, &own);

	output_reserve(output);
	switch (event->kind) {
	case MPROF_EVENT_HEAP_OBJECT:
		put_instance(output, encoding, event, detail->object);
		put_varint(output, flagged_count(encoding, detail));
		put_reference_addresses(output, encoding, detail);
		break;
	case MPROF_EVENT_HEAP_FREE:
		put_instance(output, encoding, event, detail != NULL ? detail->object : 0);
		break;
	case MPROF_EVENT_HEAP_REFERENCES:
		put_varint(output, flagged_count(encoding, detail) << HEAP_RECORD_BITS | HEAP_RECORD_REFERENCES);
		put_reference_addresses(output, encoding, detail);
		break;
	case MPROF_EVENT_HEAP_ROOT:
		put_varint(output, (uint64_t)event->id << HEAP_RECORD_BITS | HEAP_RECORD_ROOT);
		put_varint(output, event->value);
		put_object_address(output, detail->object);
		break;
	default:
		put_varint(output, HEAP_RECORD_MOVE);
		put_object_address(output, detail->object);
		put_object_address(output, event->value);
		break;
	}
}

void heap_encode(encode_buffer *buffer, const heap_encoding *encoding, const mprof_event *events, size_t count,
		 uint32_t shift)
{
	heap_output output;

	output.buffer = buffer;
	output.next = output.bytes;
	output.previous_address = 0;
	output.shift = shift;
	for (size_t i = 0; i < count && buffer->status == MPROF_OK; i++)
		put_event(&output, encoding, &events[i]);
	output_flush(&output);
}

void heap_encode_start(encode_buffer *buffer, const block_encoding *encoding, const heap_records_header *header)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_HEAP_DATA);
	encode_clock(buffer, &header->start);
	encode_varint(buffer, header->snapshot);
	encode_varint(buffer, header->flags);
	encode_varint(buffer, header->counter);
	encode_varint(buffer, header->shift);
}

void heap_encode_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}

int heap_item_address_fits(uint64_t address)
{
	return (address & HEAP_ITEM_TAG_MASK) == 0;
}

void heap_item_encode_object(encode_buffer *buffer, uint64_t address, uint32_t class_id, uint32_t size,
			     uint32_t reference_count)
{
	encode_varint(buffer, (address & ~HEAP_ITEM_TAG_MASK) | HEAP_ITEM_TAG_OBJECT);
	encode_varint(buffer, class_id);
	encode_varint(buffer, size);
	encode_varint(buffer, reference_count);
}

void heap_item_encode_references(encode_buffer *buffer, const uint64_t *references, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		encode_varint(buffer, references[i]);
}

void heap_item_encode_dead(encode_buffer *buffer, uint32_t class_id, uint32_t size)
{
	encode_varint(buffer, (uint64_t)class_id << HEAP_ITEM_TAG_BITS | HEAP_ITEM_TAG_DEAD);
	encode_varint(buffer, size);
}

void heap_items_encode(encode_buffer *buffer, const block_encoding *encoding, const heap_items_header *header,
		       const encode_buffer *items)
{
	block_encode_begin(buffer, encoding, MPROF_BLOCK_HEAP_DATA);
	encode_clock(buffer, &header->snapshot_start);
	encode_clock(buffer, &header->snapshot_end);
	if (encoding->rules->counts_collections)
		encode_varint(buffer, header->number);
	encode_clock(buffer, &header->start);
	encode_bytes(buffer, items->bytes, items->length);
}

void heap_items_encode_end(encode_buffer *buffer, const mprof_clock *end)
{
	encode_varint(buffer, 0);
	encode_clock(buffer, end);
}
