/* SPDX-License-Identifier: MIT */
/*
 * Lists of a profile that only grow: markers, properties, code and where it was, handles, metrics, histograms and
 * finalizers.
 */
#include "model/records/lists.h"

#include "base/allocator.h"

#include <string.h>

/*
 * Histograms.
 */

/* A log that has more different buckets is not one of a histogram, and searching them would take long. */
#define MAX_BUCKETS 4096

#define SIGN (UINT64_C(1) << 63)

/* The bits of infinity as a double. */
#define INFINITE UINT64_C(0x7ff0000000000000)

/* Maps signed numbers, or doubles, to unsigned numbers of the same order. */
static uint64_t order_of(int is_double, uint64_t value)
{
	return is_double && (value & SIGN) != 0 ? ~value : value ^ SIGN;
}

static uint64_t value_of(int is_double, uint64_t order)
{
	return is_double && (order & SIGN) == 0 ? ~order : order ^ SIGN;
}

static int is_no_number(int is_double, uint64_t value)
{
	return is_double && (value & ~SIGN) > INFINITE;
}

static histogram_bucket open_bucket(int is_double)
{
	const uint64_t least = is_double ? SIGN | INFINITE : SIGN;
	const uint64_t most = is_double ? INFINITE : ~SIGN;

	return (histogram_bucket){order_of(is_double, least), order_of(is_double, most), 0};
}

static void histogram_destroy(histogram *all, const mprof_allocator *allocator)
{
	allocator_release(allocator, all->buckets, all->capacity * sizeof(*all->buckets));
	memset(all, 0, sizeof(*all));
}

static int bucket_is_before(const histogram_bucket *left, const histogram_bucket *right)
{
	return left->lower != right->lower ? left->lower < right->lower : left->upper < right->upper;
}

/* The index of the first bucket that is not before another one. */
static size_t find_index(const histogram *all, const histogram_bucket *bucket)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (bucket_is_before(&all->buckets[middle], bucket))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int has_bucket(const histogram *all, size_t index, const histogram_bucket *bucket)
{
	return index < all->count && all->buckets[index].lower == bucket->lower &&
	       all->buckets[index].upper == bucket->upper;
}

static void add_saturated(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/*
 * Adds values of a bucket, whose bounds are doubles if \p is_double is set, else signed numbers. Invalid bounds, and
 * those beyond the maximum number of different buckets, count as unknown. Returns 0 if there is no memory.
 */
static int histogram_add(histogram *all, const mprof_allocator *allocator, int is_double, uint64_t lower,
			 uint64_t upper, uint64_t count)
{
	histogram_bucket bucket = {order_of(is_double, lower), order_of(is_double, upper), 0};
	size_t index;
	void *buckets = all->buckets;

	if (is_no_number(is_double, lower) || is_no_number(is_double, upper) || bucket.lower >= bucket.upper)
		bucket = open_bucket(is_double);
	index = find_index(all, &bucket);
	if (!has_bucket(all, index, &bucket) && all->count >= MAX_BUCKETS) {
		bucket = open_bucket(is_double);
		index = find_index(all, &bucket);
	}
	if (!has_bucket(all, index, &bucket)) {
		const int is_reserved =
			array_reserve(allocator, &buckets, &all->capacity, all->count + 1, sizeof(*all->buckets));

		all->buckets = buckets;
		if (!is_reserved)
			return 0;
		memmove(&all->buckets[index + 1], &all->buckets[index], (all->count - index) * sizeof(bucket));
		all->buckets[index] = bucket;
		all->count++;
	}
	add_saturated(&all->buckets[index].count, count);
	add_saturated(&all->values, count);
	return 1;
}

/* The number of values that are certainly not above a bound. */
static uint64_t values_up_to(const histogram *all, uint64_t upper)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (all->buckets[i].upper <= upper)
			add_saturated(&sum, all->buckets[i].count);
	}
	return sum;
}

/*
 * The value of a rank is not below the lower bound of that rank, and not above the upper bound of that rank: each value
 * is between its own two bounds.
 */
histogram_range histogram_permille(const histogram *all, int is_double, uint32_t permille)
{
	/* permille * values / 1000, rounded up. */
	const uint64_t part = all->values / 1000 * permille + (all->values % 1000 * permille + 999) / 1000;
	const uint64_t rank = part > 0 ? part : 1;
	uint64_t sum = 0;
	uint64_t low = 0;
	uint64_t high = UINT64_MAX;
	size_t index = 0;

	for (; index + 1 < all->count; index++) {
		add_saturated(&sum, all->buckets[index].count);
		if (sum >= rank)
			break;
	}
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (values_up_to(all, middle) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return (histogram_range){value_of(is_double, all->buckets[index].lower), value_of(is_double, low)};
}

/*
 * Texts, and lists.
 */

char *text_copy(const mprof_allocator *allocator, const char *text)
{
	size_t size = text != NULL ? strlen(text) + 1 : 1;
	char *copy = allocator_allocate(allocator, size);

	if (copy == NULL)
		return NULL;
	if (text != NULL)
		memcpy(copy, text, size);
	else
		copy[0] = '\0';
	return copy;
}

void text_release(const mprof_allocator *allocator, char *copy)
{
	if (copy != NULL)
		allocator_release(allocator, copy, strlen(copy) + 1);
}

static void marks_init(mark_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
}

static void marks_destroy(mark_list *all)
{
	for (size_t i = 0; i < all->count; i++)
		text_release(&all->allocator, all->records[i].text);
	allocator_release(&all->allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
}

int marks_add(mark_list *all, const mprof_block *block)
{
	void *records = all->records;
	char *text;

	if (!array_reserve(&all->allocator, &records, &all->capacity, all->count + 1, sizeof(*all->records)))
		return 0;
	all->records = records;
	text = text_copy(&all->allocator, block->as.mark.text);
	if (text == NULL)
		return 0;
	all->records[all->count].counter = block->as.mark.counter;
	all->records[all->count].thread = block->thread;
	all->records[all->count++].text = text;
	return 1;
}

static void properties_init(property_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->numbers, allocator);
}

static void properties_destroy(property_list *all)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;

	for (size_t i = 0; i < all->count; i++) {
		text_release(allocator, all->items[i].key);
		text_release(allocator, all->items[i].value);
	}
	allocator_release(allocator, all->items, all->capacity * sizeof(*all->items));
	all->items = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->numbers);
}

static int append_property(property_list *all, uint64_t hash, const char *key, char *value)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;
	void *items = all->items;
	char *own_key;

	if (!array_reserve(allocator, &items, &all->capacity, all->count + 1, sizeof(*all->items)))
		return 0;
	all->items = items;
	own_key = text_copy(allocator, key);
	if (own_key == NULL)
		return 0;
	if (!hash_map_put(&all->numbers, hash, all->count)) {
		text_release(allocator, own_key);
		return 0;
	}
	all->items[all->count].key = own_key;
	all->items[all->count++].value = value;
	return 1;
}

int properties_set(property_list *all, const char *key, const char *value)
{
	const mprof_allocator *allocator = &all->numbers.index.allocator;
	uint64_t hash = hash_mix_text(all->numbers.index.seed, key);
	const uint64_t *number = hash_map_get(&all->numbers, hash);
	char *own_value = text_copy(allocator, value);

	if (own_value == NULL)
		return 0;
	if (number != NULL && strcmp(all->items[*number].key, key) == 0) {
		text_release(allocator, all->items[*number].value);
		all->items[*number].value = own_value;
		return 1;
	}
	if (!append_property(all, hash, key, own_value)) {
		text_release(allocator, own_value);
		return 0;
	}
	return 1;
}

#define TYPE_BITS (MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN)

static void code_units_init(code_unit_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	hash_map_init(&all->latest, allocator);
}

static void code_units_destroy(code_unit_list *all)
{
	const mprof_allocator *allocator = &all->latest.index.allocator;

	for (size_t i = 0; i < all->count; i++) {
		text_release(allocator, all->records[i].name);
		text_release(allocator, all->records[i].assembly);
	}
	allocator_release(allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->latest);
}

/* A code unit is identified by its ID if it has one, else by its name. */
static uint64_t unit_key(const code_unit_list *all, const mprof_block *block)
{
	uint32_t type = block->as.element.kind & TYPE_BITS;

	if (block->as.element.id != 0)
		return (uint64_t)type << 32 | block->as.element.id;
	return hash_mix_text(hash_mix(all->latest.index.seed, type),
			     block->as.element.name != NULL ? block->as.element.name : "");
}

int code_units_loaded(code_unit_list *all, const mprof_block *block)
{
	const mprof_allocator *allocator = &all->latest.index.allocator;
	void *records = all->records;
	code_unit_record record;

	if (!array_reserve(allocator, &records, &all->capacity, all->count + 1, sizeof(*all->records)))
		return 0;
	all->records = records;
	memset(&record, 0, sizeof(record));
	record.kind = block->as.element.kind;
	record.id = block->as.element.id;
	record.load_start = block->as.element.start_counter;
	record.load_end = block->as.element.end_counter;
	record.name = text_copy(allocator, block->as.element.name);
	if (record.name == NULL)
		return 0;
	if (block->as.element.assembly != NULL)
		record.assembly = text_copy(allocator, block->as.element.assembly->base_name);
	if ((block->as.element.assembly != NULL && record.assembly == NULL) ||
	    !hash_map_put(&all->latest, unit_key(all, block), all->count)) {
		text_release(allocator, record.name);
		text_release(allocator, record.assembly);
		return 0;
	}
	all->records[all->count++] = record;
	return 1;
}

void code_units_unloaded(code_unit_list *all, const mprof_block *block)
{
	const uint64_t *number = hash_map_get(&all->latest, unit_key(all, block));
	code_unit_record *record;

	if (number == NULL)
		return;
	record = &all->records[*number];
	if (record->is_unloaded || record->id != block->as.element.id)
		return;
	record->unload_end = block->as.element.end_counter;
	record->is_unloaded = 1;
}

static void handles_init(handle_list *all, memory_budget *budget)
{
	memset(all, 0, sizeof(*all));
	all->budget = budget;
	hash_map_init(&all->numbers, &budget->allocator);
	site_table_init(&all->by_class, &budget->allocator);
	site_table_init(&all->by_stack, &budget->paths);
}

static void handles_destroy(handle_list *all)
{
	allocator_release(&all->numbers.index.allocator, all->records, all->capacity * sizeof(*all->records));
	all->records = NULL;
	all->count = 0;
	all->capacity = 0;
	hash_map_destroy(&all->numbers);
	site_table_destroy(&all->by_class);
	site_table_destroy(&all->by_stack);
}

/* The record of a handle. A new record has the counter of the event, which is therefore the latest. */
static handle_record *record_of(handle_list *all, const mprof_event *event, uint32_t type)
{
	uint64_t key = event->value << 2 | type;
	const uint64_t *number = hash_map_get(&all->numbers, key);
	void *records = all->records;
	handle_record *record;

	if (number != NULL)
		return &all->records[*number];
	if (!array_reserve(&all->numbers.index.allocator, &records, &all->capacity, all->count + 1,
			   sizeof(*all->records)))
		return NULL;
	all->records = records;
	if (!hash_map_put(&all->numbers, key, all->count))
		return NULL;
	record = &all->records[all->count++];
	record->counter = event->counter;
	record->by_class = SITE_TABLE_NONE;
	record->by_stack = SITE_TABLE_NONE;
	return record;
}

static void remove_from_sites(handle_list *all, handle_record *record)
{
	if (record->by_class == SITE_TABLE_NONE)
		return;
	all->by_class.records[record->by_class].value--;
	if (record->by_stack != SITE_TABLE_NONE)
		all->by_stack.records[record->by_stack].value--;
	all->alive--;
	record->by_class = SITE_TABLE_NONE;
	record->by_stack = SITE_TABLE_NONE;
}

int handles_add(handle_list *all, const mprof_event *event)
{
	const mprof_event_detail *detail = event->more.detail;
	uint32_t type = detail != NULL ? detail->handle_type & 3 : MPROF_HANDLE_NORMAL;
	uint32_t stack = detail != NULL ? detail->stack : 0;
	int is_creation = event->kind == MPROF_EVENT_HANDLE_CREATED;
	size_t by_class = SITE_TABLE_NONE;
	size_t by_stack = SITE_TABLE_NONE;
	handle_record *record;

	if (is_creation) {
		const site_key of_class = {.class_id = event->id, .detail = type};
		const site_key of_stack = {.class_id = event->id, .stack = stack, .detail = type};

		by_class = site_table_get(&all->by_class, &of_class);
		if (by_class == SITE_TABLE_NONE)
			return 0;
		/* If there is no memory for the call site, the handle is counted by class alone. */
		by_stack = site_table_get(&all->by_stack, &of_stack);
		if (by_stack == SITE_TABLE_NONE && !memory_budget_is_exceeded(all->budget))
			return 0;
	}
	record = record_of(all, event, type);
	if (record == NULL)
		return 0;
	if (is_creation) {
		all->by_class.records[by_class].count++;
		if (by_stack != SITE_TABLE_NONE)
			all->by_stack.records[by_stack].count++;
		else
			all->folded++;
	}
	if ((int64_t)(event->counter - record->counter) < 0)
		return 1;
	record->counter = event->counter;
	remove_from_sites(all, record);
	if (is_creation) {
		all->by_class.records[by_class].value++;
		if (by_stack != SITE_TABLE_NONE)
			all->by_stack.records[by_stack].value++;
		all->alive++;
		record->by_class = by_class;
		record->by_stack = by_stack;
	}
	return 1;
}

static void metrics_init(metric_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	record_table_init(&all->records, allocator, sizeof(metric_record));
}

static void metrics_destroy(metric_list *all)
{
	const mprof_allocator *allocator = id_map_allocator(&all->records.positions);

	for (size_t i = 0; i < all->records.count; i++) {
		metric_record *metric = record_table_at(&all->records, i);

		text_release(allocator, metric->section);
		text_release(allocator, metric->name);
		text_release(allocator, metric->unit);
		histogram_destroy(&metric->buckets, allocator);
	}
	allocator_release(allocator, all->histograms, all->histogram_capacity * sizeof(*all->histograms));
	record_table_destroy(&all->records);
}

/* Notes that a metric is a histogram, once. Returns 0 if there is no memory. */
static int note_histogram(metric_list *all, const mprof_record *record)
{
	const metric_record *known = record_table_find(&all->records, record->id);
	void *histograms = all->histograms;
	int is_reserved;

	if ((record->as.metric.flags & MPROF_METRIC_FLAG_HISTOGRAM) == 0 || (known != NULL && known->name != NULL))
		return 1;
	is_reserved = array_reserve(id_map_allocator(&all->records.positions), &histograms, &all->histogram_capacity,
				    all->histogram_count + 1, sizeof(*all->histograms));
	all->histograms = histograms;
	if (is_reserved)
		all->histograms[all->histogram_count++] = record->id;
	return is_reserved;
}

int metric_list_define(metric_list *all, const mprof_record *record)
{
	const int is_noted = note_histogram(all, record);
	metric_record *metric = is_noted ? record_table_get(&all->records, record->id) : NULL;
	const mprof_allocator *allocator = id_map_allocator(&all->records.positions);
	char *section = metric != NULL ? text_copy(allocator, record->as.metric.section) : NULL;
	/* Nothing more is allocated after a refusal: the latest refusal determines whether the limit is the reason. */
	char *name = section != NULL ? text_copy(allocator, record->as.metric.name) : NULL;
	char *unit = name != NULL ? text_copy(allocator, record->as.metric.unit) : NULL;

	if (unit == NULL) {
		text_release(allocator, section);
		text_release(allocator, name);
		return 0;
	}
	text_release(allocator, metric->section);
	text_release(allocator, metric->name);
	text_release(allocator, metric->unit);
	metric->section = section;
	metric->name = name;
	metric->unit = unit;
	metric->flags = record->as.metric.flags;
	metric->thread = record->as.metric.thread;
	metric->measures = thread_metric_find(metric->flags, section, name);
	return 1;
}

static int metric_value_is_less(uint32_t flags, uint64_t left, uint64_t right)
{
	double left_double;
	double right_double;

	if (!(flags & MPROF_METRIC_FLAG_DOUBLE))
		return (int64_t)left < (int64_t)right;
	memcpy(&left_double, &left, sizeof(left_double));
	memcpy(&right_double, &right, sizeof(right_double));
	return left_double < right_double;
}

static void add_value(metric_record *metric, uint64_t value, uint64_t counter)
{
	if (metric->count == 0) {
		metric->minimum = metric->maximum = value;
		metric->first_counter = metric->last_counter = counter;
		metric->first = value;
	}
	if (metric_value_is_less(metric->flags, value, metric->minimum))
		metric->minimum = value;
	if (metric_value_is_less(metric->flags, metric->maximum, value))
		metric->maximum = value;
	/* Values with a time of their own are in no order of time. Of several with one time the last one counts. */
	if (counter < metric->first_counter) {
		metric->first = value;
		metric->first_counter = counter;
	}
	if (counter >= metric->last_counter) {
		metric->last = value;
		metric->last_counter = counter;
	}
	metric->count++;
}

int metric_list_skip_value(metric_list *all, const mprof_record *record, uint64_t counter)
{
	metric_record *metric = record_table_get(&all->records, record->id);

	if (metric == NULL)
		return 0;
	if (counter >= metric->latest_counter) {
		metric->latest = record->as.metric_value.value;
		metric->latest_counter = counter;
	}
	metric->skipped++;
	return 1;
}

/* Returns 0 if there is no memory. */
static int add_bucket(metric_record *metric, const mprof_allocator *allocator, const mprof_metric_value_record *bucket,
		      uint64_t counter)
{
	if (bucket->count == 0)
		return 1;
	if (!histogram_add(&metric->buckets, allocator, (metric->flags & MPROF_METRIC_FLAG_DOUBLE) != 0, bucket->lower,
			   bucket->value, bucket->count))
		return 0;
	if (metric->count == 0 || counter > metric->last_counter)
		metric->last_counter = counter;
	metric->count++;
	return 1;
}

const metric_record *metric_list_add_value(metric_list *all, const mprof_record *record, uint64_t counter,
					   uint64_t *growth, uint64_t *previous)
{
	metric_record *metric = record_table_get(&all->records, record->id);
	uint64_t value = record->as.metric_value.value;

	*growth = 0;
	if (metric == NULL)
		return NULL;
	*previous = metric->latest_counter;
	if ((metric->flags & MPROF_METRIC_FLAG_HISTOGRAM) != 0)
		return add_bucket(metric, id_map_allocator(&all->records.positions), &record->as.metric_value, counter)
			       ? metric
			       : NULL;
	if (counter >= metric->latest_counter) {
		*growth = metric->latest < value ? value - metric->latest : 0;
		metric->latest = value;
		metric->latest_counter = counter;
	}
	add_value(metric, value, counter);
	return metric;
}

/*
 * Where generated code was.
 */

static void code_places_init(code_place_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	all->allocator = *allocator;
	hash_map_init(&all->latest, allocator);
}

static void code_places_destroy(code_place_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		if (!all->places[i].is_moved)
			text_release(&all->allocator, all->places[i].name);
	}
	allocator_release(&all->allocator, all->places, all->capacity * sizeof(*all->places));
	hash_map_destroy(&all->latest);
}

/* Adds a place, which becomes the latest one of its range. Returns 0 if there is no memory. */
static int add_place(code_place_list *all, const code_place *place)
{
	void *places = all->places;
	int is_reserved = array_reserve(&all->allocator, &places, &all->capacity, all->count + 1, sizeof(*all->places));

	all->places = places;
	if (!is_reserved || !hash_map_put(&all->latest, place->range, all->count))
		return 0;
	all->places[all->count++] = *place;
	return 1;
}

static int define_place(code_place_list *all, uint32_t id, const mprof_code_range_record *range)
{
	const code_place place = {.range = id,
				  .kind = range->kind,
				  .method = range->method,
				  .address = range->address,
				  .size = range->size,
				  .start = range->start,
				  .process = range->process,
				  .name = text_copy(&all->allocator, range->name)};

	if (place.name != NULL && add_place(all, &place))
		return 1;
	text_release(&all->allocator, place.name);
	return 0;
}

static int end_place(code_place_list *all, uint32_t id, const mprof_code_end_record *end)
{
	const uint64_t *latest = hash_map_get(&all->latest, id);
	size_t index;

	if (latest == NULL)
		return 1;
	index = (size_t)*latest;
	if (end->address != 0) {
		code_place moved = all->places[index];

		moved.address = end->address;
		moved.start = end->counter;
		moved.is_moved = 1;
		if (!add_place(all, &moved))
			return 0;
	} else {
		hash_map_remove(&all->latest, id);
	}
	all->places[index].has_end = 1;
	all->places[index].end = end->counter;
	return 1;
}

int code_places_add(code_place_list *all, const mprof_record *record)
{
	switch (record->kind) {
	case MPROF_RECORD_CODE_RANGE:
		return define_place(all, record->id, &record->as.code_range);
	case MPROF_RECORD_CODE_END:
		return end_place(all, record->id, &record->as.code_end);
	default:
		return 1;
	}
}

/*
 * Finalizers, and the intervals that they take.
 */

/*
 * Maximum number of intervals that are searched for the start of the one that ends. Bounds the time for logs with many
 * starts and no ends.
 */
#define SEARCH_DEPTH 64

#define NONE SIZE_MAX

int interval_stack_begin(interval_stack *stack, const mprof_allocator *allocator, uint32_t id, uint64_t counter)
{
	void *intervals = stack->intervals;

	if (!array_reserve(allocator, &intervals, &stack->capacity, stack->count + 1, sizeof(*stack->intervals)))
		return 0;
	stack->intervals = intervals;
	stack->intervals[stack->count++] = (interval){.start = counter, .id = id};
	return 1;
}

/* The index of the innermost interval of \p id; NONE if none. */
static size_t find_interval(const interval_stack *stack, uint32_t id)
{
	for (size_t i = stack->count; i > 0 && stack->count - i < SEARCH_DEPTH; i--) {
		if (stack->intervals[i - 1].id == id)
			return i - 1;
	}
	return NONE;
}

void interval_stack_set_result(interval_stack *stack, uint32_t id, size_t result)
{
	size_t found = find_interval(stack, id);

	if (found != NONE)
		stack->intervals[found].result = result;
}

int interval_stack_end(interval_stack *stack, uint32_t id, uint64_t counter, ended_interval *ended)
{
	size_t found = find_interval(stack, id);
	const interval *last;
	int64_t duration;

	if (stack->count == 0)
		return 0;
	stack->count = found != NONE ? found : stack->count - 1;
	last = &stack->intervals[stack->count];
	duration = (int64_t)(counter - last->start);
	ended->duration = duration > 0 ? (uint64_t)duration : 0;
	ended->self = ended->duration > last->nested ? ended->duration - last->nested : 0;
	ended->result = last->result;
	ended->id = last->id;
	if (stack->count > 0)
		stack->intervals[stack->count - 1].nested += ended->duration;
	ended->is_outermost = stack->count == 0;
	ended->is_repeated = find_interval(stack, ended->id) != NONE;
	return 1;
}

void interval_stack_destroy(interval_stack *stack, const mprof_allocator *allocator)
{
	allocator_release(allocator, stack->intervals, stack->capacity * sizeof(*stack->intervals));
	stack->intervals = NULL;
	stack->count = 0;
	stack->capacity = 0;
}

void finalizers_init(finalizer_list *all, const mprof_allocator *allocator)
{
	memset(all, 0, sizeof(*all));
	record_table_init(&all->records, allocator, sizeof(finalizer_record));
}

void finalizers_destroy(finalizer_list *all)
{
	record_table_destroy(&all->records);
}

static int begin_finalizer(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
			   uint64_t counter)
{
	finalizer_record *record = record_table_get(&all->records, event->id);

	if (record == NULL ||
	    !interval_stack_begin(&state->finalizers, id_map_allocator(&all->records.positions), event->id, counter))
		return 0;
	record->count += counts;
	all->count += counts;
	return 1;
}

static int end_finalizer(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint64_t counter)
{
	ended_interval ended;
	finalizer_record *record;

	if (!interval_stack_end(&state->finalizers, event->id, counter, &ended))
		return 1;
	record = record_table_get(&all->records, ended.id);
	if (record == NULL)
		return 0;
	record->time += ended.duration;
	if (ended.is_outermost)
		all->time += ended.duration;
	return 1;
}

static void end_run(finalizer_list *all, finalizer_state *state, uint64_t counter)
{
	int64_t duration = (int64_t)(counter - state->run_start);

	if (state->is_running && duration > 0)
		all->run_time += (uint64_t)duration;
	state->is_running = 0;
}

int finalizers_add(finalizer_list *all, finalizer_state *state, const mprof_event *event, uint32_t counts,
		   uint64_t counter)
{
	switch (event->kind) {
	case MPROF_EVENT_FINALIZER_START:
		return begin_finalizer(all, state, event, counts, counter);
	case MPROF_EVENT_FINALIZER_END:
		return end_finalizer(all, state, event, counter);
	case MPROF_EVENT_FINALIZATION_START:
		all->runs += counts;
		state->is_running = 1;
		state->run_start = counter;
		return 1;
	case MPROF_EVENT_FINALIZATION_END:
		end_run(all, state, counter);
		return 1;
	default:
		return 1;
	}
}

void finalizers_clear_state(finalizer_state *state)
{
	state->finalizers.count = 0;
	state->is_running = 0;
}

void lists_init(profile_lists *all, memory_budget *budget)
{
	const mprof_allocator *allocator = &budget->allocator;

	marks_init(&all->marks, allocator);
	properties_init(&all->properties, allocator);
	code_units_init(&all->code_units, allocator);
	handles_init(&all->handles, budget);
	metrics_init(&all->metrics, allocator);
	code_places_init(&all->code_places, allocator);
}

void lists_destroy(profile_lists *all)
{
	marks_destroy(&all->marks);
	properties_destroy(&all->properties);
	code_units_destroy(&all->code_units);
	handles_destroy(&all->handles);
	metrics_destroy(&all->metrics);
	code_places_destroy(&all->code_places);
}
