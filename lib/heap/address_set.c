/* SPDX-License-Identifier: MIT */
/* Numbers addresses in ascending order by bitmaps of pages. */
#include "heap/address_set.h"

#include "base/allocator.h"
#include "base/sort.h"

#define WORD_BITS 64
#define PAGE_BITS 9

static int page_slot_is_used(const void *slot)
{
	return *(const uint32_t *)slot != 0;
}

static uint64_t page_slot_hash(const void *owner, const void *slot)
{
	const address_set *set = owner;

	return hash_key(set->index.seed, set->pages[*(const uint32_t *)slot - 1].key);
}

static int page_slot_matches(const void *owner, const void *slot, const void *key)
{
	uint32_t position = *(const uint32_t *)slot;

	return position != 0 && ((const address_set *)owner)->pages[position - 1].key == *(const uint64_t *)key;
}

static const hash_index_type page_slots = {
	.size = sizeof(uint32_t),
	.first_capacity = 64,
	.used_eighths = 4,
	.is_used = page_slot_is_used,
	.hash = page_slot_hash,
};

void address_set_init(address_set *set, const mprof_allocator *allocator, uint32_t shift)
{
	memset(set, 0, sizeof(*set));
	hash_index_init(&set->index, allocator);
	set->shift = shift;
}

void address_set_destroy(address_set *set)
{
	allocator_release(&set->index.allocator, set->pages, set->page_capacity * sizeof(*set->pages));
	set->pages = NULL;
	set->page_count = 0;
	set->page_capacity = 0;
	hash_index_destroy(&set->index, &page_slots);
}

static uint64_t key_of(const address_set *set, uint64_t address)
{
	return address >> set->shift >> PAGE_BITS;
}

/* The bit of an address in its page. */
static uint32_t bit_of(const address_set *set, uint64_t address)
{
	return (uint32_t)(address >> set->shift) & ((1u << PAGE_BITS) - 1);
}

static const uint32_t *find_page(const address_set *set, uint64_t key)
{
	return hash_index_find(&set->index, &page_slots, hash_key(set->index.seed, key), page_slot_matches, set, &key);
}

static void put_page_slot(address_set *set, size_t position)
{
	uint64_t hash = hash_key(set->index.seed, set->pages[position].key);

	*(uint32_t *)hash_index_take_slot(&set->index, &page_slots, hash) = (uint32_t)position + 1;
}

static int append_page(address_set *set, uint64_t key)
{
	void *pages = set->pages;
	size_t position = set->page_count;

	if (position >= UINT32_MAX - 1 ||
	    !array_reserve(&set->index.allocator, &pages, &set->page_capacity, position + 1, sizeof(*set->pages)))
		return 0;
	set->pages = pages;
	if (!hash_index_reserve(&set->index, &page_slots, set))
		return 0;
	memset(&set->pages[position], 0, sizeof(set->pages[position]));
	set->pages[position].key = key;
	set->page_count++;
	put_page_slot(set, position);
	return 1;
}

/* The page for a key, which becomes the latest one. NULL if there is no memory. */
static address_page *page_for(address_set *set, uint64_t key)
{
	const uint32_t *slot;

	if (set->page_count != 0 && set->pages[set->latest].key == key)
		return &set->pages[set->latest];
	slot = find_page(set, key);
	if (slot == NULL && !append_page(set, key))
		return NULL;
	set->latest = slot != NULL ? *slot - 1 : set->page_count - 1;
	return &set->pages[set->latest];
}

int address_set_add(address_set *set, uint64_t address)
{
	address_page *page = page_for(set, key_of(set, address));
	uint32_t bit = bit_of(set, address);
	uint64_t mask = UINT64_C(1) << bit % WORD_BITS;

	if (page == NULL)
		return -1;
	if ((page->words[bit / WORD_BITS] & mask) != 0)
		return 0;
	page->words[bit / WORD_BITS] |= mask;
	return 1;
}

static int compare_pages(const void *first, const void *second)
{
	uint64_t a = ((const address_page *)first)->key;
	uint64_t b = ((const address_page *)second)->key;

	return (a > b) - (a < b);
}

static int are_pages_sorted(const address_set *set)
{
	for (size_t i = 1; i < set->page_count; i++) {
		if (set->pages[i - 1].key > set->pages[i].key)
			return 0;
	}
	return 1;
}

void address_set_sort(address_set *set)
{
	uint32_t count = 0;

	if (!are_pages_sorted(set)) {
		sort_in_place(set->pages, set->page_count, sizeof(*set->pages), compare_pages);
		/* The same number of slots is used again, so there is room for them. */
		memset(set->index.slots, 0, set->index.capacity * page_slots.size);
		set->index.count = 0;
		for (size_t i = 0; i < set->page_count; i++)
			put_page_slot(set, i);
	}
	for (size_t i = 0; i < set->page_count; i++) {
		address_page *page = &set->pages[i];
		uint32_t rank = 0;

		page->first = count;
		for (size_t word = 0; word < ADDRESS_PAGE_WORDS; word++) {
			page->ranks[word] = (uint16_t)rank;
			rank += (uint32_t)__builtin_popcountll(page->words[word]);
		}
		count += rank;
	}
}

/* The number of an address in a page, or #ADDRESS_SET_NONE. */
static uint32_t find_in_page(const address_page *page, uint32_t bit)
{
	uint64_t word = page->words[bit / WORD_BITS];

	if ((word >> bit % WORD_BITS & 1) == 0)
		return ADDRESS_SET_NONE;
	word &= (UINT64_C(1) << bit % WORD_BITS) - 1;
	return page->first + page->ranks[bit / WORD_BITS] + (uint32_t)__builtin_popcountll(word);
}

void address_set_prefetch_near(const address_set *set, uint64_t address, size_t position)
{
	uint64_t key = key_of(set, address);
	size_t guess;

	if (set->page_count == 0)
		return;
	guess = position + (size_t)(key - set->pages[position].key);
	if (guess < set->page_count) {
		const address_page *page = &set->pages[guess];

		/* A page is longer than a cache line. */
		__builtin_prefetch(page);
		__builtin_prefetch((const uint8_t *)(page + 1) - 1);
	}
}

uint32_t address_set_find_near(const address_set *set, uint64_t address, size_t *position)
{
	uint64_t key = key_of(set, address);
	size_t guess;

	if (set->page_count == 0 || (address & ((UINT64_C(1) << set->shift) - 1)) != 0)
		return ADDRESS_SET_NONE;
	/*
	 * Pages are sorted: between two of them that are in one range of memory, none is usually missing. The
	 * difference of keys may be negative, and then wraps.
	 */
	guess = *position + (size_t)(key - set->pages[*position].key);
	if (guess >= set->page_count || set->pages[guess].key != key) {
		const uint32_t *slot = find_page(set, key);

		if (slot == NULL)
			return ADDRESS_SET_NONE;
		guess = *slot - 1;
	}
	*position = guess;
	return find_in_page(&set->pages[guess], bit_of(set, address));
}

uint32_t address_set_find(const address_set *set, uint64_t address)
{
	size_t position = 0;

	return address_set_find_near(set, address, &position);
}

uint64_t address_set_get(const address_set *set, uint32_t number)
{
	size_t low = 0;
	size_t high = set->page_count;
	const address_page *page;
	uint32_t word = ADDRESS_PAGE_WORDS - 1;
	uint64_t bits;

	/* The page before high has the number. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (set->pages[middle].first <= number)
			low = middle;
		else
			high = middle;
	}
	page = &set->pages[low];
	number -= page->first;
	while (page->ranks[word] > number)
		word--;
	bits = page->words[word];
	for (number -= page->ranks[word]; number > 0; number--)
		bits &= bits - 1;
	return ((page->key << PAGE_BITS) + (uint64_t)word * WORD_BITS + (uint32_t)__builtin_ctzll(bits)) << set->shift;
}
