/* SPDX-License-Identifier: MIT */
/* Labels of objects, names of references, weak references and synthetic objects in a heap graph. */
#include "heap/graph_fixture.h"

#include <stdio.h>

enum { FIRST = 0x10000, SECOND = 0x10040, THIRD = 0x10080, FOURTH = 0x100c0, GROUP = 8, MISSING = 0x7000 };

static void write_texts(heap_log *log)
{
	const mprof_record texts[] = {{.kind = MPROF_RECORD_TEXT, .id = 1, .as.text.text = "PATH"},
				      {.kind = MPROF_RECORD_TEXT, .id = 2, .as.text.text = "HOME"}};

	cr_assert_eq(mprof_writer_write_records(log->writer, MPROF_BLOCK_TEXTS, 0, texts, sizeof(texts[0]), 2),
		     MPROF_OK);
}

static mprof_record label(uint64_t object, uint32_t id, const char *text)
{
	return (mprof_record){.kind = MPROF_RECORD_LABEL, .id = id, .as.label = {object, text}};
}

static mprof_record name(uint64_t object, uint32_t index, uint32_t id)
{
	return (mprof_record){.kind = MPROF_RECORD_REFERENCE_NAME, .id = id, .as.reference_name = {object, index, 0}};
}

static mprof_record weak(uint64_t object, uint64_t target, uint32_t id)
{
	return (mprof_record){.kind = MPROF_RECORD_WEAK_REFERENCE, .id = id, .as.weak_reference = {object, target}};
}

static mprof_record synthetic(uint64_t object)
{
	return (mprof_record){
		.kind = MPROF_RECORD_OBJECT_FLAGS, .id = MPROF_OBJECT_FLAG_SYNTHETIC, .as.object_flags = {object}};
}

static mprof_status put(heap_log *log, uint32_t block, uint32_t shot, const mprof_record *records, size_t count)
{
	return mprof_writer_write_records(log->writer, block, shot, records, sizeof(*records), count);
}

/* The first object has a root and refers to the second and the third one. */
static void begin_shot(heap_log *log, uint32_t shot)
{
	static const uint64_t references[] = {SECOND, THIRD};
	heap_content heap = {.events = NULL};

	heap_append_object(&heap, FIRST, 1, 64, references, NULL, 2);
	heap_append_object(&heap, SECOND, 2, 24, NULL, NULL, 0);
	heap_append_object(&heap, THIRD, 2, 24, NULL, NULL, 0);
	heap_append_root(&heap, FIRST, MPROF_ROOT_STATIC);
	heap_write(log, &heap, shot, MPROF_HEAP_FLAG_FIRST, 1000);
}

static void end_shot(heap_log *log, uint32_t shot)
{
	heap_content heap = {.events = NULL};

	heap_write(log, &heap, shot, MPROF_HEAP_FLAG_LAST, 1000);
}

/* Closes and reads a log; the dominators and the paths are known afterwards. */
static void read_all(heap_log *log, mprof_status expected)
{
	heap_log_close(log, 0);
	cr_assert_eq(heap_log_read(log, NULL), expected);
	cr_assert_eq(mprof_heap_graph_build_dominators(log->graph), MPROF_OK);
	cr_assert_eq(mprof_heap_graph_build_paths(log->graph), MPROF_OK);
}

static uint32_t at(const heap_log *log, uint64_t address)
{
	uint32_t object;

	cr_assert_eq(mprof_heap_graph_lookup_object(log->graph, address, &object), MPROF_OK);
	return object;
}

Test(heap_notes, belong_to_objects_and_references)
{
	const mprof_record labels[] = {label(FIRST, 0, "dict of module os"), label(SECOND, 1, NULL)};
	const mprof_record names[] = {name(FIRST, 0, 1), name(FIRST, 1, 2)};
	mprof_heap_reference references[2];
	mprof_heap_step steps[2];
	mprof_heap_root root = {.struct_size = sizeof(root)};
	heap_log log;
	size_t count;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_texts(&log);
	begin_shot(&log, 1);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, labels, 2), MPROF_OK);
	cr_assert_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, names, 2), MPROF_OK);
	end_shot(&log, 1);
	read_all(&log, MPROF_OK);
	cr_expect_eq(totals_of(&log).labels, 2);
	cr_expect_eq(totals_of(&log).names, 2);
	cr_expect_eq(totals_of(&log).missing_notes, 0);
	cr_expect_eq(totals_of(&log).incomplete, 0);
	cr_expect_str_eq(object_at(&log, at(&log, FIRST)).label, "dict of module os");
	cr_expect_str_eq(object_at(&log, at(&log, SECOND)).label, "PATH");
	cr_expect_str_eq(object_at(&log, at(&log, THIRD)).label, "");
	cr_assert_eq(mprof_heap_graph_get_references(log.graph, at(&log, FIRST), 0, references, sizeof(references[0]),
						     2, &count),
		     MPROF_OK);
	cr_expect_str_eq(references[0].name, "PATH");
	cr_expect_str_eq(references[1].name, "HOME");
	cr_assert_eq(references[0].name, object_at(&log, at(&log, SECOND)).label, "one pointer for one text");
	cr_assert_eq(mprof_heap_graph_get_path(log.graph, at(&log, THIRD), &root, steps, sizeof(steps[0]), 2, &count),
		     MPROF_OK);
	cr_assert_eq(count, 2);
	cr_expect_str_eq(steps[0].name, "HOME");
	cr_expect_str_eq(steps[1].name, "");
	cr_expect_eq(root.holder, MPROF_HEAP_NO_OBJECT);
	heap_log_release(&log);
}

Test(heap_notes, that_fit_nothing_are_counted)
{
	const mprof_record labels[] = {label(FIRST, 0, "first"), label(FIRST, 0, "again"), label(MISSING, 0, "nobody"),
				       label(SECOND, 0, ""), synthetic(MISSING)};
	const mprof_record names[] = {name(FIRST, 1, 2), name(FIRST, 1, 1), name(FIRST, 2, 1), name(MISSING, 0, 1),
				      weak(MISSING, FIRST, 0)};
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_texts(&log);
	begin_shot(&log, 1);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, labels, 5), MPROF_OK);
	cr_assert_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, names, 5), MPROF_OK);
	end_shot(&log, 1);
	read_all(&log, MPROF_OK);
	cr_expect_eq(totals_of(&log).labels, 1);
	cr_expect_eq(totals_of(&log).names, 1);
	cr_expect_eq(totals_of(&log).weak_references, 0);
	cr_expect_eq(totals_of(&log).synthetic_objects, 0);
	cr_expect_eq(totals_of(&log).missing_notes, 8);
	cr_expect_str_eq(object_at(&log, at(&log, FIRST)).label, "first");
	cr_expect_eq(totals_of(&log).reachable_bytes, 112);
	heap_log_release(&log);
}

/* The block with the texts does not match its checksum. */
Test(heap_notes, without_their_texts_are_counted)
{
	const mprof_record labels[] = {label(FIRST, 1, NULL), label(SECOND, 0, "second")};
	const mprof_record names[] = {name(FIRST, 0, 1), weak(SECOND, FIRST, 2)};
	mprof_heap_reference reference;
	heap_log log;
	size_t damaged;
	size_t count;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_texts(&log);
	begin_shot(&log, 1);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, labels, 2), MPROF_OK);
	cr_assert_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, names, 2), MPROF_OK);
	end_shot(&log, 1);
	heap_log_close(&log, 0);
	for (damaged = 0; memcmp(log.bytes + damaged, "PATH", 4) != 0; damaged++)
		continue;
	log.bytes[damaged] = 'p';
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_ERR_CHECKSUM);
	cr_expect_eq(totals_of(&log).labels, 1);
	cr_expect_eq(totals_of(&log).names, 0);
	cr_expect_eq(totals_of(&log).missing_notes, 2);
	cr_expect_str_eq(object_at(&log, at(&log, FIRST)).label, "");
	cr_assert_eq(mprof_heap_graph_get_weak_references(log.graph, at(&log, SECOND), 0, &reference, sizeof(reference),
							  1, &count),
		     MPROF_OK);
	cr_assert_eq(count, 1);
	cr_expect_str_eq(reference.name, "");
	heap_log_release(&log);
}

/* Roots reach the first object; it refers weakly to the fourth, which refers to the first. */
Test(heap_notes, weak_references_keep_nothing_alive)
{
	static const uint64_t back[] = {FIRST};
	const mprof_record names[] = {weak(FIRST, FOURTH, 2), weak(FOURTH, FOURTH, 0), weak(FIRST, MISSING, 0),
				      weak(FIRST, SECOND, 0)};
	mprof_heap_reference references[4];
	heap_content heap = {.events = NULL};
	heap_log log;
	size_t count;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	write_texts(&log);
	begin_shot(&log, 1);
	heap_append_object(&heap, FOURTH, 3, 1000, back, NULL, 1);
	heap_write(&log, &heap, 1, 0, 1000);
	cr_assert_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, names, 4), MPROF_OK);
	end_shot(&log, 1);
	read_all(&log, MPROF_OK);
	cr_expect_eq(object_at(&log, at(&log, FOURTH)).is_reachable, 0);
	cr_expect_eq(totals_of(&log).reachable_objects, 3);
	cr_expect_eq(totals_of(&log).reachable_bytes, 112);
	cr_expect_eq(object_at(&log, at(&log, FIRST)).retained_bytes, 112);
	cr_expect_eq(object_at(&log, at(&log, FIRST)).references, 2);
	cr_expect_eq(object_at(&log, at(&log, FIRST)).weak_references, 3);
	cr_expect_eq(object_at(&log, at(&log, SECOND)).dominator, at(&log, FIRST));
	cr_expect_eq(totals_of(&log).weak_references, 4);
	cr_expect_eq(totals_of(&log).references, 3);
	cr_expect_eq(totals_of(&log).missing_references, 0);
	cr_assert_eq(mprof_heap_graph_get_weak_references(log.graph, at(&log, FIRST), 0, references,
							  sizeof(references[0]), 4, &count),
		     MPROF_OK);
	cr_assert_eq(count, 3);
	cr_expect_eq(references[0].object, at(&log, FOURTH));
	cr_expect_str_eq(references[0].name, "HOME");
	cr_expect_eq(references[1].object, MPROF_HEAP_NO_OBJECT);
	cr_expect_eq(references[2].object, at(&log, SECOND));
	cr_expect_eq(mprof_heap_graph_get_weak_references(log.graph, at(&log, FIRST), 4, references,
							  sizeof(references[0]), 4, &count),
		     MPROF_ERR_ARGUMENT);
	heap_log_release(&log);
}

/* A group at 8 has a root of native code and refers to another group, which refers to the fourth object. */
Test(heap_notes, synthetic_objects_are_roots)
{
	static const uint64_t group[] = {GROUP + 8, SECOND, MISSING};
	static const uint64_t inner[] = {FOURTH, GROUP};
	static const uint64_t up[] = {GROUP};
	const mprof_record labels[] = {synthetic(GROUP), synthetic(GROUP + 8), label(GROUP, 0, "(GC roots)"),
				       label(GROUP + 8, 0, "(Handle scope)")};
	mprof_heap_root root = {.struct_size = sizeof(root)};
	mprof_heap_reference reference;
	heap_content heap = {.events = NULL};
	heap_log log;
	size_t count;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	begin_shot(&log, 1);
	heap_append_object(&heap, GROUP, 9, 500, group, NULL, 3);
	heap_append_object(&heap, GROUP + 8, 9, 0, inner, NULL, 2);
	heap_append_object(&heap, FOURTH, 3, 1000, up, NULL, 1);
	heap_append_root(&heap, GROUP, MPROF_ROOT_NATIVE);
	heap_append_root(&heap, SECOND, (mprof_root_kind)99);
	heap_write(&log, &heap, 1, 0, 1000);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, labels, 4), MPROF_OK);
	end_shot(&log, 1);
	read_all(&log, MPROF_OK);
	cr_expect_eq(totals_of(&log).synthetic_objects, 2);
	cr_expect_eq(totals_of(&log).bytes, 1112);
	cr_expect_eq(totals_of(&log).reachable_bytes, 1112);
	cr_expect_eq(totals_of(&log).reachable_objects, 4);
	cr_expect_eq(totals_of(&log).roots, 4);
	cr_expect_eq(totals_of(&log).roots_by_kind[MPROF_ROOT_STATIC], 1);
	cr_expect_eq(totals_of(&log).roots_by_kind[MPROF_ROOT_NATIVE], 1);
	cr_expect_eq(totals_of(&log).roots_by_kind[MPROF_ROOT_RUNTIME], 1);
	cr_expect_eq(totals_of(&log).roots_by_kind[99], 1);
	cr_expect_eq(object_at(&log, at(&log, GROUP)).bytes, 0);
	cr_expect_eq(object_at(&log, at(&log, GROUP)).retained_bytes, 0);
	cr_expect_eq(object_at(&log, at(&log, GROUP)).is_reachable, 0);
	cr_expect_eq(object_at(&log, at(&log, GROUP)).flags, MPROF_OBJECT_FLAG_SYNTHETIC);
	cr_expect_eq(object_at(&log, at(&log, FIRST)).retained_bytes, 88, "roots refer to the second object, too");
	cr_expect_eq(object_at(&log, at(&log, FOURTH)).dominator, MPROF_HEAP_NO_OBJECT);
	cr_expect_eq(object_at(&log, at(&log, FOURTH)).retained_bytes, 1000);
	cr_assert_eq(mprof_heap_graph_get_references(log.graph, at(&log, FOURTH), 0, &reference, sizeof(reference), 1,
						     &count),
		     MPROF_OK);
	cr_expect_eq(reference.object, MPROF_HEAP_NO_OBJECT);
	cr_assert_eq(
		mprof_heap_graph_get_path(log.graph, at(&log, FOURTH), &root, NULL, sizeof(mprof_heap_step), 0, &count),
		MPROF_OK);
	cr_expect_eq(count, 1);
	cr_expect_eq(root.kind, MPROF_ROOT_RUNTIME);
	cr_expect_eq(root.holder, at(&log, GROUP + 8));
	cr_expect_str_eq(object_at(&log, root.holder).label, "(Handle scope)");
	cr_expect_eq(class_at(&log, 3).objects, 0, "their class has no synthetic objects");
	heap_log_release(&log);
}

Test(heap_notes, belong_to_the_snapshot_with_their_number)
{
	const mprof_record first = label(FIRST, 0, "of the first snapshot");
	const mprof_record second = label(FIRST, 0, "of the second snapshot");
	mprof_heap_graph_options options = options_for(1);
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	begin_shot(&log, 1);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &first, 1), MPROF_OK);
	end_shot(&log, 1);
	begin_shot(&log, 2);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 2, &second, 1), MPROF_OK);
	/* These are of no snapshot that is being read: the first one has ended, and there is no third one. */
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &first, 1), MPROF_OK);
	cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 3, &first, 1), MPROF_OK);
	end_shot(&log, 2);
	read_all(&log, MPROF_OK);
	cr_expect_eq(totals_of(&log).labels, 1);
	cr_expect_str_eq(object_at(&log, at(&log, FIRST)).label, "of the second snapshot");
	heap_log_forget(&log);
	cr_assert_eq(heap_log_read(&log, &options), MPROF_OK);
	cr_expect_eq(totals_of(&log).labels, 1);
	cr_expect_str_eq(object_at(&log, at(&log, FIRST)).label, "of the first snapshot");
	heap_log_release(&log);
}

#define MANY 100000U
#define IN_BLOCK 5000U

/* Every object of a large snapshot has a label, one of seven texts. */
Test(heap_notes, are_many)
{
	static mprof_record labels[IN_BLOCK];
	static char texts[7][32];
	mprof_heap_graph_options options = options_for(0);
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i < 7; i++)
		snprintf(texts[i], sizeof(texts[i]), "text %u", i);
	for (uint32_t first = 0; first < MANY; first += IN_BLOCK) {
		heap_content heap = {.events = NULL};

		for (uint32_t i = first; i < first + IN_BLOCK; i++)
			heap_append_object(&heap, 16 * (uint64_t)(MANY - i), 1, 16, NULL, NULL, 0);
		heap_write(&log, &heap, 1, first == 0 ? MPROF_HEAP_FLAG_FIRST : 0, 1000);
		for (uint32_t i = 0; i < IN_BLOCK; i++)
			labels[i] = label(16 * (uint64_t)(MANY - first - i), 0, texts[(MANY - first - i) % 7]);
		cr_assert_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, labels, IN_BLOCK), MPROF_OK);
	}
	end_shot(&log, 1);
	heap_log_close(&log, 0);
	cr_assert_eq(heap_log_read(&log, NULL), MPROF_OK);
	cr_assert_eq(totals_of(&log).labels, MANY);
	cr_assert_eq(totals_of(&log).missing_notes, 0);
	for (uint32_t i = 0; i < MANY; i++)
		cr_assert_str_eq(object_at(&log, i).label, texts[(i + 1) % 7]);
	heap_log_forget(&log);
	options.max_memory = 1 << 20;
	cr_assert_eq(heap_log_read(&log, &options), MPROF_ERR_LIMIT);
	cr_expect_eq(totals_of(&log).limited, 1);
	cr_expect_eq(totals_of(&log).labels, 0);
	heap_log_release(&log);
}

Test(heap_notes, that_are_wrong_are_refused_by_the_writer)
{
	mprof_record record = label(FIRST, 1, NULL);
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	cr_expect_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &record, 1), MPROF_ERR_UNDEFINED_ID);
	write_texts(&log);
	cr_expect_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 0, &record, 1), MPROF_ERR_ARGUMENT);
	cr_expect_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, &record, 1), MPROF_ERR_ARGUMENT);
	record.as.label.text = "two texts";
	cr_expect_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &record, 1), MPROF_ERR_ARGUMENT);
	record = name(FIRST, 0, 0);
	cr_expect_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, &record, 1), MPROF_ERR_ARGUMENT);
	record = name(FIRST, UINT32_MAX, 1);
	cr_expect_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, &record, 1), MPROF_ERR_ARGUMENT);
	record = weak(FIRST, SECOND, 3);
	cr_expect_eq(put(&log, MPROF_BLOCK_REFERENCE_NAMES, 1, &record, 1), MPROF_ERR_UNDEFINED_ID);
	record = synthetic(FIRST);
	record.id = 0;
	cr_expect_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &record, 1), MPROF_ERR_ARGUMENT);
	record.id = 2;
	cr_expect_eq(put(&log, MPROF_BLOCK_OBJECT_LABELS, 1, &record, 1), MPROF_ERR_ARGUMENT);
	heap_log_close(&log, 0);
	heap_log_release(&log);
}
