/* SPDX-License-Identifier: MIT */
/**
 * \file recorder/recorder.c
 * \brief Definitions, requests and figures: what any thread may ask of a recorder.
 */
#include "recorder/recorder_internal.h"

#include "base/options.h"

#include <string.h>
#include <unistd.h>

int recorder_in_child(const mprof_recorder *recorder)
{
	return getpid() != recorder->process;
}

int recorder_name_is_writable(const mprof_recorder *recorder, const char *name, size_t length)
{
	return length <= recorder->max_name_length && (length == 0 || memchr(name, '\0', length) == NULL);
}

uint64_t mprof_recorder_counter(const mprof_recorder *recorder)
{
	return counter_read(&recorder->counter);
}

static mprof_status send(mprof_recorder *recorder, message *created)
{
	if (created == NULL)
		return MPROF_ERR_MEMORY;
	message_queue_push(&recorder->messages, created);
	return MPROF_OK;
}

static mprof_status define(mprof_recorder *recorder, message_kind kind, mprof_key key,
			   const mprof_description *description)
{
	mprof_description own;

	if (recorder == NULL || !key_is_valid(key, recorder->keys_are_ids) || description == NULL ||
	    struct_copy_in(&own, description, sizeof(own)) != MPROF_OK || own.name == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(recorder, own.name, own.name_length))
		return MPROF_ERR_NAME;
	return send(recorder, message_definition(&recorder->allocator, kind, key, &own, counter_read(&recorder->counter)));
}

mprof_status mprof_recorder_define_class(mprof_recorder *recorder, mprof_key key, const mprof_description *description)
{
	return define(recorder, MESSAGE_DEFINE_CLASS, key, description);
}

mprof_status mprof_recorder_define_method(mprof_recorder *recorder, mprof_key key,
					  const mprof_description *description)
{
	return define(recorder, MESSAGE_DEFINE_METHOD, key, description);
}

static mprof_status send_element(mprof_recorder *recorder, message_kind kind, mprof_key key,
				 const mprof_element *element)
{
	const uint32_t types = MPROF_ELEMENT_MODULE | MPROF_ELEMENT_ASSEMBLY | MPROF_ELEMENT_DOMAIN;
	uint32_t type;

	if (recorder == NULL || element == NULL || element->name == NULL)
		return MPROF_ERR_ARGUMENT;
	type = element->kind & types;
	if (type == 0 || (type & (type - 1)) != 0)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(recorder, element->name, element->name_length))
		return MPROF_ERR_NAME;
	return send(recorder, message_element(&recorder->allocator, kind, key, element));
}

mprof_status mprof_recorder_loaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return send_element(recorder, MESSAGE_LOADED, key, element);
}

mprof_status mprof_recorder_unloaded(mprof_recorder *recorder, mprof_key key, const mprof_element *element)
{
	return send_element(recorder, MESSAGE_UNLOADED, key, element);
}

mprof_status mprof_recorder_thread_name(mprof_recorder *recorder, uint64_t id, const char *name, size_t name_length)
{
	if (recorder == NULL || name == NULL)
		return MPROF_ERR_ARGUMENT;
	if (!recorder_name_is_writable(recorder, name, name_length))
		return MPROF_ERR_NAME;
	return send(recorder, message_thread_name(&recorder->allocator, id, name, name_length));
}

mprof_status mprof_recorder_drain(mprof_recorder *recorder)
{
	mprof_status status = MPROF_ERR_STATE;
	uint64_t request;

	if (recorder == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(recorder))
		return MPROF_ERR_STATE;
	pthread_mutex_lock(&recorder->state_lock);
	if (!recorder->closed) {
		/* Release: what the caller recorded or defined is seen by the round that serves the request. */
		request = atomic_fetch_add_explicit(&recorder->drain_requested, 1, memory_order_release) + 1;
		sem_post(&recorder->work);
		while (recorder->drain_completed < request)
			pthread_cond_wait(&recorder->drained, &recorder->state_lock);
		status = (mprof_status)recorder->stats.status;
	}
	pthread_mutex_unlock(&recorder->state_lock);
	return status;
}

mprof_status mprof_recorder_get_stats(mprof_recorder *recorder, mprof_recorder_stats *stats)
{
	mprof_recorder_stats own;

	if (recorder == NULL || stats == NULL)
		return MPROF_ERR_ARGUMENT;
	if (recorder_in_child(recorder)) {
		/* The lock may have been held by a thread that the child does not have. */
		memset(&own, 0, sizeof(own));
		return struct_copy_out(stats, &own, sizeof(own));
	}
	pthread_mutex_lock(&recorder->state_lock);
	own = recorder->stats;
	pthread_mutex_unlock(&recorder->state_lock);
	own.waits = atomic_load_explicit(&recorder->waits, memory_order_relaxed);
	own.buffers = buffer_pool_created(&recorder->pool);
	pthread_mutex_lock(&recorder->threads_lock);
	own.threads = recorder->next_serial;
	pthread_mutex_unlock(&recorder->threads_lock);
	return struct_copy_out(stats, &own, sizeof(own));
}
