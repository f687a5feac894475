// SPDX-License-Identifier: MIT
// Allocates many objects at call sites in known proportions, on two threads. Prints for each class and method how many
// objects and bytes.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Sampled
{
	class Small { }
	class Middle { public long A, B, C, D; }

	class Program
	{
		[ThreadStatic] static object kept;

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Most(int count)
		{
			for (int i = 0; i < count; i++)
				kept = new Small();
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Fewer(int count)
		{
			for (int i = 0; i < count; i++)
				kept = new Small();
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Larger(int count)
		{
			for (int i = 0; i < count; i++)
				kept = new Middle();
		}

		// Each as large as several intervals.
		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Arrays(int count)
		{
			for (int i = 0; i < count; i++)
				kept = new Middle[30000];
		}

		static void Allocate()
		{
			for (int round = 0; round < 3; round++) {
				Most(30000);
				Fewer(10000);
				Larger(10000);
				Arrays(3);
			}
		}

		static void Main()
		{
			Thread thread = new Thread(Allocate);

			thread.Start();
			Allocate();
			thread.Join();
			Console.WriteLine("Sampled.Small\tMost\t180000\t2880000");
			Console.WriteLine("Sampled.Small\tFewer\t60000\t960000");
			Console.WriteLine("Sampled.Middle\tLarger\t60000\t2880000");
			Console.WriteLine("Sampled.Middle[]\tArrays\t18\t4320576");
		}
	}
}
