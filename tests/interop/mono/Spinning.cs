// SPDX-License-Identifier: MIT
// Three threads each spend the given milliseconds of processor time in one function: a method of the program, one of
// the class library, which is precompiled, and a function of the C library. A fourth does nothing for as long.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Spinning
{
	struct Time { public long Seconds, Nanoseconds; }

	class Program
	{
		const int ThreadTime = 3; // CLOCK_THREAD_CPUTIME_ID
		const int Size = 1 << 20;
		const int Rounds = 30;

		[DllImport("libc.so.6")]
		static extern int clock_gettime(int clock, out Time time);

		[DllImport("libc.so.6")]
		static extern IntPtr memfrob(IntPtr bytes, IntPtr count);

		static long milliseconds;
		static readonly string text = new string('x', Size);
		static readonly string sameText = new string('x', Size);
		static readonly IntPtr bytes = Marshal.AllocHGlobal(Size);
		static int result;

		// Each round takes some ten milliseconds, so that the time for reading the clock is negligible.
		static void Repeat(Action round)
		{
			Time time;
			do {
				round();
				clock_gettime(ThreadTime, out time);
			} while (time.Seconds * 1000 + time.Nanoseconds / 1000000 < milliseconds);
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Spin()
		{
			int n = result;
			for (int i = 0; i < 20 * Size; i++)
				n = n * 31 + i;
			result = n;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Compare()
		{
			for (int i = 0; i < Rounds; i++)
				if (string.CompareOrdinal(text, sameText) != 0)
					throw new Exception("the program is wrong");
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Call()
		{
			for (int i = 0; i < Rounds; i++)
				memfrob(bytes, (IntPtr)Size);
		}

		static void Main(string[] arguments)
		{
			ManualResetEvent end = new ManualResetEvent(false);
			Thread idle = new Thread(() => end.WaitOne()) { Name = "idle" };
			Thread[] threads = {
				new Thread(() => Repeat(Spin)) { Name = "managed" },
				new Thread(() => Repeat(Compare)) { Name = "library" },
				new Thread(() => Repeat(Call)) { Name = "native" },
			};

			milliseconds = int.Parse(arguments[0]);
			idle.Start();
			foreach (Thread thread in threads)
				thread.Start();
			foreach (Thread thread in threads)
				thread.Join();
			end.Set();
			idle.Join();
			Console.WriteLine("spun");
		}
	}
}
