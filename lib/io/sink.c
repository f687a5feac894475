/* SPDX-License-Identifier: MIT */
/* Writes to memory or to the caller's functions, and dispatches the operations of all sinks. */
#include "io/sink.h"

#include "base/checked.h"
#include "base/options.h"

#include <errno.h>
#include <string.h>

static int memory_write(log_sink *self, const void *bytes, size_t length)
{
	void *memory = self->memory;
	size_t needed;

	if (!checked_add(self->memory_length, length, &needed) ||
	    !array_reserve(&self->allocator, &memory, &self->memory_capacity, needed, 1))
		return ENOMEM;
	self->memory = memory;
	memcpy(self->memory + self->memory_length, bytes, length);
	self->memory_length = needed;
	return 0;
}

static int memory_sink_close(log_sink *self)
{
	allocator_release(&self->allocator, self->memory, self->memory_capacity);
	return 0;
}

static const sink_operations memory_operations = {memory_write, NULL, NULL, NULL, memory_sink_close};

void sink_open_memory(log_sink *self, const mprof_allocator *allocator)
{
	memset(self, 0, sizeof(*self));
	self->operations = &memory_operations;
	self->allocator = *allocator;
}

static int functions_write(log_sink *self, const void *bytes, size_t length)
{
	return self->functions.write(self->functions.user, bytes, length);
}

static int functions_flush(log_sink *self)
{
	return self->functions.flush != NULL ? self->functions.flush(self->functions.user) : 0;
}

static int functions_close(log_sink *self)
{
	return self->functions.close != NULL ? self->functions.close(self->functions.user) : 0;
}

static const sink_operations functions_operations = {functions_write, functions_flush, NULL, NULL, functions_close};

void sink_open_functions(log_sink *self, const mprof_allocator *allocator, const mprof_sink *functions)
{
	memset(self, 0, sizeof(*self));
	self->operations = &functions_operations;
	self->allocator = *allocator;
	self->functions = *functions;
}

void sink_refuse_functions(const mprof_sink *functions)
{
	mprof_sink own;

	if (functions != NULL && struct_copy_in(&own, functions, sizeof(own)) == MPROF_OK && own.close != NULL)
		own.close(own.user);
}

int sink_write(log_sink *self, const void *bytes, size_t length)
{
	int error = self->operations->write(self, bytes, length);

	if (error != 0)
		return error;
	self->taken += length;
	if (self->observer != NULL)
		self->observer(self->observer_user, bytes, length);
	return 0;
}

int sink_flush(log_sink *self)
{
	return self->operations->flush != NULL ? self->operations->flush(self) : 0;
}

int sink_finish(log_sink *self)
{
	return self->operations->finish != NULL ? self->operations->finish(self) : 0;
}

uint64_t sink_bound(const log_sink *self, uint64_t more)
{
	return self->operations->bound != NULL ? self->operations->bound(self, more) : self->taken + more;
}

void sink_detach(log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	self->functions.close = NULL;
}

int sink_close(log_sink *self)
{
	int error = 0;

	if (self->operations != NULL && self->operations->close != NULL)
		error = self->operations->close(self);
	memset(self, 0, sizeof(*self));
	return error;
}

const log_sink *sink_bottom(const log_sink *self)
{
	while (self->inner != NULL)
		self = self->inner;
	return self;
}

int sink_is_memory(const log_sink *self)
{
	return sink_bottom(self)->operations == &memory_operations;
}
