/* SPDX-License-Identifier: MIT */
/* Chooses how many threads decode the events of a log. */
#include "common/threads.h"

static uint32_t chosen;

void threads_set(uint32_t number)
{
	chosen = number;
}

/* One unless asked: several take more processor time, and gain nothing where other programs use the processors. */
uint32_t threads_get(void)
{
	return chosen > 1 ? chosen : 1;
}
