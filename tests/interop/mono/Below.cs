// SPDX-License-Identifier: MIT
// Three threads each spend the given milliseconds of processor time below native functions: in a library, in one that a
// callback of the library calls, and in collections of the runtime.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Below
{
	struct Time { public long Seconds, Nanoseconds; }

	delegate int Callback(int value);

	class Program
	{
		const int ThreadTime = 3; // CLOCK_THREAD_CPUTIME_ID

		[DllImport("libc.so.6")]
		static extern int clock_gettime(int clock, out Time time);

		[DllImport("libbelow.so")]
		static extern int outer(int value);

		[DllImport("libbelow.so")]
		static extern int each(Callback callback, int count);

		static long milliseconds;
		static int result;
		static readonly Callback callback = CallBack;

		// A round takes some milliseconds. The clock is rarely read, since signals that were held back while the
		// thread did not run arrive in system calls.
		static void Repeat(Action round)
		{
			Time time;
			do {
				for (int i = 0; i < 4; i++)
					round();
				clock_gettime(ThreadTime, out time);
			} while (time.Seconds * 1000 + time.Nanoseconds / 1000000 < milliseconds);
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Call()
		{
			result += outer(result);
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static int CallBack(int value)
		{
			return outer(value);
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void CallEach()
		{
			result += each(callback, 3);
		}

		// A list whose nodes the collector has to visit one after the other.
		class Node { public Node Next; }

		static readonly Node list = MakeList();

		static Node MakeList()
		{
			Node first = null;
			for (int i = 0; i < 200000; i++)
				first = new Node { Next = first };
			return first;
		}

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Collect()
		{
			GC.Collect();
		}

		static void Main(string[] arguments)
		{
			Thread[] threads = {
				new Thread(() => Repeat(Call)) { Name = "call" },
				new Thread(() => Repeat(CallEach)) { Name = "each" },
				new Thread(() => Repeat(Collect)) { Name = "collect" },
			};

			milliseconds = int.Parse(arguments[0]);
			// One after the other: collections stop the other threads.
			foreach (Thread thread in threads) {
				thread.Start();
				thread.Join();
			}
			GC.KeepAlive(list);
		}
	}
}
