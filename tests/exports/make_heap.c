/* SPDX-License-Identifier: MIT */
/*
 * make_heap FILE [small|random|COUNT]: writes a log with two heap snapshots. The first one has one object of the second
 * at its address. The second one has names of classes, fields and roots with everything that can break a format, all
 * kinds of roots and an unknown one, unreachable objects that refer to reachable ones, an array, an object above 2^32
 * bytes, references to objects that are not in the snapshot, and an object that refers to itself. With "small", no
 * object is above 2^32 bytes, and sizes are those of Java objects. With "random", the second snapshot has random
 * references. With COUNT, there is a third snapshot with that many objects.
 */
#include <mprof/writer.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 1000
#define FIRST_ADDRESS UINT64_C(0x7f0000000000)
#define MISSING UINT64_C(0x7fff00000000)
#define KINDS 8
#define RANDOM_OBJECTS 400
#define MAX_EVENTS (RANDOM_OBJECTS + KINDS)

static mprof_writer *writer;

static void expect(mprof_status status, const char *what)
{
	if (status == MPROF_OK)
		return;
	fprintf(stderr, "make_heap: %s: %s\n", what, mprof_status_get_text(status));
	exit(1);
}

/* The objects have distances of 32 bytes. */
static uint64_t address_of(uint32_t index)
{
	return FIRST_ADDRESS + 32 * (uint64_t)index;
}

static void define_class(uint32_t id, const char *name)
{
	const mprof_class_definition definition = {
		.struct_size = sizeof(definition), .id = id, .name = name, .name_length = strlen(name)};

	expect(mprof_writer_define_class(writer, &definition), "class");
}

static void define_names(void)
{
	static const char *const names[] = {
		"Node",
		"Node[]",
		"Quote\"\\</script>\n\t,|",
		"Invalid\xff\xfeUTF-8",
		"\xc3\x9c.\xe6\x97\xa5\xe6\x9c\xac`2<System.Object, A b>",
		"Huge",
		"Holder",
		"System.String",
	};
	const mprof_record fields[] = {
		{.kind = MPROF_RECORD_FIELD, .id = 1, .as.field = {.offset = 16, .name = "next"}},
		{.kind = MPROF_RECORD_FIELD, .id = 1, .as.field = {.offset = 24, .name = "\"};alert(1)\\\n\xff"}},
		{.kind = MPROF_RECORD_FIELD, .id = 2, .as.field = {.offset = 32, .stride = 8, .name = "[]"}},
	};
	mprof_record roots[KINDS];

	for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		define_class(i + 1, names[i]);
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_FIELDS, 0, fields, sizeof(fields[0]), 3), "fields");
	memset(roots, 0, sizeof(roots));
	for (uint32_t i = 0; i < KINDS; i++) {
		roots[i].kind = MPROF_RECORD_ROOT;
		roots[i].id = i + 1;
		roots[i].as.root.kind = i;
		roots[i].as.root.class_id = i == MPROF_ROOT_STATIC ? 7 : 0;
		roots[i].as.root.name = i == MPROF_ROOT_STATIC ? "Shop.\"all\"\n" : "";
	}
	expect(mprof_writer_write_records(writer, MPROF_BLOCK_ROOTS, 0, roots, sizeof(roots[0]), KINDS), "roots");
}

typedef struct made_object {
	uint32_t class_id;
	uint64_t bytes;
	size_t count;
	uint64_t references[3];
	uint64_t offsets[3];
} made_object;

static void write_shot(uint32_t number, const made_object *objects, uint32_t count, uint32_t roots)
{
	static mprof_event events[MAX_EVENTS];
	static mprof_event_detail details[MAX_EVENTS];
	uint32_t used = 0;

	for (uint32_t i = 0; i < count; i++, used++) {
		events[used] = (mprof_event){
			.kind = MPROF_EVENT_HEAP_OBJECT, .id = objects[i].class_id, .value = objects[i].bytes};
		details[used] = (mprof_event_detail){.object = address_of(i),
						     .reference_count = objects[i].count,
						     .references = objects[i].references,
						     .offsets = objects[i].class_id <= 2 ? objects[i].offsets : NULL};
	}
	/* Object i is the root of kind i, and the last root leads to no object. */
	for (uint32_t i = 0; i < roots; i++, used++) {
		events[used] = (mprof_event){.kind = MPROF_EVENT_HEAP_ROOT, .id = i + 1, .value = i};
		details[used] = (mprof_event_detail){.object = i + 1 < KINDS ? address_of(i) : MISSING};
	}
	for (uint32_t i = 0; i < used; i++) {
		details[i].struct_size = sizeof(details[i]);
		events[i].more.detail = &details[i];
	}
	expect(mprof_writer_write_heap(writer, number, MPROF_HEAP_FLAG_FIRST | MPROF_HEAP_FLAG_LAST, START + number,
				       events, used),
	       "heap snapshot");
}

/* The sizes that readers compute are multiples of 8, and an array has a header of 24 bytes. */
static void make_small(made_object *objects, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t least = 24 + 8 * (uint64_t)objects[i].count;

		objects[i].bytes = objects[i].bytes > UINT32_MAX ? 5000 : (objects[i].bytes + 7) / 8 * 8;
		if (objects[i].bytes < least)
			objects[i].bytes = least;
	}
}

static void begin(const char *path)
{
	mprof_writer_options options;

	mprof_writer_options_init(&options, sizeof(options));
	options.directives.bits[0] = MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_NONE);
	options.directives.bits[0] |= MPROF_DIRECTIVE_BIT(MPROF_DIRECTIVE_REFERENCE_OFFSETS);
	expect(mprof_writer_open_path(path, &options, &writer), path);
	define_names();
}

static void end(void)
{
	expect(mprof_writer_close(writer), "close");
	mprof_writer_destroy(writer);
}

static uint64_t random_below(uint64_t limit)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % limit;
}

/* Most references lead to one of the next objects, so that the graph is deep; few have two, so that some dominate. */
static int write_random(const char *path)
{
	static made_object objects[RANDOM_OBJECTS];

	for (size_t i = 0; i < RANDOM_OBJECTS; i++) {
		objects[i].class_id = 1 + (uint32_t)random_below(8);
		objects[i].bytes = 40 + 8 * random_below(50);
		objects[i].count = 1 + (random_below(8) == 0);
		for (size_t j = 0; j < objects[i].count; j++) {
			uint64_t target =
				random_below(10) != 0 ? i + 1 + random_below(6) : random_below(RANDOM_OBJECTS);

			objects[i].references[j] = address_of((uint32_t)(target % RANDOM_OBJECTS));
			objects[i].offsets[j] = 16 + 8 * j;
		}
	}
	begin(path);
	write_shot(1, objects, 1, 1);
	write_shot(2, objects, RANDOM_OBJECTS, KINDS);
	end();
	return 0;
}

#define PART 64U

/* Writes the third snapshot, in parts: each object refers to the one before and to the first one. */
static void write_many(uint32_t count)
{
	static mprof_event events[PART + 1];
	static mprof_event_detail details[PART + 1];
	static uint64_t references[PART][2];
	static uint64_t offsets[2] = {16, 24};

	for (uint32_t first = 0; first < count; first += PART) {
		const uint32_t objects = count - first < PART ? count - first : PART;
		const int is_last = first + objects == count;

		for (uint32_t i = 0; i < objects; i++) {
			references[i][0] = address_of(first + i > 0 ? first + i - 1 : count - 1);
			references[i][1] = address_of(0);
			events[i] = (mprof_event){.kind = MPROF_EVENT_HEAP_OBJECT, .id = 1, .value = 32};
			details[i] = (mprof_event_detail){.object = address_of(first + i),
							  .reference_count = 2,
							  .references = references[i],
							  .offsets = offsets};
		}
		events[objects] = (mprof_event){.kind = MPROF_EVENT_HEAP_ROOT, .id = 1};
		details[objects] = (mprof_event_detail){.object = address_of(count - 1)};
		for (uint32_t i = 0; i <= objects; i++) {
			details[i].struct_size = sizeof(details[i]);
			events[i].more.detail = &details[i];
		}
		expect(mprof_writer_write_heap(writer, 3,
					       (first == 0 ? MPROF_HEAP_FLAG_FIRST : 0) |
						       (is_last ? MPROF_HEAP_FLAG_LAST : 0),
					       START + 3, events, objects + (is_last ? 1 : 0)),
		       "heap snapshot");
	}
}

int main(int argc, char **argv)
{
	made_object objects[] = {
		{1, 32, 2, {address_of(1), address_of(7)}, {16, 24}},              /* 0: a node to 1 and 7. */
		{2, 56, 3, {address_of(8), MISSING, address_of(2)}, {32, 40, 48}}, /* 1: an array. */
		{3, 24, 1, {address_of(2)}, {0}},                                  /* 2: refers to itself. */
		{4, 24, 0, {0}, {0}},
		{5, 24, 2, {address_of(7), address_of(7)}, {0}}, /* 4: twice to the same object. */
		{6, UINT64_C(5000000000), 0, {0}, {0}},
		{7, 16, 0, {0}, {0}},
		{8, 30, 0, {0}, {0}},                             /* 7: two objects keep it alive. */
		{8, 40, 0, {0}, {0}},                             /* 8: kept alive by 1. */
		{7, 16, 2, {address_of(8), address_of(10)}, {0}}, /* 9: unreachable, in a circle with 10. */
		{7, 16, 1, {address_of(9)}, {0}},
	};

	if (argc < 2)
		return fputs("usage: make_heap FILE [small|random|COUNT]\n", stderr), 2;
	if (argc > 2 && strcmp(argv[2], "random") == 0)
		return write_random(argv[1]);
	if (argc > 2 && strcmp(argv[2], "small") == 0)
		make_small(objects, sizeof(objects) / sizeof(objects[0]));
	begin(argv[1]);
	write_shot(1, objects, 1, 1);
	write_shot(2, objects, sizeof(objects) / sizeof(objects[0]), KINDS);
	if (argc > 2 && strcmp(argv[2], "small") != 0)
		write_many((uint32_t)strtoul(argv[2], NULL, 10));
	end();
	return 0;
}
