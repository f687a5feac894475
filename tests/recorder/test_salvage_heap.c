/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/test_salvage_heap.c
 * \brief Programs that are killed while they record heap snapshots: each object whose call had returned is in the
 * completed log exactly once, with its class and its references, and a snapshot without its end is incomplete. With
 * offsets, each reference has its own, and those of fields have the name of the field.
 */
#include <mprof.h>

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLASSES 300
#define CLASS_KEY(number) ((mprof_key)(number)*24 + 0x5000)
#define HEAP UINT64_C(0x7f0000000000)

/* Objects of a snapshot: several chunks. */
#define OBJECTS 200000

/* Areas of roots, each of which has one root in each snapshot. */
#define AREAS 100
#define AREA_START(number) (UINT64_C(0x10000) * ((number) + 1))
#define AREA_SIZE UINT64_C(0x1000)

/* Fields of a class, which are at the offsets of references. */
#define FIELDS 40
#define FIELD_OFFSET(number) (16 + 8 * (uint32_t)(number))

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "test_salvage_heap.c:%d: %s\n", __LINE__, #condition);                         \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static char log_path[] = "mprof-test-salvage-heap-XXXXXX";
static char salvage_path[64];
static int salvage_fd;

/* Whether references have offsets. */
static uint32_t with_offsets;

/* Number of objects that were recorded, in memory that outlives the program. */
static _Atomic uint64_t *recorded;

static void pause_shortly(unsigned microseconds)
{
	const struct timespec time = {0, (long)microseconds * 1000};

	nanosleep(&time, NULL);
}

static mprof_recorder *open_recorder(void)
{
	mprof_recorder_options options;
	mprof_recorder *recorder;

	mprof_recorder_options_init(&options, sizeof(options));
	options.salvage_path = salvage_path;
	options.heap_offsets = with_offsets;
	CHECK(mprof_recorder_open_path(log_path, &options, &recorder, NULL) == MPROF_OK);
	for (unsigned i = 0; i < CLASSES; i++) {
		mprof_description description;
		char name[32];

		mprof_description_init(&description, sizeof(description));
		snprintf(name, sizeof(name), "Class%u", i);
		description.name = name;
		description.name_length = strlen(name);
		CHECK(mprof_recorder_define_class(recorder, CLASS_KEY(i), &description) == MPROF_OK);
	}
	return recorder;
}

/* Each class inherits its first field from the first class. */
static void define_fields(mprof_recorder *recorder, unsigned first, unsigned step)
{
	mprof_class_field fields[FIELDS];
	char names[FIELDS][16];

	for (unsigned i = 0; i < FIELDS; i++) {
		snprintf(names[i], sizeof(names[i]), "field%u", i);
		fields[i] = (mprof_class_field){names[i], i == 0 ? CLASS_KEY(0) : 0, FIELD_OFFSET(i), 0};
	}
	for (unsigned i = first; i < CLASSES; i += step)
		CHECK(mprof_recorder_define_fields(recorder, CLASS_KEY(i), fields, sizeof(fields[0]), FIELDS) ==
		      MPROF_OK);
}

/* Entries of the journal per area: with offsets, more than the journal has before it is rewritten. */
#define AREA_CHANGES (with_offsets ? 150U : 20U)

/* The same area again and again, and half of them are gone at the end. */
static void register_areas(mprof_recorder *recorder)
{
	for (unsigned i = 0; i < AREAS * AREA_CHANGES; i++) {
		const uint64_t number = i % AREAS;
		char name[32];
		mprof_root_area area = {.struct_size = sizeof(area),
					.start = AREA_START(number),
					.size = AREA_SIZE,
					.kind = MPROF_ROOT_STATIC,
					.class_key = CLASS_KEY(number),
					.name = name};

		snprintf(name, sizeof(name), "area%u", (unsigned)number);
		CHECK(mprof_recorder_register_root(recorder, &area) == MPROF_OK);
		if (i < AREAS * (AREA_CHANGES - 1) || number % 2 == 1)
			CHECK(mprof_recorder_unregister_root(recorder, area.start) == MPROF_OK);
	}
}

static void record_roots(mprof_recorder *recorder)
{
	for (uint64_t i = 0; i < AREAS; i++)
		mprof_recorder_add_heap_root(recorder, MPROF_ROOT_OTHER, AREA_START(i) + i * 8, HEAP + i * 64);
}

/* The address of an object. Some are far from those before them, which takes the wide form. */
static uint64_t address_of(uint64_t number)
{
	return HEAP + number * 64 + (number % 1000 == 7 ? UINT64_C(1) << 40 : 0);
}

/* Every hundredth object has many references, which are records of their own. */
static size_t references_of(uint64_t number)
{
	return number % 100 == 0 ? 40 : number % 4;
}

/* Some references are not at the offset of a field, and in no slot of 8 bytes. */
static uint64_t offset_of(uint64_t number, size_t reference)
{
	return FIELD_OFFSET(reference) + (number % 1000 == 11 ? 4 : 0);
}

static void record_objects(mprof_recorder *recorder, uint64_t count)
{
	uint64_t references[FIELDS];
	uint64_t offsets[FIELDS];

	for (uint64_t i = 0; i < count; i++) {
		for (size_t j = 0; j < references_of(i); j++) {
			references[j] = address_of(i + j);
			offsets[j] = offset_of(i, j);
		}
		mprof_recorder_add_heap_object(recorder, address_of(i), CLASS_KEY(i % CLASSES), 8 * (i % 16 + 2),
					       references, with_offsets ? offsets : NULL, references_of(i));
		atomic_fetch_add_explicit(recorded, 1, memory_order_release);
	}
}

/* Records two snapshots, and a part of a third one until it is killed. */
static void record_until_killed(void)
{
	mprof_recorder *recorder = open_recorder();

	/* Their fields are in the journal when the process dies, rewritten or not, or are messages. */
	if (with_offsets) {
		define_fields(recorder, 0, 2);
		CHECK(mprof_recorder_drain(recorder) == MPROF_OK);
	}
	register_areas(recorder);
	if (with_offsets)
		define_fields(recorder, 1, 4);
	/* Most of the time, or always, they are only in the journal when the process dies. */
	CHECK(mprof_recorder_drain(recorder) == MPROF_OK);
	if (with_offsets)
		define_fields(recorder, 3, 4);
	for (int i = 0; i < 2; i++) {
		CHECK(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 0));
		record_roots(recorder);
		record_objects(recorder, OBJECTS);
		mprof_recorder_end_heap(recorder);
	}
	CHECK(mprof_recorder_begin_heap(recorder, MPROF_HEAP_USE_SHOT, 0));
	record_roots(recorder);
	record_objects(recorder, OBJECTS);
	for (;;)
		pause();
}

typedef struct found {
	uint64_t objects;
	uint64_t references;
	uint64_t in_snapshot;
	uint64_t roots_in_snapshot;
	uint64_t areas[AREAS + 1]; /* Start, by ID. */
	size_t area_count;
	uint64_t fields;
	uint64_t object;   /* Number of the object that was read last, in its snapshot, */
	size_t of_object;  /* the number of its references that were read, */
	uint32_t class_id; /* and its class. */
	unsigned snapshots;
	unsigned ended;
	unsigned incomplete;
} found;

static void check_object(mprof_reader *reader, const found *log, const mprof_event *event)
{
	mprof_mapping mapping;
	char expected[32];

	CHECK(mprof_reader_lookup_class(reader, event->id, &mapping, sizeof(mapping)) == MPROF_OK);
	snprintf(expected, sizeof(expected), "Class%u", (unsigned)(log->in_snapshot % CLASSES));
	CHECK(strcmp(mapping.name, expected) == 0);
	CHECK(event->more.detail->object == address_of(log->in_snapshot));
	CHECK(event->value == 8 * (log->in_snapshot % 16 + 2));
}

/* Each reference has its offset, and the name of the field there. */
static void check_offsets(mprof_reader *reader, found *log, const mprof_event_detail *detail)
{
	CHECK(detail->reference_count == 0 || (detail->offsets != NULL) == (with_offsets != 0));
	for (uint32_t i = 0; i < detail->reference_count && with_offsets; i++) {
		mprof_record field;
		uint64_t element;
		char expected[32];
		mprof_status status = mprof_reader_lookup_field(reader, log->class_id, detail->offsets[i], &field,
								sizeof(field), &element);

		CHECK(detail->offsets[i] == offset_of(log->object, log->of_object + i));
		if (detail->offsets[i] % 8 != 0) {
			CHECK(status == MPROF_ERR_UNDEFINED_ID);
			continue;
		}
		CHECK(status == MPROF_OK);
		snprintf(expected, sizeof(expected), "field%u", (unsigned)(log->of_object + i));
		CHECK(strcmp(field.as.field.name, expected) == 0);
		CHECK((field.as.field.class_id != 0) == (log->of_object + i == 0));
	}
	log->of_object += detail->reference_count;
}

/* A root in an area that was still registered has its ID. */
static void check_root(found *log, const mprof_event *event)
{
	const uint64_t number = log->roots_in_snapshot++;

	CHECK(event->more.detail->object == HEAP + number * 64);
	if (number % 2 == 1) {
		CHECK(event->id == 0 && event->value == MPROF_ROOT_OTHER);
		return;
	}
	CHECK(event->value == MPROF_ROOT_STATIC && event->id >= 1 && event->id <= log->area_count);
	CHECK(log->areas[event->id] == AREA_START(number));
}

/* Areas are defined once. */
static void read_areas(mprof_reader *reader, found *log)
{
	mprof_record record;
	size_t count;

	while (mprof_reader_next_records(reader, &record, sizeof(record), 1, &count) == MPROF_OK) {
		const uint64_t number = record.as.root.address / 0x10000 - 1;
		mprof_mapping mapping;
		char expected[32];

		CHECK(record.kind == MPROF_RECORD_ROOT && record.id == log->area_count + 1 && number < AREAS);
		snprintf(expected, sizeof(expected), "area%u", (unsigned)number);
		CHECK(strcmp(record.as.root.name, expected) == 0 && record.as.root.size == AREA_SIZE);
		CHECK(mprof_reader_lookup_class(reader, record.as.root.class_id, &mapping, sizeof(mapping)) ==
		      MPROF_OK);
		snprintf(expected, sizeof(expected), "Class%u", (unsigned)number);
		CHECK(strcmp(mapping.name, expected) == 0);
		log->areas[++log->area_count] = record.as.root.address;
	}
}

static uint64_t count_records(mprof_reader *reader)
{
	mprof_record records[64];
	uint64_t sum = 0;
	size_t count;

	while (mprof_reader_next_records(reader, records, sizeof(records[0]), 64, &count) == MPROF_OK)
		sum += count;
	return sum;
}

static void read_block(mprof_reader *reader, const mprof_block *block, found *log)
{
	mprof_event events[256];
	size_t count;

	if ((block->as.heap_data.flags & MPROF_HEAP_FLAG_FIRST) != 0) {
		log->snapshots++;
		log->in_snapshot = 0;
		log->roots_in_snapshot = 0;
	}
	while (mprof_reader_next_events(reader, events, 256, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			if (events[i].kind == MPROF_EVENT_HEAP_OBJECT) {
				check_object(reader, log, &events[i]);
				log->object = log->in_snapshot;
				log->of_object = 0;
				log->class_id = events[i].id;
				log->in_snapshot++;
				log->objects++;
			}
			if (events[i].kind == MPROF_EVENT_HEAP_ROOT)
				check_root(log, &events[i]);
			else
				check_offsets(reader, log, events[i].more.detail);
			log->references += events[i].more.detail->reference_count;
		}
	}
	log->ended += (block->as.heap_data.flags & MPROF_HEAP_FLAG_LAST) != 0;
	log->incomplete += (block->as.heap_data.flags & MPROF_HEAP_FLAG_INCOMPLETE) != 0;
}

static void read_log(found *log)
{
	mprof_reader *reader;
	mprof_block block;
	mprof_status status;

	memset(log, 0, sizeof(*log));
	mprof_block_init(&block, sizeof(block));
	CHECK(mprof_reader_open_path(log_path, NULL, &reader) == MPROF_OK);
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		CHECK(mprof_reader_load(reader, &block) == MPROF_OK);
		if (block.kind == MPROF_BLOCK_HEAP_DATA)
			read_block(reader, &block, log);
		else if (block.kind == MPROF_BLOCK_ROOTS)
			read_areas(reader, log);
		else if (block.kind == MPROF_BLOCK_FIELDS)
			log->fields += count_records(reader);
	}
	CHECK(status == MPROF_END);
	mprof_reader_destroy(reader);
}

static uint64_t references_of_all(uint64_t objects)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < objects; i++)
		sum += references_of(i % OBJECTS);
	return sum;
}

static void kill_after(uint64_t objects, unsigned microseconds)
{
	mprof_recovery recovery = {.struct_size = sizeof(recovery)};
	mprof_recovery_options options;
	pid_t child;
	uint64_t truth;
	found log;

	CHECK(ftruncate(salvage_fd, 0) == 0);
	atomic_store(recorded, 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0)
		record_until_killed();
	while (atomic_load(recorded) < objects && waitpid(child, NULL, WNOHANG) == 0)
		pause_shortly(10);
	pause_shortly(microseconds);
	CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
	mprof_recovery_options_init(&options, sizeof(options));
	options.log_path = log_path;
	CHECK(mprof_recorder_recover(salvage_path, &options, &recovery, NULL) == MPROF_OK);
	truth = atomic_load(recorded);
	read_log(&log);
	/* The process may have died between an object and its count, or within its references. */
	CHECK(log.objects == truth || log.objects == truth + 1);
	/* The last object may lack some. */
	CHECK(log.references <= references_of_all(log.objects));
	CHECK(log.references >= references_of_all(log.objects > 0 ? log.objects - 1 : 0));
	CHECK(log.ended == log.snapshots && log.incomplete <= 1);
	CHECK(log.incomplete == 1 || truth % OBJECTS == 0);
	CHECK(log.incomplete == 1 || log.references == references_of_all(truth));
	/* Each class of an object has its fields once. */
	CHECK(with_offsets ? log.fields == FIELDS * (log.objects < CLASSES ? log.objects : CLASSES) : log.fields == 0);
	CHECK(log.snapshots >= truth / OBJECTS && log.snapshots <= truth / OBJECTS + 1);
}

int main(void)
{
	int fd = mkstemp(log_path);

	CHECK(fd >= 0);
	close(fd);
	salvage_fd = memfd_create("test_salvage_heap", 0);
	CHECK(salvage_fd >= 0);
	snprintf(salvage_path, sizeof(salvage_path), "/proc/%ld/fd/%d", (long)getpid(), salvage_fd);
	recorded = mmap(NULL, sizeof(*recorded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(recorded != MAP_FAILED);
	for (with_offsets = 0; with_offsets <= 1; with_offsets++) {
		/* At different places of the snapshots, and after more or less of them is in the log. */
		for (unsigned i = 0; i < 8; i++) {
			kill_after((uint64_t)OBJECTS * i * 3 / 8 + 1, 0);
			kill_after((uint64_t)OBJECTS * i * 3 / 8 + 1, 300 * i);
		}
		kill_after((uint64_t)OBJECTS * 3, 100000);
	}
	unlink(log_path);
	return 0;
}
