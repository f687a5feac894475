// SPDX-License-Identifier: MIT
// Prints the processor time of the fastest rounds of the same work, below the given number of calls: the least, the
// tenth and the quarter of all, in microseconds. With "native" the work is in the C library.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

class Rounds
{
	struct Time { public long Seconds, Nanoseconds; }

	const int ThreadTime = 3; // CLOCK_THREAD_CPUTIME_ID
	const int Size = 1 << 20;

	[DllImport("libc.so.6")]
	static extern int clock_gettime(int clock, out Time time);

	[DllImport("libc.so.6")]
	static extern IntPtr memfrob(IntPtr bytes, IntPtr count);

	static readonly IntPtr bytes = Marshal.AllocHGlobal(Size);
	static bool isNative;
	static int result;

	static void Work()
	{
		int n = result;
		if (isNative)
			for (int i = 0; i < 30; i++)
				memfrob(bytes, (IntPtr)Size);
		else
			for (int i = 0; i < 5 * Size; i++)
				n = n * 31 + i;
		result = n;
	}

	static int Descend(int calls)
	{
		if (calls > 0)
			return Descend(calls - 1) + 1;
		Work();
		return 0;
	}

	static long Now()
	{
		Time time;
		clock_gettime(ThreadTime, out time);
		return time.Seconds * 1000000 + time.Nanoseconds / 1000;
	}

	static void Main(string[] arguments)
	{
		int calls = int.Parse(arguments[0]);
		List<long> times = new List<long>();

		isNative = arguments[1] == "native";
		Descend(calls);
		for (int i = 0; i < 200; i++) {
			long start = Now();
			Descend(calls);
			times.Add(Now() - start);
		}
		times.Sort();
		Console.WriteLine("{0} {1} {2}", times[0], times[times.Count / 10], times[times.Count / 4]);
	}
}
