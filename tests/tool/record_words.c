/* SPDX-License-Identifier: MIT */
/*
 * Records a call and its code as a runtime with words of its own does: record_words FILE [KEY VALUE]... The values become
 * properties. The method "fib (I)I" of the class "Truth", of the assembly "truth.jar", calls "run (J)V" and "run (I)V",
 * which are two methods; the code of each has 100 bytes.
 */
#include <mprof/recorder.h>

#include <string.h>

enum { TRUTH = 1, FIB, RUN_LONG, RUN_INT, JAR, MAX_PROPERTIES = 8 };

static int define(mprof_recorder *recorder, mprof_key key, const char *name)
{
	mprof_description description;

	mprof_description_init(&description, sizeof(description));
	description.name = name;
	description.name_length = strlen(name);
	if (key == TRUTH) {
		description.assembly_key = JAR;
		return mprof_recorder_define_class(recorder, key, &description) == MPROF_OK;
	}
	description.class_key = TRUTH;
	return mprof_recorder_define_method(recorder, key, &description) == MPROF_OK;
}

static int define_all(mprof_recorder *recorder)
{
	static const mprof_element jar = {
		.struct_size = sizeof(jar), .kind = MPROF_ELEMENT_ASSEMBLY, .name = "truth.jar", .name_length = 9};

	return mprof_recorder_record_loaded(recorder, JAR, &jar) == MPROF_OK && define(recorder, TRUTH, "Truth") &&
	       define(recorder, FIB, "fib (I)I") && define(recorder, RUN_LONG, "run (J)V") &&
	       define(recorder, RUN_INT, "run (I)V");
}

static void call(mprof_thread *thread, mprof_key method)
{
	(void)mprof_thread_record_method_code(thread, method, MPROF_CODE_JIT, 100);
	mprof_thread_enter_method(thread, method);
}

int main(int argc, char **argv)
{
	mprof_property properties[MAX_PROPERTIES];
	mprof_recorder_options options;
	mprof_recorder *recorder;
	mprof_thread *thread;

	mprof_recorder_options_init(&options, sizeof(options));
	options.method_code = 1;
	options.properties = properties;
	options.property_size = sizeof(properties[0]);
	for (int i = 2; i + 1 < argc && options.property_count < MAX_PROPERTIES; i += 2)
		properties[options.property_count++] = (mprof_property){argv[i], argv[i + 1]};
	if (argc < 2 || mprof_recorder_open_path(argv[1], &options, &recorder, NULL) != MPROF_OK ||
	    !define_all(recorder) || mprof_recorder_attach(recorder, 1, &thread) != MPROF_OK)
		return 1;
	call(thread, FIB);
	call(thread, RUN_LONG);
	mprof_thread_leave_method(thread, RUN_LONG);
	call(thread, RUN_INT);
	mprof_thread_leave_method(thread, RUN_INT);
	mprof_thread_leave_method(thread, FIB);
	mprof_thread_detach(thread);
	if (mprof_recorder_close(recorder) != MPROF_OK)
		return 1;
	mprof_recorder_destroy(recorder);
	return 0;
}
