/* SPDX-License-Identifier: MIT */
/* Counts and unpacks the symbols of events. */
#include "format/events/event_symbols.h"

#include "base/bytes.h"

#include <string.h>

/* Events in a word of 64 bits, and in one of the vectors. */
#define WORD_EVENTS 16
#define VECTOR_EVENTS 32

/* Compilers emit vector instructions for it, or two instructions for words where a machine has none. */
typedef uint64_t symbol_vector __attribute__((vector_size(16)));

/* The lowest bit of each symbol of a word, and the low half of each byte. */
#define LOWEST_BITS UINT64_C(0x1111111111111111)
#define LOW_HALVES UINT64_C(0x0f0f0f0f0f0f0f0f)

/* The lowest bit of each byte. */
#define LOWEST_BITS_OF_BYTES UINT64_C(0x0101010101010101)

/* Vectors after which a count in four bits may be full. */
#define MAX_VECTORS 15

/*
 * Sums over the bits of symbols, from which the counts of the symbols follow: a symbol is 0 to 6, so bits 0 to 2 are
 * never set together, and bit 3 never is.
 */
typedef struct bit_sums {
	uint64_t bit_0;
	uint64_t bit_2;
	uint64_t bits_0_1;
	uint64_t bits_0_2;
	uint64_t bits_1_2;
} bit_sums;

/* Adds up the 32 counts of four bits. */
static uint64_t sum_of(symbol_vector counts)
{
	const symbol_vector bytes = (counts & LOW_HALVES) + (counts >> 4 & LOW_HALVES);

	/* Each of the eight bytes of a word is at most 30, so their sum fits the highest byte of the product. */
	return (bytes[0] * LOWEST_BITS_OF_BYTES >> 56) + (bytes[1] * LOWEST_BITS_OF_BYTES >> 56);
}

/* Adds the symbols of at most MAX_VECTORS vectors. Returns 0, adding nothing, if one of them is invalid. */
static int add_vectors(const uint8_t *bytes, size_t vectors, bit_sums *sums)
{
	symbol_vector bit_0 = {0};
	symbol_vector bit_2 = {0};
	symbol_vector bits_0_1 = {0};
	symbol_vector bits_0_2 = {0};
	symbol_vector bits_1_2 = {0};
	symbol_vector invalid = {0};

	for (size_t i = 0; i < vectors; i++) {
		symbol_vector symbols;
		symbol_vector second;
		symbol_vector third;
		symbol_vector both;

		memcpy(&symbols, bytes + i * sizeof(symbols), sizeof(symbols));
		/* Bits of neighbouring symbols are shifted in, too, but not to the lowest bit. */
		second = symbols >> 1;
		third = symbols >> 2;
		both = second & third;
		invalid |= (symbols & both) | symbols >> 3;
		bit_0 += symbols & LOWEST_BITS;
		bit_2 += third & LOWEST_BITS;
		bits_0_1 += symbols & second & LOWEST_BITS;
		bits_0_2 += symbols & third & LOWEST_BITS;
		bits_1_2 += both & LOWEST_BITS;
	}
	invalid &= LOWEST_BITS;
	if ((invalid[0] | invalid[1]) != 0)
		return 0;
	sums->bit_0 += sum_of(bit_0);
	sums->bit_2 += sum_of(bit_2);
	sums->bits_0_1 += sum_of(bits_0_1);
	sums->bits_0_2 += sum_of(bits_0_2);
	sums->bits_1_2 += sum_of(bits_1_2);
	return 1;
}

static void add_sums(const bit_sums *sums, size_t count, event_symbol_counts *counts)
{
	const uint32_t rows = (uint32_t)sums->bits_0_2;
	const uint32_t allocations = (uint32_t)sums->bits_0_1;
	const uint32_t typed = (uint32_t)sums->bits_1_2;
	const uint32_t fixed = (uint32_t)sums->bit_2 - rows - typed;
	const uint32_t implicit = (uint32_t)sums->bit_0 - rows - allocations;

	counts->rows += rows;
	counts->allocations += allocations;
	counts->fixed_allocations += fixed;
	counts->implicit_leaves += implicit;
	counts->typed += typed;
	counts->with_method += (uint32_t)count - rows - typed - allocations - fixed - implicit;
}

/* Counts up to \p count symbols one by one. Returns their number. */
static size_t count_singly(const uint8_t *bytes, size_t position, size_t count, event_symbol_counts *counts)
{
	bit_sums sums = {0};
	size_t i;

	for (i = 0; i < count; i++) {
		const uint32_t symbol = event_symbol_at(bytes, position + i);

		if (symbol >= EVENT_SYMBOLS)
			break;
		sums.bit_0 += symbol & 1;
		sums.bit_2 += symbol >> 2;
		sums.bits_0_1 += symbol & symbol >> 1 & 1;
		sums.bits_0_2 += symbol & symbol >> 2 & 1;
		sums.bits_1_2 += symbol >> 1 & symbol >> 2 & 1;
	}
	add_sums(&sums, i, counts);
	return i;
}

size_t event_symbols_count(const uint8_t *bytes, size_t position, size_t count, event_symbol_counts *counts)
{
	bit_sums sums = {0};
	size_t done = 0;
	size_t start;

	*counts = (event_symbol_counts){0};
	if (position % 2 != 0 && count > 0)
		done = count_singly(bytes, position, 1, counts);
	if (done < position % 2 && count > 0)
		return 0;
	start = done;
	while (count - done >= VECTOR_EVENTS) {
		const size_t remaining = (count - done) / VECTOR_EVENTS;
		const size_t vectors = remaining < MAX_VECTORS ? remaining : MAX_VECTORS;

		if (!add_vectors(bytes + (position + done) / 2, vectors, &sums))
			break;
		done += vectors * VECTOR_EVENTS;
	}
	add_sums(&sums, done - start, counts);
	return done + count_singly(bytes, position + done, count - done, counts);
}

/* Spreads the eight halves of four bytes to eight bytes. */
static uint64_t spread(uint32_t halves)
{
	uint64_t word = halves;

	word = (word | word << 16) & UINT64_C(0x0000ffff0000ffff);
	word = (word | word << 8) & UINT64_C(0x00ff00ff00ff00ff);
	return (word | word << 4) & LOW_HALVES;
}

void event_symbols_unpack_portable(const uint8_t *bytes, size_t position, size_t count, uint8_t *symbols)
{
	size_t i = 0;

	if (position % 2 != 0 && count > 0)
		symbols[i++] = (uint8_t)event_symbol_at(bytes, position);
	for (; count - i >= WORD_EVENTS; i += WORD_EVENTS) {
		const uint64_t word = bytes_load_64(bytes + (position + i) / 2);

		bytes_store_64(symbols + i, spread((uint32_t)word));
		bytes_store_64(symbols + i + WORD_EVENTS / 2, spread((uint32_t)(word >> 32)));
	}
	for (; i < count; i++)
		symbols[i] = (uint8_t)event_symbol_at(bytes, position + i);
}

size_t event_symbols_count_times(const uint8_t *symbols, size_t count)
{
	size_t without = 0;
	size_t i = 0;

	/* Only the symbols up to EVENT_SYMBOL_LEAVE have a time of their own; adding 5 sets bit 3 of the others. */
	for (; count - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		const uint64_t added = bytes_load_64(symbols + i) + EVENT_SYMBOL_ROW * LOWEST_BITS_OF_BYTES;

		without += (added >> 3 & LOWEST_BITS_OF_BYTES) * LOWEST_BITS_OF_BYTES >> 56;
	}
	for (; i < count; i++)
		without += symbols[i] > EVENT_SYMBOL_LEAVE;
	return count - without;
}

size_t event_symbols_find_allocations(const uint8_t *symbols, size_t count, uint16_t *positions)
{
	size_t found = 0;
	size_t i = 0;

	/* Most words have few allocations or none. As above, without rows and types: bit 2, and bit 0 or 1. */
	for (; count - i >= sizeof(uint64_t); i += sizeof(uint64_t)) {
		const uint64_t word = bytes_load_64(symbols + i);
		const uint64_t without_time = (word + EVENT_SYMBOL_ROW * LOWEST_BITS_OF_BYTES) >> 3;
		uint64_t remaining = without_time & ~((word | word >> 1) & word >> 2) & LOWEST_BITS_OF_BYTES;

		for (; remaining != 0; remaining &= remaining - 1)
			positions[found++] = (uint16_t)(i + (size_t)__builtin_ctzll(remaining) / 8);
	}
	for (; i < count; i++) {
		if (symbols[i] == EVENT_SYMBOL_ALLOCATION || symbols[i] == EVENT_SYMBOL_ALLOCATION_FIXED)
			positions[found++] = (uint16_t)i;
	}
	return found;
}

void event_symbols_merge_allocations(uint8_t *symbols, size_t count)
{
	size_t i = 0;

	for (; count - i >= sizeof(symbol_vector); i += sizeof(symbol_vector)) {
		symbol_vector vector;

		memcpy(&vector, symbols + i, sizeof(vector));
		/* Only the symbols of rows and of allocations of fixed size have bit 2, and the former have bit 0. */
		vector -= vector >> 2 & ~vector & LOWEST_BITS_OF_BYTES;
		memcpy(symbols + i, &vector, sizeof(vector));
	}
	for (; i < count; i++)
		symbols[i] = (uint8_t)(symbols[i] - (symbols[i] == EVENT_SYMBOL_ALLOCATION_FIXED));
}

#ifdef __SSE2__

#include <emmintrin.h>

void event_symbols_unpack(const uint8_t *bytes, size_t position, size_t count, uint8_t *symbols)
{
	const __m128i low_halves = _mm_set1_epi8(EVENT_SYMBOL_MASK);
	size_t i = 0;

	if (position % 2 != 0 && count > 0)
		symbols[i++] = (uint8_t)event_symbol_at(bytes, position);
	for (; count - i >= VECTOR_EVENTS; i += VECTOR_EVENTS) {
		const __m128i pairs = _mm_loadu_si128((const __m128i *)(const void *)(bytes + (position + i) / 2));
		const __m128i low = _mm_and_si128(pairs, low_halves);
		const __m128i high = _mm_and_si128(_mm_srli_epi64(pairs, EVENT_SYMBOL_BITS), low_halves);

		_mm_storeu_si128((__m128i *)(void *)(symbols + i), _mm_unpacklo_epi8(low, high));
		_mm_storeu_si128((__m128i *)(void *)(symbols + i + VECTOR_EVENTS / 2), _mm_unpackhi_epi8(low, high));
	}
	event_symbols_unpack_portable(bytes, position + i, count - i, symbols + i);
}

#else

void event_symbols_unpack(const uint8_t *bytes, size_t position, size_t count, uint8_t *symbols)
{
	event_symbols_unpack_portable(bytes, position, count, symbols);
}

#endif
