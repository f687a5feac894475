// SPDX-License-Identifier: MIT
// Calls on some 2700 paths, in no order.
using System.Runtime.CompilerServices;

class Program
{
	static uint random = 1;

	static void Step(int depth)
	{
		if (depth == 0)
			return;
		random = random * 1664525 + 1013904223;
		switch (random >> 30) {
		case 0: A(depth - 1); break;
		case 1: B(depth - 1); break;
		case 2: C(depth - 1); break;
		default: D(depth - 1); break;
		}
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void A(int depth) { Step(depth); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void B(int depth) { Step(depth); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void C(int depth) { Step(depth); }

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void D(int depth) { Step(depth); }

	static void Main()
	{
		for (int i = 0; i < 160000; i++)
			Step(5);
	}
}
