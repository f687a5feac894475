/* SPDX-License-Identifier: MIT */
/* A library that spends its time below some functions, which have no frame pointers. */

#define HIDDEN_CALL __attribute__((noinline, noclone))

int outer(int value);
int middle(int value);
int inner(int value);
int each(int (*callback)(int), int count);

HIDDEN_CALL int inner(int value)
{
	volatile int sum = value;

	for (int i = 0; i < 1000000; i++)
		sum = sum * 31 + i;
	return sum;
}

/* What follows the call keeps it from becoming a jump. */
HIDDEN_CALL int middle(int value)
{
	volatile int room[100] = {value};

	return inner(room[0]) + room[99];
}

int outer(int value)
{
	return middle(value + 1) + middle(value + 2);
}

int each(int (*callback)(int), int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += callback(i);
	return sum;
}
