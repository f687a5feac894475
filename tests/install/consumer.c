/* SPDX-License-Identifier: MIT */
/**
 * \file consumer.c
 * \brief A program that uses nothing but the installed library: writes a log to memory and reads it back.
 */
#include <mprof.h>

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                                               \
	do {                                                                                                           \
		if (!(condition)) {                                                                                    \
			fprintf(stderr, "consumer.c:%d: %s\n", __LINE__, #condition);                                  \
			return 1;                                                                                      \
		}                                                                                                      \
	} while (0)

#define CLASS_ID 1
#define METHOD_ID 7
#define THREAD 42

static const mprof_event sent[] = {
	{.kind = MPROF_EVENT_METHOD_ENTER, .id = METHOD_ID, .counter = 1000},
	{.kind = MPROF_EVENT_ALLOCATION, .id = CLASS_ID, .counter = 1000, .value = 24},
	{.kind = MPROF_EVENT_METHOD_LEAVE, .id = METHOD_ID, .counter = 1500},
};

#define SENT_COUNT (sizeof(sent) / sizeof(sent[0]))

static int write_log(mprof_writer *writer)
{
	mprof_class_definition class_definition = {
		.struct_size = sizeof(mprof_class_definition), .id = CLASS_ID, .name = "Zoo.Cat", .name_length = 7};
	mprof_method_definition method = {.struct_size = sizeof(mprof_method_definition),
					  .id = METHOD_ID,
					  .class_id = CLASS_ID,
					  .name = "Meow ()",
					  .name_length = 7};
	size_t written = 0;

	CHECK(mprof_writer_define_class(writer, &class_definition) == MPROF_OK);
	CHECK(mprof_writer_define_method(writer, &method) == MPROF_OK);
	CHECK(mprof_writer_begin_events(writer, THREAD, 900) == MPROF_OK);
	CHECK(mprof_writer_write_events(writer, sent, SENT_COUNT, &written) == MPROF_OK);
	CHECK(written == SENT_COUNT);
	CHECK(mprof_writer_end_events(writer) == MPROF_OK);
	CHECK(mprof_writer_close(writer) == MPROF_OK);
	return 0;
}

/* Compares the events of one block with what was sent from seen on. */
static int check_events(mprof_reader *reader, size_t *seen)
{
	mprof_event events[2];
	size_t count;

	while (mprof_reader_next_events(reader, events, 2, &count) == MPROF_OK) {
		for (size_t i = 0; i < count; i++) {
			CHECK(*seen < SENT_COUNT);
			CHECK(events[i].kind == sent[*seen].kind);
			CHECK(events[i].id == sent[*seen].id);
			CHECK(events[i].counter == sent[*seen].counter);
			CHECK(events[i].value == sent[*seen].value);
			(*seen)++;
		}
	}
	return 0;
}

static int read_log(mprof_reader *reader)
{
	mprof_session session = {.struct_size = sizeof(session)};
	mprof_status status;
	mprof_block block;
	char name[64];
	size_t seen = 0;

	mprof_block_init(&block, sizeof(block));
	while ((status = mprof_reader_next_block(reader, &block)) == MPROF_OK) {
		if (block.kind == MPROF_BLOCK_EVENTS) {
			CHECK(block.thread == THREAD);
			CHECK(check_events(reader, &seen) == 0);
		}
	}
	CHECK(status == MPROF_END);
	CHECK(seen == SENT_COUNT);
	mprof_reader_format_method(reader, METHOD_ID, name, sizeof(name));
	CHECK(strcmp(name, "Zoo.Cat.Meow ()") == 0);
	CHECK(mprof_reader_get_session(reader, &session) == MPROF_OK);
	CHECK(session.complete == 1);
	CHECK(session.dialect == MPROF_DIALECT_MPROF2);
	return 0;
}

int main(void)
{
	mprof_writer *writer = NULL;
	mprof_reader *reader = NULL;
	const uint8_t *bytes;
	size_t length;

	CHECK(mprof_version_get_number() == MPROF_VERSION_NUMBER);
	CHECK(strcmp(mprof_version_get_string(), MPROF_VERSION_STRING) == 0);

	CHECK(mprof_writer_open_memory(NULL, &writer) == MPROF_OK);
	CHECK(write_log(writer) == 0);
	CHECK(mprof_writer_get_memory(writer, &bytes, &length) == MPROF_OK);

	CHECK(mprof_reader_open_memory(bytes, length, NULL, &reader) == MPROF_OK);
	CHECK(read_log(reader) == 0);

	mprof_reader_destroy(reader);
	CHECK(mprof_writer_destroy(writer) == MPROF_OK);
	printf("%zu events in %zu bytes\n", SENT_COUNT, length);
	return 0;
}
