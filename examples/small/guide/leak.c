/* SPDX-License-Identifier: MIT */
/* Copies a name for each request, and frees none of them; what the table holds is in use until the end. */
#include <stdlib.h>
#include <string.h>

static char *table[100];

static char *copy_name(const char *name)
{
	char *copy = malloc(64);

	return copy != NULL ? strcpy(copy, name) : NULL;
}

static int serve(int number)
{
	char *name = copy_name(number % 2 == 0 ? "even" : "odd");

	return name != NULL && name[0] == 'e';
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 100; i++)
		table[i] = calloc(1, 16);
	for (int i = 0; i < 20000; i++)
		sum += serve(i);
	for (int i = 0; i < 100; i++)
		free(table[i]);
	return sum != 10000;
}
