/* SPDX-License-Identifier: MIT */
/* Keeps a list of areas, and replaces them in children made by fork(). */
#include "recorder/salvage_fork.h"

#include "io/high_descriptor.h"

#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_registered;

/* Held during fork(), so that the list is consistent in the child. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static salvage_fork_entry *entries;

static void before_fork(void)
{
	pthread_mutex_lock(&list_lock);
	high_descriptor_before_fork();
}

static void after_fork(void)
{
	high_descriptor_after_fork();
	pthread_mutex_unlock(&list_lock);
}

static void in_child(void)
{
	high_descriptor_after_fork();
	for (const salvage_fork_entry *entry = entries; entry != NULL; entry = entry->next)
		salvage_area_replace(entry->area);
	pthread_mutex_unlock(&list_lock);
}

static void register_handlers(void)
{
	is_registered = pthread_atfork(before_fork, after_fork, in_child) == 0;
}

int salvage_fork_add(salvage_fork_entry *entry, salvage_area *area)
{
	pthread_once(&once, register_handlers);
	if (!is_registered)
		return 0;
	entry->area = area;
	pthread_mutex_lock(&list_lock);
	entry->next = entries;
	entries = entry;
	pthread_mutex_unlock(&list_lock);
	return 1;
}

void salvage_fork_remove(salvage_fork_entry *entry)
{
	salvage_fork_entry **link = &entries;

	if (entry->area == NULL)
		return;
	pthread_mutex_lock(&list_lock);
	while (*link != NULL && *link != entry)
		link = &(*link)->next;
	if (*link != NULL)
		*link = entry->next;
	pthread_mutex_unlock(&list_lock);
	entry->area = NULL;
}
