/* SPDX-License-Identifier: MIT */
/* What grew in all snapshots of a log. */
#include "heap/diff_fixture.h"

Test(heap_growth, is_named_with_what_it_holds)
{
	const uint32_t orders[] = {3, 5, 7, 20};
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 4);
	diff = diff_of(&log, 4);
	/* The list and its array stay what they are; the texts are held by the orders. */
	cr_assert_eq(growths_of(diff, found), 1);
	cr_expect_str_eq(shape_at(diff, found[0].shape, 0).class_name, "c3");
	cr_expect_eq(found[0].snapshots, 4);
	cr_expect_eq(found[0].grown_snapshots, 4);
	cr_expect_eq(found[0].is_by_size, 0);
	cr_expect_eq(found[0].objects_first, 3);
	cr_expect_eq(found[0].objects_last, 20);
	cr_expect_eq(found[0].bytes_first, 300);
	cr_expect_eq(found[0].bytes_last, 2000);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* A cache that is full, growth that ended, and growth that was undone are not leaks. */
Test(heap_growth, has_to_be_in_every_snapshot)
{
	static const uint32_t orders[][4] = {{3, 5, 7, 7}, {3, 3, 5, 7}, {3, 5, 4, 9}, {7, 5, 4, 3}, {6, 6, 6, 6}};
	mprof_heap_growth found[MAX_GROWTHS];

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		mprof_heap_diff *diff;
		heap_log log;

		make_shop_log(&log, orders[i], 4);
		diff = diff_of(&log, 4);
		cr_expect_eq(growths_of(diff, found), 0);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* The last snapshot of a program that ends need not show growth, but must still have what grew. */
Test(heap_growth, need_not_last_until_exit)
{
	static const struct {
		uint32_t orders[5];
		uint32_t grown;         /* Snapshots with growth; 0: it is not listed. */
		uint32_t grown_usually; /* The same by default. */
	} logs[] = {
		{{10, 20, 30, 40, 50}, 5, 5}, {{10, 20, 30, 40, 40}, 4, 4}, {{10, 20, 30, 40, 36}, 4, 0},
		{{10, 20, 30, 40, 35}, 0, 0}, {{10, 20, 30, 30, 40}, 4, 4}, {{10, 20, 30, 30, 30}, 0, 0},
		{{10, 10, 20, 30, 30}, 0, 0}, {{1, 2, 3, 9, 8}, 0, 0},      {{1, 2, 3, 9, 9}, 4, 4},
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		mprof_heap_growth found[MAX_GROWTHS];
		mprof_heap_diff *diff;
		heap_log log;

		make_shop_log(&log, logs[i].orders, 5);
		diff = diff_to_end(&log, 5, MPROF_HEAP_DIFF_END_EXIT);
		cr_expect_eq(growths_of(diff, found), logs[i].grown > 0, "log %zu", i);
		if (logs[i].grown > 0) {
			cr_expect_eq(found[0].snapshots, 5);
			cr_expect_eq(found[0].grown_snapshots, logs[i].grown, "log %zu", i);
			cr_expect_eq(found[0].objects_last, logs[i].orders[4]);
		}
		mprof_heap_diff_destroy(diff);
		/* By default the last one is like the others. */
		diff = diff_of(&log, 5);
		cr_expect_eq(growths_of(diff, found), logs[i].grown_usually > 0, "log %zu", i);
		if (logs[i].grown_usually > 0)
			cr_expect_eq(found[0].grown_snapshots, logs[i].grown_usually, "log %zu", i);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* A program that collects twice in a row takes equal snapshots. */
Test(heap_growth, counts_equal_neighbours_as_one)
{
	static const struct {
		uint32_t orders[8];
		uint32_t count;
		uint32_t grown; /* 0: it is not listed. */
	} logs[] = {
		{{3, 3, 5, 5, 7, 7, 9, 9}, 8, 4},
		{{3, 5, 5, 7, 7, 9}, 6, 4},
		{{3, 3, 3, 4, 4, 4, 5, 6}, 8, 4},
		/* It grew only twice. */
		{{3, 3, 5, 5, 7, 7}, 6, 0},
		/* Caches that are full. */
		{{1, 2, 3, 4, 4, 4, 4, 4}, 8, 0},
		{{1, 2, 3, 4, 5, 5, 5, 5}, 8, 0},
		{{1, 2, 3, 4, 4, 4}, 6, 0},
		/* Decreases: a small one, a larger one, a size that varies, and one that grew too little for that. */
		{{20, 30, 40, 50, 49, 60, 64}, 7, 6},
		{{20, 30, 40, 49, 48, 60, 64}, 7, 0},
		{{60, 61, 60, 61, 60, 61, 60}, 7, 0},
		{{55, 56, 57, 58, 57, 58, 59}, 7, 0},
		/* Of five changes only three are increases; then only three of seven. */
		{{50, 53, 52, 54, 53, 56}, 6, 4},
		{{50, 51, 50, 53, 52, 54, 53, 54}, 8, 0},
	};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		mprof_heap_growth found[MAX_GROWTHS];
		mprof_heap_diff *diff;
		heap_log log;

		make_shop_log(&log, logs[i].orders, logs[i].count);
		diff = diff_of(&log, logs[i].count);
		cr_expect_eq(growths_of(diff, found), logs[i].grown > 0, "log %zu", i);
		if (logs[i].grown > 0)
			cr_expect_eq(found[0].grown_snapshots, logs[i].grown, "log %zu", i);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* Two snapshots are too few: what a program creates when it starts ends in the same way. */
Test(heap_growth, has_to_be_seen_more_often_before_exit)
{
	const uint32_t orders[] = {10, 20, 20};
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 3);
	diff = diff_to_end(&log, 3, MPROF_HEAP_DIFF_END_EXIT);
	cr_expect_eq(growths_of(diff, found), 0);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

Test(heap_growth, needs_two_snapshots)
{
	const uint32_t orders[] = {3, 5, 7};
	mprof_heap_diff *diff;
	size_t count = 9;
	heap_log log;

	make_shop_log(&log, orders, 3);
	diff = diff_of(&log, 1);
	cr_expect_eq(mprof_heap_diff_get_growth(diff, NULL, sizeof(mprof_heap_growth), 0, &count),
		     MPROF_ERR_UNSUPPORTED);
	cr_expect_eq(count, 0);
	add_snapshot(diff, &log, 2, 1);
	cr_expect_eq(mprof_heap_diff_get_growth(diff, NULL, sizeof(mprof_heap_growth), 0, &count), MPROF_OK);
	cr_expect_eq(count, 1);
	cr_expect_eq(mprof_heap_diff_get_growth(diff, NULL, 4, 0, &count), MPROF_ERR_ARGUMENT);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* An incomplete snapshot would hide growth, or look like it. */
Test(heap_growth, leaves_out_incomplete_snapshots)
{
	const uint32_t orders[] = {3, 5, 1, 7};
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	begin_shop_log(&log);
	for (uint32_t i = 0; i < 4; i++) {
		const shop shop = {orders[i], 0x10000, 600, 0,
				   WHOLE_SNAPSHOT | (i == 2 ? MPROF_HEAP_FLAG_INCOMPLETE : 0)};

		write_shop(&log, &shop, i + 1);
	}
	heap_log_close(&log, 0);
	diff = diff_of(&log, 4);
	cr_expect_eq(diff_snapshot_at(diff, 2).incomplete, 1);
	cr_assert_eq(growths_of(diff, found), 1);
	cr_expect_eq(found[0].snapshots, 3);
	cr_expect_eq(found[0].objects_last, 7);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* An array that is replaced by larger ones, although it holds nothing that grows in number. */
Test(heap_growth, can_be_that_of_an_object)
{
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	begin_shop_log(&log);
	for (uint32_t i = 0; i < 3; i++) {
		const shop shop = {4, 0x10000, 600 + i * 1000, 0, WHOLE_SNAPSHOT};

		write_shop(&log, &shop, i + 1);
	}
	heap_log_close(&log, 0);
	diff = diff_of(&log, 3);
	cr_assert_eq(growths_of(diff, found), 1);
	cr_expect_str_eq(shape_at(diff, found[0].shape, 0).class_name, "c2");
	cr_expect_eq(found[0].is_by_size, 1);
	cr_expect_eq(found[0].objects_first, 1);
	cr_expect_eq(found[0].objects_last, 1);
	cr_expect_eq(found[0].bytes_last - found[0].bytes_first, 2000);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* Objects that were held in one way and are now held in another one are not growth, but more of them are. */
static void write_two_holders(heap_log *log, uint32_t first_count, uint32_t second_count, uint32_t number)
{
	uint64_t references[2][MAX_ORDERS];
	heap_content content = {NULL, NULL, 0, 0};

	for (uint32_t i = 0; i < first_count + second_count; i++) {
		references[i < second_count][i < second_count ? i : i - second_count] = 0x10000 + (uint64_t)i * 32;
		heap_append_object(&content, 0x10000 + (uint64_t)i * 32, 3, 24, NULL, NULL, 0);
	}
	heap_append_object(&content, 0x1000, 1, 16, references[0], NULL, first_count);
	heap_append_object(&content, 0x2000, 2, 16, references[1], NULL, second_count);
	heap_append_root(&content, 0x1000, MPROF_ROOT_STATIC);
	heap_append_root(&content, 0x2000, MPROF_ROOT_STATIC);
	heap_write(log, &content, number, WHOLE_SNAPSHOT, 1000000 + number);
}

Test(heap_growth, is_that_of_the_class_too)
{
	static const uint32_t counts[][2][3] = {{{30, 20, 10}, {1, 11, 21}}, {{30, 30, 30}, {1, 11, 21}}};
	mprof_heap_growth found[MAX_GROWTHS];

	for (size_t i = 0; i < 2; i++) {
		mprof_heap_diff *diff;
		heap_log log;

		heap_log_begin(&log, MPROF_DIALECT_MPROF2);
		for (uint32_t j = 0; j < 3; j++)
			write_two_holders(&log, counts[i][0][j], counts[i][1][j], j + 1);
		heap_log_close(&log, 0);
		diff = diff_of(&log, 3);
		cr_assert_eq(growths_of(diff, found), i);
		if (i == 1)
			cr_expect_eq(shape_at(diff, shape_at(diff, found[0].shape, 0).parent, 0).example, 0x2000);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* Those that hold the most additional memory come first. */
Test(heap_growth, is_ranked_by_bytes)
{
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	heap_log_begin(&log, MPROF_DIALECT_MPROF2);
	for (uint32_t i = 0; i < 3; i++)
		write_two_holders(&log, 1 + i * 2, 10 + i * 5, i + 1);
	heap_log_close(&log, 0);
	diff = diff_of(&log, 3);
	cr_assert_eq(growths_of(diff, found), 2);
	cr_expect_eq(found[0].bytes_last - found[0].bytes_first, 240);
	cr_expect_eq(found[1].bytes_last - found[1].bytes_first, 96);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}

/* By default the log determines it: by what it states, or else the last snapshot may be that of the end. */
Test(heap_growth, ends_where_the_log_states_it)
{
	static const uint32_t orders[] = {10, 20, 30, 40, 5};
	static const struct {
		const char *stated;
		size_t growths;
		uint32_t compared;
	} logs[] = {{"4", 1, 4}, {"5", 0, 0}, {"3", 1, 3}, {NULL, 0, 0}, {"no number", 0, 0}};

	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		mprof_heap_growth found[MAX_GROWTHS];
		mprof_heap_diff *diff;
		heap_log log;

		make_stated_log(&log, orders, 5, logs[i].stated);
		diff = diff_to_end(&log, 5, MPROF_HEAP_DIFF_END_LOG);
		cr_expect_eq(growths_of(diff, found), logs[i].growths, "log %zu", i);
		if (logs[i].growths > 0)
			cr_expect_eq(found[0].snapshots, logs[i].compared, "log %zu", i);
		mprof_heap_diff_destroy(diff);
		heap_log_release(&log);
	}
}

/* In a log that states nothing, the last snapshot need not show growth. */
Test(heap_growth, may_end_with_the_log)
{
	static const uint32_t orders[] = {10, 20, 30, 40, 40};
	mprof_heap_growth found[MAX_GROWTHS];
	mprof_heap_diff *diff;
	heap_log log;

	make_shop_log(&log, orders, 5);
	diff = diff_to_end(&log, 5, MPROF_HEAP_DIFF_END_LOG);
	cr_expect_eq(growths_of(diff, found), 1);
	mprof_heap_diff_destroy(diff);
	heap_log_release(&log);
}
