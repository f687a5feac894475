/* SPDX-License-Identifier: MIT */
/* Unwinds the stacks of samples that the kernel took, and writes them to a log. */
#include "record/attach_log.h"

#include "common/elements.h"
#include "shared/hash.h"
#include "shared/key_map.h"

#include <mprof/recorder.h>

#include <stdlib.h>
#include <string.h>

/* A power of two. Addresses with the same slot replace each other. */
#define CACHED_ROWS 1024

/* Records of one block, and samples of one. */
enum { MAX_RECORDS = 4096, MAX_SAMPLES = 4096 };

typedef struct cached_row {
	uint64_t address; /* 0 if the slot is not used. */
	int is_signal_frame;
	unwind_row row;
} cached_row;

typedef struct taken_sample {
	uint64_t time;
	uint32_t thread, stack;
} taken_sample;

typedef struct thread_name {
	uint32_t thread;
	char *name;
} thread_name;

typedef struct id_entry {
	uint64_t key, id;
} id_entry;

/* Definitions that are not written yet. */
typedef struct record_list {
	mprof_record *records;
	size_t count, capacity;
	uint32_t last_id;
} record_list;

enum { MODULES, FUNCTIONS, LOCATIONS, STACKS, LISTS };

struct attach_log {
	mprof_writer *writer;
	attach_modules *code;
	size_t limit;
	cached_row *rows;
	record_list lists[LISTS];
	key_map modules, functions, locations, stacks;
	taken_sample *samples;
	size_t sample_count, sample_capacity;
	thread_name *names;
	size_t name_count, name_capacity;
	uint64_t taken, lost, lost_written, truncated;
	int lacks_memory;
};

attach_log *attach_log_create(attach_modules *modules, size_t limit)
{
	attach_log *log = calloc(1, sizeof(*log));

	if (log == NULL)
		return NULL;
	log->code = modules;
	log->limit = limit < MPROF_STACK_MAX ? limit : MPROF_STACK_MAX - 1;
	log->modules.value_size = log->functions.value_size = sizeof(uint64_t);
	log->locations.value_size = log->stacks.value_size = sizeof(uint64_t);
	log->rows = calloc(CACHED_ROWS, sizeof(*log->rows));
	if (log->rows != NULL)
		return log;
	free(log);
	return NULL;
}

void attach_log_set_writer(attach_log *log, mprof_writer *writer)
{
	log->writer = writer;
}

void attach_log_destroy(attach_log *log)
{
	if (log == NULL)
		return;
	for (size_t i = 0; i < LISTS; i++)
		free(log->lists[i].records);
	for (size_t i = 0; i < log->name_count; i++)
		free(log->names[i].name);
	key_map_clear(&log->modules);
	key_map_clear(&log->functions);
	key_map_clear(&log->locations);
	key_map_clear(&log->stacks);
	free(log->names);
	free(log->samples);
	free(log->rows);
	free(log);
}

/* A new record of a kind, with the next ID. NULL if out of memory. */
static mprof_record *add_record(attach_log *log, int list, uint32_t kind)
{
	record_list *records = &log->lists[list];
	void *array = records->records;
	mprof_record *record;

	if (!elements_reserve(&array, &records->capacity, records->count, sizeof(*record))) {
		log->lacks_memory = 1;
		return NULL;
	}
	records->records = array;
	record = &records->records[records->count++];
	memset(record, 0, sizeof(*record));
	record->kind = kind;
	record->id = ++records->last_id;
	return record;
}

/* The entry of a key, whose ID is 0 if it is new. NULL if out of memory. */
static id_entry *entry_of(attach_log *log, key_map *map, uint64_t key)
{
	id_entry *entry = key_map_put(map, key);

	log->lacks_memory |= entry == NULL;
	return entry;
}

static uint32_t module_of(attach_log *log, const attach_place *place)
{
	id_entry *entry = entry_of(log, &log->modules, hash_key((uintptr_t)place->module) ^ place->module_start);
	mprof_record *record;

	if (place->module == NULL || entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, MODULES, MPROF_RECORD_MODULE)) != NULL) {
		entry->id = record->id;
		record->as.module.address = place->module_start;
		record->as.module.size = attach_file_size(place->module);
		record->as.module.file = attach_file_path(place->module);
		record->as.module.build_id = attach_file_build_id(place->module);
	}
	return (uint32_t)entry->id;
}

static uint32_t function_of(attach_log *log, const attach_place *place, uint32_t module)
{
	id_entry *entry =
		place->function != NULL
			? entry_of(log, &log->functions, place->function_start ^ hash_key((uintptr_t)place->function))
			: NULL;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id == 0 && (record = add_record(log, FUNCTIONS, MPROF_RECORD_FUNCTION)) != NULL) {
		entry->id = record->id;
		record->as.function.module = module;
		record->as.function.offset = place->function_start - (module != 0 ? place->module_start : 0);
		record->as.function.size = place->function_size;
		record->as.function.name = place->function;
	}
	return (uint32_t)entry->id;
}

/* \p is_exact: the address is that of an interruption, not a return address, which may be after its function. */
static uint32_t location_of(attach_log *log, uint64_t address, int is_exact)
{
	id_entry *entry = entry_of(log, &log->locations, address << 1 | (is_exact != 0));
	attach_place place;
	mprof_record *record;

	if (entry == NULL)
		return 0;
	if (entry->id != 0)
		return (uint32_t)entry->id;
	(void)attach_modules_find(log->code, is_exact ? address : address - 1, &place);
	record = add_record(log, LOCATIONS, MPROF_RECORD_LOCATION);
	if (record == NULL)
		return 0;
	entry->id = record->id;
	record->as.location.module = module_of(log, &place);
	record->as.location.function = function_of(log, &place, record->as.location.module);
	record->as.location.offset = address - (record->as.location.module != 0 ? place.module_start : 0);
	return (uint32_t)entry->id;
}

/* Location 0 is a frame that is not known. */
static uint32_t stack_of(attach_log *log, uint32_t caller, uint32_t location)
{
	id_entry *entry = entry_of(log, &log->stacks, (uint64_t)caller << 32 | location);
	mprof_record *record;

	if (entry == NULL)
		return caller;
	if (entry->id == 0 && (record = add_record(log, STACKS, MPROF_RECORD_STACK)) != NULL) {
		entry->id = record->id;
		record->as.stack = (mprof_stack_record){.caller = caller, .target = location, .is_native = 1};
	}
	return (uint32_t)entry->id;
}

/* The rules at an address; NULL if its module has none. */
static const cached_row *find_row(attach_log *log, uint64_t address)
{
	cached_row *row = &log->rows[hash_key(address) & (CACHED_ROWS - 1)];
	unwind_entry entry;
	uintptr_t there;

	if (row->address == address)
		return row;
	row->address = 0;
	if (!attach_modules_find_entry(log->code, address, &entry, &there) ||
	    !unwind_rules_compute(&entry, there, &row->row))
		return NULL;
	row->address = address;
	row->is_signal_frame = entry.is_signal_frame;
	return row;
}

/* A frame pointer leads to that of the caller and the return address. Compiled code of runtimes has no tables. */
static int leave_by_frame_pointer(unwind_frame *frame)
{
	const uint64_t pointer = frame->registers[REGISTER_FRAME];
	const uint64_t at = pointer - frame->stack_start;
	uint64_t saved[2];

	if (pointer < frame->registers[REGISTER_STACK] || at > frame->stack_length ||
	    frame->stack_length - at < sizeof(saved))
		return 0;
	memcpy(saved, frame->stack + at, sizeof(saved));
	frame->registers[REGISTER_FRAME] = saved[0];
	frame->registers[REGISTER_ADDRESS] = saved[1];
	frame->registers[REGISTER_STACK] = pointer + sizeof(saved);
	return 1;
}

/* Replaces the registers by those of the caller. Returns 0 if that cannot be done. */
static int leave(attach_log *log, unwind_frame *frame, int *is_exact)
{
	const uint64_t address = frame->registers[REGISTER_ADDRESS] - !*is_exact;
	const cached_row *row = find_row(log, address);
	attach_place place;
	uint64_t base;

	if (row != NULL) {
		const int is_signal_frame = row->is_signal_frame;

		if (!unwind_rules_base(&row->row, frame, &base) ||
		    (base <= frame->registers[REGISTER_STACK] && !is_signal_frame) ||
		    !unwind_rules_apply(&row->row, base, frame))
			return 0;
		*is_exact = is_signal_frame;
		return 1;
	}
	*is_exact = 0;
	return attach_modules_find(log->code, address, &place) && leave_by_frame_pointer(frame);
}

/* The ID of the call stack of a sample. */
static uint32_t unwind(attach_log *log, const attach_sample *sample)
{
	uint32_t locations[MPROF_STACK_MAX];
	unwind_frame frame = {.stack = sample->stack, .stack_length = sample->stack_length};
	size_t count = 0;
	int is_exact = 1, is_whole = 0;
	uint32_t stack;

	memcpy(frame.registers, sample->registers, sizeof(frame.registers));
	frame.stack_start = frame.registers[REGISTER_STACK];
	while (sample->has_registers && count < log->limit) {
		if (frame.registers[REGISTER_ADDRESS] == 0) {
			is_whole = 1;
			break;
		}
		locations[count++] = location_of(log, frame.registers[REGISTER_ADDRESS], is_exact);
		if (!leave(log, &frame, &is_exact))
			break;
	}
	stack = is_whole ? 0 : stack_of(log, 0, 0);
	log->truncated += !is_whole;
	while (count-- > 0)
		stack = stack_of(log, stack, locations[count]);
	return stack;
}

/* Addresses are looked up again; definitions that were made before remain. */
static void forget_addresses(attach_log *log)
{
	memset(log->rows, 0, CACHED_ROWS * sizeof(*log->rows));
	key_map_clear(&log->locations);
	log->locations.value_size = sizeof(uint64_t);
}

void attach_log_add_sample(attach_log *log, const attach_sample *sample)
{
	void *samples = log->samples;

	if (attach_modules_update(log->code))
		forget_addresses(log);
	if (!elements_reserve(&samples, &log->sample_capacity, log->sample_count, sizeof(taken_sample))) {
		log->lost++;
		return;
	}
	log->samples = samples;
	log->samples[log->sample_count++] = (taken_sample){sample->time, sample->thread, unwind(log, sample)};
	log->taken++;
}

void attach_log_add_name(attach_log *log, uint32_t thread, const char *name)
{
	void *names = log->names;
	char *copy = strdup(name);

	if (copy == NULL || !elements_reserve(&names, &log->name_capacity, log->name_count, sizeof(thread_name))) {
		free(copy);
		log->lacks_memory = 1;
		return;
	}
	log->names = names;
	log->names[log->name_count].thread = thread;
	log->names[log->name_count].name = copy;
	log->name_count++;
}

void attach_log_add_loss(attach_log *log, uint64_t count)
{
	log->lost += count;
}

static mprof_status write_definitions(attach_log *log)
{
	static const uint32_t blocks[LISTS] = {MPROF_BLOCK_CODE, MPROF_BLOCK_CODE, MPROF_BLOCK_CODE,
					       MPROF_BLOCK_STACKS};
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < LISTS; i++) {
		record_list *list = &log->lists[i];

		for (size_t at = 0; at < list->count && status == MPROF_OK; at += MAX_RECORDS) {
			const size_t count = list->count - at < MAX_RECORDS ? list->count - at : MAX_RECORDS;

			status = mprof_writer_write_records(log->writer, blocks[i], 0, list->records + at,
							    sizeof(mprof_record), count);
		}
		list->count = 0;
	}
	return status;
}

static mprof_status write_names(attach_log *log)
{
	mprof_status status = MPROF_OK;

	for (size_t i = 0; i < log->name_count; i++) {
		if (status == MPROF_OK)
			status = mprof_writer_write_thread_name(log->writer, log->names[i].thread, log->names[i].name,
								strlen(log->names[i].name));
		free(log->names[i].name);
	}
	log->name_count = 0;
	return status;
}

/* Those before a time come first, by thread and time. */
static uint64_t sorted_before;

static int compare_samples(const void *a, const void *b)
{
	const taken_sample *first = a, *second = b;
	const int is_first_later = first->time >= sorted_before, is_second_later = second->time >= sorted_before;

	if (is_first_later != is_second_later)
		return is_first_later - is_second_later;
	if (first->thread != second->thread)
		return first->thread < second->thread ? -1 : 1;
	return first->time < second->time ? -1 : first->time > second->time;
}

static mprof_status write_samples(attach_log *log, size_t total)
{
	static mprof_event block[MAX_SAMPLES];
	mprof_status status = MPROF_OK;

	for (size_t first = 0, count; first < total && status == MPROF_OK; first += count) {
		const taken_sample *start = &log->samples[first];

		for (count = 0; first + count < total && count < MAX_SAMPLES; count++) {
			if (start[count].thread != start->thread)
				break;
			block[count] = (mprof_event){
				.kind = MPROF_EVENT_SAMPLE, .counter = start[count].time, .value = start[count].stack};
		}
		status = mprof_writer_write_samples(log->writer, start->thread, start->time, block, count);
	}
	return status;
}

static mprof_status write_losses(attach_log *log)
{
	uint64_t losses[] = {0, log->lost - log->lost_written};

	log->lost_written = log->lost;
	return losses[1] > 0 ? mprof_writer_write_losses(log->writer, 0, losses, 2) : MPROF_OK;
}

mprof_status attach_log_write(attach_log *log, uint64_t before)
{
	size_t total = 0;
	mprof_status status;

	attach_modules_refresh(log->code);
	sorted_before = before;
	if (log->sample_count > 0)
		qsort(log->samples, log->sample_count, sizeof(taken_sample), compare_samples);
	while (total < log->sample_count && log->samples[total].time < before)
		total++;
	status = log->lacks_memory ? MPROF_ERR_MEMORY : write_definitions(log);
	if (status == MPROF_OK)
		status = write_names(log);
	if (status == MPROF_OK)
		status = write_samples(log, total);
	if (status == MPROF_OK)
		status = write_losses(log);
	memmove(log->samples, log->samples + total, (log->sample_count - total) * sizeof(taken_sample));
	log->sample_count -= total;
	return status == MPROF_OK ? mprof_writer_flush(log->writer) : status;
}

uint64_t attach_log_samples(const attach_log *log)
{
	return log->taken;
}

uint64_t attach_log_lost(const attach_log *log)
{
	return log->lost;
}

uint64_t attach_log_truncated(const attach_log *log)
{
	return log->truncated;
}
