/* SPDX-License-Identifier: MIT */
/* Everything but calls: compilations, allocations, collections, exceptions, loads, session properties, samples. */
#include "profile_fixture.h"

static mprof_collection collection_at(const test_log *log, size_t index)
{
	mprof_collection collection;

	memset(&collection, 0xff, sizeof(collection));
	collection.struct_size = sizeof(collection);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_COLLECTIONS, index, &collection), MPROF_OK);
	return collection;
}

static mprof_element_stats element_at(const test_log *log, size_t index)
{
	mprof_element_stats element;

	memset(&element, 0xff, sizeof(element));
	element.struct_size = sizeof(element);
	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_ELEMENTS, index, &element), MPROF_OK);
	return element;
}

Test(profile_parts, nested_compilation)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 10);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 20);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 2, 50);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 100);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 3, 200);
	add_full(&log, MPROF_EVENT_METHOD_JIT_END, 3, 205, 0, MPROF_EVENT_FLAG_FAILED);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 90);
	cr_expect_eq(method_of(&log, 2).jit_ns, 30);
	cr_expect_eq(method_of(&log, 3).jit_ns, 5);
	cr_expect_eq(totals_of(&log).jit_ns, 95);
	cr_expect_eq(totals_of(&log).jit_methods, 2);
	cr_expect_eq(totals_of(&log).jit_failures, 1);
	log_release(&log);
}

/* In some logs the compilation of a method with a wrapper starts with the ID of the wrapper. */
/* Compiling a method causes it to be compiled again: the time counts once. */
Test(profile_parts, compilation_inside_one_of_the_same_method)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 1, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 100);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 200);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 300);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 400);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 2, 500);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 1000);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 900);
	cr_expect_eq(method_of(&log, 2).jit_ns, 300);
	cr_expect_eq(totals_of(&log).jit_ns, 900);
	cr_expect_eq(totals_of(&log).jit_methods, 3);
	log_release(&log);
}

Test(profile_parts, compilation_that_ends_under_another_id)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 10);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 3, 30);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 100);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 100);
	cr_expect_eq(method_of(&log, 2).jit_ns, 20);
	cr_expect_eq(method_of(&log, 3).jit_ns, 0);
	cr_expect_eq(totals_of(&log).jit_ns, 100);
	cr_expect_eq(totals_of(&log).jit_methods, 2);
	log_release(&log);
}

Test(profile_parts, compilations_that_lack_an_end)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 4, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 10);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 20);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 40);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 3, 50);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 30);
	cr_expect_eq(method_of(&log, 2).jit_ns, 0);
	cr_expect_eq(totals_of(&log).jit_ns, 30);
	cr_expect_eq(totals_of(&log).jit_methods, 2);
	log_release(&log);
}

Test(profile_parts, compilations_of_two_threads)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 1, 0);
	end_block(&log);
	begin_block(&log, 8, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 10);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 2, 40);
	end_block(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 1, 100);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(method_of(&log, 1).jit_ns, 100);
	cr_expect_eq(method_of(&log, 2).jit_ns, 30);
	cr_expect_eq(totals_of(&log).jit_ns, 130);
	log_release(&log);
}

Test(profile_parts, allocations_by_class)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	for (uint64_t i = 0; i < 100; i++)
		add_full(&log, MPROF_EVENT_ALLOCATION, i % 2 ? 1 : 2, 0, 16 + i, 0);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(class_of(&log, 1).allocations, 50);
	cr_expect_eq(class_of(&log, 1).bytes, 50 * 16 + 2500);
	cr_expect_eq(class_of(&log, 2).bytes, 50 * 16 + 2450);
	cr_expect_eq(totals_of(&log).allocations, 100);
	cr_expect_eq(totals_of(&log).allocated_bytes, 1600 + 4950);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CLASSES), 2);
	log_release(&log);
}

Test(profile_parts, class_loads_and_exceptions)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_CLASS_LOAD_START, 1, 10);
	add(&log, MPROF_EVENT_CLASS_LOAD_START, 2, 20);
	add(&log, MPROF_EVENT_CLASS_LOAD_END, 2, 25);
	add(&log, MPROF_EVENT_CLASS_LOAD_END, 1, 50);
	add(&log, MPROF_EVENT_EXCEPTION, 3, 60);
	add(&log, MPROF_EVENT_EXCEPTION, 3, 61);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(class_of(&log, 1).load_ns, 40);
	cr_expect_eq(class_of(&log, 2).load_ns, 5);
	cr_expect_eq(class_of(&log, 3).exceptions, 2);
	cr_expect_eq(totals_of(&log).exceptions, 2);
	log_release(&log);
}

Test(profile_parts, exception_clauses_by_method_and_class)
{
	mprof_event_detail detail = {.struct_size = sizeof(mprof_event_detail), .caller = 2};
	const uint64_t finally = 1 << 2 | MPROF_CLAUSE_FINALLY;
	mprof_exception_clause clause = {.struct_size = sizeof(clause)};
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_detailed(&log, MPROF_EVENT_EXCEPTION_CLAUSE, 3, 60, MPROF_CLAUSE_CATCH, &detail);
	add_detailed(&log, MPROF_EVENT_EXCEPTION_CLAUSE, 3, 61, finally, &detail);
	add_detailed(&log, MPROF_EVENT_EXCEPTION_CLAUSE, 3, 62, MPROF_CLAUSE_CATCH, &detail);
	add_detailed(&log, MPROF_EVENT_EXCEPTION_CLAUSE, 4, 63, MPROF_CLAUSE_CATCH, &detail);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_EXCEPTION_CLAUSES), 3);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_EXCEPTION_CLAUSES, 0, &clause), MPROF_OK);
	cr_expect(clause.method == 2 && clause.class_id == 3 && clause.runs == 2);
	cr_expect(clause.kind == MPROF_CLAUSE_CATCH && clause.number == 0);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_EXCEPTION_CLAUSES, 1, &clause), MPROF_OK);
	cr_expect(clause.class_id == 3 && clause.runs == 1);
	cr_expect(clause.kind == MPROF_CLAUSE_FINALLY && clause.number == 1);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_EXCEPTION_CLAUSES, 2, &clause), MPROF_OK);
	cr_expect(clause.class_id == 4 && clause.runs == 1);
	cr_expect_eq(totals_of(&log).exceptions, 0);
	log_release(&log);
}

static mprof_method_code code_at(const test_log *log, size_t index)
{
	mprof_method_code code = {.struct_size = sizeof(code)};

	cr_assert_eq(mprof_profile_get_row(log->profile, MPROF_TABLE_METHOD_CODES, index, &code), MPROF_OK);
	return code;
}

/* Method 3 is compiled for 60, and for 20 of them method 2, whose code is loaded. */
Test(profile_parts, code_by_method_and_origin)
{
	mprof_method_code code;
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 3, 100);
	add(&log, MPROF_EVENT_METHOD_JIT_START, 2, 120);
	add_detailed(&log, MPROF_EVENT_METHOD_CODE, 2, 140, 50 << 4 | MPROF_CODE_PRECOMPILED, NULL);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 2, 140);
	add_detailed(&log, MPROF_EVENT_METHOD_CODE, 0, 145, 10 << 4 | MPROF_CODE_TRAMPOLINE, NULL);
	add_detailed(&log, MPROF_EVENT_METHOD_CODE, 3, 160, 70 << 4 | MPROF_CODE_JIT, NULL);
	add(&log, MPROF_EVENT_METHOD_JIT_END, 3, 160);
	add_detailed(&log, MPROF_EVENT_METHOD_CODE, 3, 170, 30 << 4 | MPROF_CODE_JIT, NULL);
	add_detailed(&log, MPROF_EVENT_METHOD_CODE, 0, 180, 5 << 4 | MPROF_CODE_TRAMPOLINE, NULL);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_METHOD_CODES), 3);
	code = code_at(&log, 0);
	cr_expect(code.method == 2 && code.origin == MPROF_CODE_PRECOMPILED);
	cr_expect(code.count == 1 && code.bytes == 50 && code.compile_ns == 20);
	code = code_at(&log, 1);
	cr_expect(code.method == 0 && code.origin == MPROF_CODE_TRAMPOLINE);
	cr_expect(code.count == 2 && code.bytes == 15 && code.compile_ns == 0);
	code = code_at(&log, 2);
	cr_expect(code.method == 3 && code.origin == MPROF_CODE_JIT);
	cr_expect(code.count == 2 && code.bytes == 100 && code.compile_ns == 40);
	cr_expect_eq(totals_of(&log).jit_ns, 60);
	log_release(&log);
}

Test(profile_parts, a_whole_collection)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_GC_STOP_WORLD_START, 1, 100);
	add_value(&log, MPROF_EVENT_GC_STOP_WORLD_END, 1, 110);
	add_value(&log, MPROF_EVENT_GC_START, 1, 120);
	add_value(&log, MPROF_EVENT_GC_MARK_START, 1, 130);
	add_value(&log, MPROF_EVENT_GC_MARK_END, 1, 160);
	add_value(&log, MPROF_EVENT_GC_SWEEP_START, 1, 160);
	add_value(&log, MPROF_EVENT_GC_SWEEP_END, 1, 165);
	add_value(&log, MPROF_EVENT_GC_RESIZE, 4096, 166);
	add_value(&log, MPROF_EVENT_GC_END, 1, 170);
	add_value(&log, MPROF_EVENT_GC_START_WORLD_START, 1, 180);
	add_value(&log, MPROF_EVENT_GC_START_WORLD_END, 1, 190);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 1);
	cr_expect_eq(collection_at(&log, 0).number, 1);
	cr_expect_eq(collection_at(&log, 0).generation, 1);
	cr_expect_eq(collection_at(&log, 0).unfinished, 0);
	cr_expect_eq(collection_at(&log, 0).start_ns, 120);
	cr_expect_eq(collection_at(&log, 0).duration_ns, 50);
	cr_expect_eq(collection_at(&log, 0).mark_ns, 30);
	cr_expect_eq(collection_at(&log, 0).sweep_ns, 5);
	cr_expect_eq(collection_at(&log, 0).pause_ns, 90);
	cr_expect_eq(totals_of(&log).collections, 1);
	cr_expect_eq(totals_of(&log).gc_ns, 50);
	log_release(&log);
}

/* Start and end are of two threads, whose blocks are in the wrong order. */
Test(profile_parts, collections_across_threads)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 8, 0);
	add_value(&log, MPROF_EVENT_GC_END, 0, 140);
	add_value(&log, MPROF_EVENT_GC_START, 1, 500);
	end_block(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_GC_START, 0, 100);
	add_value(&log, MPROF_EVENT_GC_START, 0, 200);
	add_value(&log, MPROF_EVENT_GC_END, 0, 230);
	add_value(&log, MPROF_EVENT_GC_END, 1, 600);
	add_value(&log, MPROF_EVENT_GC_START, 0, 700);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 4);
	for (size_t i = 0; i < 4; i++)
		cr_expect_eq(collection_at(&log, i).number, i + 1);
	cr_expect_eq(collection_at(&log, 0).duration_ns, 40);
	cr_expect_eq(collection_at(&log, 1).start_ns, 200);
	cr_expect_eq(collection_at(&log, 1).duration_ns, 30);
	cr_expect_eq(collection_at(&log, 2).generation, 1);
	cr_expect_eq(collection_at(&log, 2).duration_ns, 100);
	cr_expect_eq(collection_at(&log, 3).unfinished, 1);
	cr_expect_eq(totals_of(&log).gc_ns, 170);
	log_release(&log);
}

/* A young collection inside of an old one, as concurrent collectors write them. */
Test(profile_parts, collections_that_overlap_count_once_in_the_sum)
{
	test_log log;

	log_begin(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_GC_START, 1, 100);
	add_value(&log, MPROF_EVENT_GC_START, 0, 120);
	add_value(&log, MPROF_EVENT_GC_END, 0, 130);
	add_value(&log, MPROF_EVENT_GC_END, 1, 200);
	end_block(&log);
	log_profile(&log);
	cr_expect_eq(collection_at(&log, 0).duration_ns, 100);
	cr_expect_eq(collection_at(&log, 1).duration_ns, 10);
	cr_expect_eq(totals_of(&log).gc_ns, 100);
	log_release(&log);
}

Test(profile_parts, heap_resizes_in_order_of_time)
{
	mprof_heap_resize resize = {.struct_size = sizeof(resize)};
	test_log log;

	log_begin(&log);
	begin_block(&log, 8, 0);
	add_value(&log, MPROF_EVENT_GC_RESIZE, 2000, 900);
	end_block(&log);
	begin_block(&log, 7, 0);
	add_value(&log, MPROF_EVENT_GC_RESIZE, 1000, 300);
	end_block(&log);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_HEAP_RESIZES), 2);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_HEAP_RESIZES, 0, &resize), MPROF_OK);
	cr_expect_eq(resize.bytes, 1000);
	cr_expect_eq(resize.time_ns, 300);
	cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_HEAP_RESIZES, 1, &resize), MPROF_OK);
	cr_expect_eq(resize.bytes, 2000);
	log_release(&log);
}

static void write_element(test_log *log, int is_unloaded, uint32_t kind, uint32_t id, const char *name,
			  uint64_t counter, const mprof_assembly_name *assembly)
{
	mprof_element element = {
		sizeof(mprof_element), kind,    id, SESSION_START + counter, SESSION_START + counter + 5, 7, name,
		strlen(name),          assembly};

	cr_assert_eq(is_unloaded ? mprof_writer_write_unloaded(log->writer, &element)
				 : mprof_writer_write_loaded(log->writer, &element),
		     MPROF_OK);
}

Test(profile_parts, elements)
{
	const uint32_t loaded = MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_FLAG_SUCCESS;
	const mprof_assembly_name assembly = {sizeof(mprof_assembly_name), "base", "neutral", "null", 1, 2, 3, 4, 0, 0};
	test_log log;

	log_begin(&log);
	write_element(&log, 0, loaded, 1, "first, Version=1.2.3.4", 100, &assembly);
	write_element(&log, 0, MPROF_ELEMENT_MODULE | MPROF_ELEMENT_FLAG_SUCCESS, 0, "module", 110, NULL);
	write_element(&log, 0, MPROF_ELEMENT_DOMAIN | MPROF_ELEMENT_FLAG_FAILURE, 0, "module", 120, NULL);
	write_element(&log, 1, MPROF_ELEMENT_MODULE, 0, "module", 200, NULL);
	write_element(&log, 1, MPROF_ELEMENT_ASSEMBLY, 1, "first, Version=1.2.3.4", 210, NULL);
	write_element(&log, 1, MPROF_ELEMENT_ASSEMBLY, 9, "never loaded", 220, NULL);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_ELEMENTS), 3);
	cr_expect_str_eq(element_at(&log, 0).name, "first, Version=1.2.3.4");
	cr_expect_str_eq(element_at(&log, 0).assembly, "base");
	cr_expect_eq(element_at(&log, 0).id, 1);
	cr_expect_eq(element_at(&log, 0).kind, loaded);
	cr_expect_eq(element_at(&log, 0).loaded_ns, 105);
	cr_expect_eq(element_at(&log, 0).load_ns, 5);
	cr_expect_eq(element_at(&log, 0).unloaded_ns, 215);
	cr_expect_null(element_at(&log, 1).assembly);
	cr_expect_eq(element_at(&log, 1).unloaded_ns, 205);
	/* The same name with another type. */
	cr_expect_eq(element_at(&log, 2).unloaded_ns, 0);
	log_release(&log);
}

Test(profile_parts, facts)
{
	const mprof_property first[] = {{"program", "a.exe"}, {"pid", "1"}};
	const mprof_property second[] = {{"pid", "2"}, {"note", ""}};
	const char *keys[] = {"program", "pid", "note"};
	const char *values[] = {"a.exe", "2", ""};
	test_log log;

	log_begin(&log);
	cr_assert_eq(mprof_writer_write_session(log.writer, first, sizeof(*first), 2), MPROF_OK);
	cr_assert_eq(mprof_writer_write_session(log.writer, second, sizeof(*second), 2), MPROF_OK);
	log_profile(&log);
	cr_assert_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_PROPERTIES), 3);
	for (size_t i = 0; i < 3; i++) {
		mprof_profile_property property = {.struct_size = sizeof(property)};

		cr_assert_eq(mprof_profile_get_row(log.profile, MPROF_TABLE_PROPERTIES, i, &property), MPROF_OK);
		cr_expect_str_eq(property.key, keys[i]);
		cr_expect_str_eq(property.value, values[i]);
	}
	log_release(&log);
}

Test(profile_parts, samples)
{
	const uint32_t methods[] = {1, 2, 1};
	const uint32_t functions[] = {1, 1};
	test_log log;

	log_begin(&log);
	cr_assert_eq(
		mprof_writer_write_statistical(log.writer, SESSION_START, methods, 3, functions, 2, SESSION_START + 9),
		MPROF_OK);
	log_profile(&log);
	cr_expect_eq(totals_of(&log).samples, 5);
	cr_expect_eq(totals_of(&log).event_counts[MPROF_EVENT_SAMPLE], 5);
	cr_expect_eq(method_of(&log, 1).samples, 2);
	cr_expect_eq(method_of(&log, 2).samples, 1);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_METHODS), 2);
	log_release(&log);
}

Test(profile_parts, an_empty_log)
{
	test_log log;

	log_begin(&log);
	log_profile(&log);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_METHODS), 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CLASSES), 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_THREADS), 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_COLLECTIONS), 0);
	cr_expect_eq(mprof_profile_get_row_count(log.profile, MPROF_TABLE_CALLS), 1);
	cr_expect_eq(totals_of(&log).events, 0);
	cr_expect_eq(totals_of(&log).wall_ns, 1000000000);
	log_release(&log);
}
