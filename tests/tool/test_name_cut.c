/* SPDX-License-Identifier: MIT */
/* Names that are too long for a terminal keep their distinctive part: the method's own name. */
#include "common/name_cut.h"
#include "shared/utf8.h"

#include <criterion/criterion.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GENERIC "Truth.G\303\251n\303\251rique`2<int, System.Collections.Generic.List`1<string>>"
#define METHOD "A\303\261adir"
#define ARGUMENTS "(System.Collections.Generic.Dictionary`2<string, int[]>,int&,long&)"

static void expect(const char *name, size_t width, const char *wanted)
{
	char *cut = name_cut(name, width);

	cr_assert_not_null(cut, "%s", name);
	cr_expect_str_eq(cut, wanted);
	cr_expect_leq(utf8_length(cut), width);
	free(cut);
}

Test(name_cut, leaves_short_names_alone)
{
	cr_expect_null(name_cut("Game.World.Run (string[])", 25));
	cr_expect_null(name_cut("A\303\261adir", 6));
	cr_expect_null(name_cut("", 100));
}

Test(name_cut, leaves_out_arguments_then_namespaces_then_type_arguments)
{
	const char *name = GENERIC "." METHOD " " ARGUMENTS;

	expect(name, 100,
	       "Truth.G\303\251n\303\251rique`2<int, System.Collections.Generic.List`1<string>>." METHOD " (...)");
	expect(name, 76,
	       "...G\303\251n\303\251rique`2<int, System.Collections.Generic.List`1<string>>." METHOD " (...)");
	expect(name, 60, "...G\303\251n\303\251rique`2<...>." METHOD " (...)");
	expect(name, 26, "...que`2<...>." METHOD " (...)");
	expect(name, 12, METHOD " (....");
}

Test(name_cut, finds_the_methods_own_name)
{
	expect("My.Very.Long.Namespace.Class..ctor (int,int)", 20, "...Class..ctor (...)");
	expect("Name.Space.Outer/<Run>c__Iterator0.MoveNext ()", 40, "...<Run>c__Iterator0.MoveNext ()");
	expect("Name.Space.Outer/<Run>c__Iterator0.<Main>m__0 (a.b,c.d,e.f)", 31, "...__Iterator0.<Main>m__0 (...)");
	expect("A.Class.System.Collections.IEnumerable.GetEnumerator ()", 38, "...IEnumerable.GetEnumerator ()");
	expect("libstdc++.so.6.std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
	       ">::append(char "
	       "const*, unsigned long)",
	       40, "...basic_string<...>::append(...)");
	expect("lib.so.(anonymous namespace)::Reader::operator()(std::string const&) const", 40,
	       "...Reader::operator()(...)");
	expect("std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)", 40,
	       "...ostream& std::operator<< <...>(...)");
	expect("/usr/lib/x86_64-linux-gnu/a/library.so", 15, "...a/library.so");
}

/* For any name, the result is not too long, and no character is split. */
Test(name_cut, holds_for_any_name)
{
	static const char *const parts[] = {"<",  ">", "(",        ")",    "[",        "]",  ".",
					    "::", "/", "\303\251", "\377", "operator", "<<", " "};
	uint32_t state = 1;

	for (int round = 0; round < 20000; round++) {
		char name[400] = "";
		size_t width = 8 + (size_t)round % 30;
		char *cut;

		for (int i = 0; i < 40; i++) {
			state = state * 1664525 + 1013904223;
			strcat(name, (state >> 24) % 3 == 0
					     ? "ab"
					     : parts[(state >> 20) % (sizeof(parts) / sizeof(parts[0]))]);
		}
		cut = name_cut(name, width);
		cr_assert_not_null(cut);
		cr_assert_leq(utf8_length(cut), width, "%s: %s", name, cut);
		free(cut);
	}
}

/* The names of a table that the test of the page reads as well. */
Test(name_cut, fits_boxes_as_the_page_does)
{
	const char *source = getenv("srcdir");
	char path[1000];
	char line[1000];
	int count = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/tests/explore/short_names.tsv", source != NULL ? source : ".");
	file = fopen(path, "r");
	cr_assert_not_null(file, "%s", path);
	while (fgets(line, sizeof(line), file) != NULL) {
		const char *width = strtok(line, "\t");
		const char *name = strtok(NULL, "\t");
		const char *wanted = strtok(NULL, "\n");
		char *fitted;

		if (name == NULL || wanted == NULL)
			continue;
		fitted = name_fit(name, strtoul(width, NULL, 10), utf8_length);
		cr_assert_not_null(fitted);
		cr_expect_str_eq(fitted, wanted, "%s in %s columns: %s, not %s", name, width, fitted, wanted);
		free(fitted);
		count++;
	}
	fclose(file);
	cr_expect_gt(count, 20);
}

Test(name_cut, finds_the_class)
{
	size_t length = 0;

	cr_expect_eq(strncmp(name_class("System.Collections.Generic.List`1<int>.Add (int)", &length), "List", 4), 0);
	cr_expect_eq(length, 4);
	cr_expect_eq(strncmp(name_class("Bank.Ledger.Transfer ()", &length), "Ledger", 6), 0);
	cr_expect_eq(length, 6);
	cr_expect_str_eq(name_class("main", &length), "main");
}
