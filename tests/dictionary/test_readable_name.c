/* SPDX-License-Identifier: MIT */
/* Tests lib/dictionary/name_table.c with names of csc and mcs, as Mono prints them. */
#include <mprof/reader.h>

#include <criterion/criterion.h>

#include <string.h>

static void expect(const char *name, const char *readable)
{
	char text[256];

	cr_expect_eq(mprof_name_format_readable(name, text, sizeof(text)), strlen(readable), "%s", name);
	cr_expect_str_eq(text, readable, "%s: %s, not %s", name, text, readable);
	cr_expect_eq(mprof_name_format_readable(name, NULL, 0), strlen(readable));
	for (size_t size = 1; size <= strlen(readable); size++) {
		mprof_name_format_readable(name, text, size);
		cr_assert_eq(strlen(text), size - 1);
		cr_assert_eq(memcmp(text, readable, size - 1), 0);
	}
}

Test(readable_name, of_csc)
{
	expect("Space.Program/<Work>d__1.MoveNext ()", "Space.Program.Work");
	expect("Space.Program+<Work>d__12`1<T_REF>.MoveNext ()", "Space.Program.Work<T_REF>");
	expect("Program/<Numbers>d__0.System.IDisposable.Dispose ()", "Program.Numbers.System.IDisposable.Dispose ()");
	expect("Program/<System.Collections.IEnumerable.GetEnumerator>d__3.MoveNext ()",
	       "Program.System.Collections.IEnumerable.GetEnumerator");
	expect("Program/<>c.<Main>b__0_2 (int)", "Program.Main.lambda_2 (int)");
	expect("Program/<>c__DisplayClass3_0.<Main>b__1 ()", "Program.Main.lambda_1 ()");
	expect("Program/<>c__4`1<int>.<Main>b__4_0 ()", "Program.Main.lambda_0 ()");
	expect("Program/<>c/<<Main>b__0_3>d.MoveNext ()", "Program.Main.lambda_3");
	expect("Program.<Main>g__Local|0_0 (int)", "Program.Main.Local (int)");
	expect("Program/<<Main>g__Local|0_1>d.MoveNext ()", "Program.Main.Local");
	expect("<Main>d__0.MoveNext ()", "Main");
}

Test(readable_name, of_mcs)
{
	expect("Space.Outer`1/<Work>c__async0<T_REF>.MoveNext ()", "Space.Outer`1.Work<T_REF>");
	expect("Space.Program/<Generic>c__async1`1<int>.MoveNext ()", "Space.Program.Generic<int>");
	expect("Outer`1/<Numbers>c__Iterator1<int>.MoveNext ()", "Outer`1.Numbers<int>");
	expect("Outer`1/<Numbers>c__Iterator1<int>..ctor ()", "Outer`1.Numbers<int>..ctor ()");
	expect("Space.Program.<Main>m__0 (int)", "Space.Program.Main.lambda_0 (int)");
	expect("Space.Program/<Main>c__AnonStorey2.<>m__0 (int)", "Space.Program.Main.lambda_0 (int)");
	expect("Program/<Main>c__AnonStorey2/<Main>c__async3.MoveNext ()", "Program.Main");
}

Test(readable_name, others_are_copied)
{
	static const char *const names[] = {
		"",
		"Space.Program.Main (string[])",
		"<Module>.runtime_invoke_void (object,intptr)",
		"System.Collections.Generic.List`1<int>.Add (int)",
		"System.Collections.Generic.List`1/Enumerator<int>.MoveNext ()",
		"Program/<>c..cctor ()",
		"Program/<Main>c__AnonStorey2..ctor ()",
		"Program.<Field>k__BackingField ()",
		"<PrivateImplementationDetails>.ComputeStringHash (string)",
		"(wrapper managed-to-native) object:__icall_wrapper (intptr)",
		"Program.op_Less<",
		"Program/<Main",
		"Program/<>c",
		"Program/<>c.",
		"Program/<",
		"...",
		"/<<<<<<<<<<<a>d>d>d>d>d>d>d>d>d>d>d.MoveNext ()",
		"#17",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect(names[i], names[i]);
}
