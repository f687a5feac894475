// SPDX-License-Identifier: MIT
// Calls that native code makes: on a thread of the program, and on threads that the runtime did not start.
using System;
using System.Runtime.InteropServices;

namespace Native
{
	class Program
	{
		delegate int Comparison(IntPtr a, IntPtr b);
		delegate IntPtr Routine(IntPtr argument);

		[DllImport("libc.so.6")]
		static extern void qsort(int[] items, IntPtr count, IntPtr size, Comparison compare);

		[DllImport("libpthread.so.0")]
		static extern int pthread_create(out IntPtr thread, IntPtr attributes, Routine routine, IntPtr argument);

		[DllImport("libpthread.so.0")]
		static extern int pthread_join(IntPtr thread, IntPtr result);

		const int Threads = 8;
		static int comparisons;
		static object sink;

		static int Compare(IntPtr a, IntPtr b)
		{
			comparisons++;
			return Marshal.ReadInt32(a).CompareTo(Marshal.ReadInt32(b));
		}

		static int Step(int n) { return n + 1; }

		static IntPtr Run(IntPtr argument)
		{
			int sum = 0;
			for (int i = 0; i < (int)argument; i++) {
				sum = Step(sum);
				sink = new Program();
			}
			return IntPtr.Zero;
		}

		static void Main()
		{
			int[] items = new int[1000];
			for (int i = 0; i < items.Length; i++)
				items[i] = i * 7919 % items.Length;
			qsort(items, (IntPtr)items.Length, (IntPtr)4, Compare);

			Routine routine = Run;
			IntPtr[] threads = new IntPtr[Threads];
			for (int i = 0; i < Threads; i++)
				if (pthread_create(out threads[i], IntPtr.Zero, routine, (IntPtr)(i * 1000)) != 0)
					Environment.Exit(1);
			foreach (IntPtr thread in threads)
				pthread_join(thread, IntPtr.Zero);
			GC.KeepAlive(routine);

			int steps = 1000 * Threads * (Threads - 1) / 2;
			Console.WriteLine("calls\tNative.Program\tCompare (intptr,intptr)\t" + comparisons);
			Console.WriteLine("calls\tNative.Program\tRun (intptr)\t" + Threads);
			Console.WriteLine("calls\tNative.Program\tStep (int)\t" + steps);
			Console.WriteLine("allocations\tNative.Program\t" + steps + "\t" + steps * 16);
			Console.WriteLine("at least\tthread-start\t" + (2 + Threads));
			Console.WriteLine("at least\tthread-end\t" + Threads);
		}
	}
}
