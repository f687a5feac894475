// SPDX-License-Identifier: MIT
// Calls a method in three threads until it dies in the given way after the given time, and counts the calls that have
// returned, in a file that outlives it. The fourth argument, if any, is the length of a list: then it collects all the
// time.
using System;
using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Node
{
	public Node Next;
}

static unsafe class Deaths
{
	const int Workers = 3;
	static long* counts;
	static Node list;

	[DllImport("libc")]
	static extern int timer_create(int clock, byte[] how, out IntPtr timer);

	[DllImport("libc")]
	static extern int timer_settime(IntPtr timer, int flags, long[] when, IntPtr before);

	[DllImport("libc")]
	static extern void _exit(int status);

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Step(int worker)
	{
	}

	static void Work(int worker)
	{
		for (long calls = 1;; calls++) {
			Step(worker);
			Volatile.Write(ref counts[worker * 8], calls);
		}
	}

	// The kernel sends the signal, also while the world is stopped.
	static void DieBySignal(int number, long microseconds)
	{
		var how = new byte[64];
		IntPtr timer;

		BitConverter.GetBytes(number).CopyTo(how, 8);
		if (timer_create(1, how, out timer) != 0 ||
		    timer_settime(timer, 0, new long[] { 0, 0, microseconds / 1000000, microseconds % 1000000 * 1000 },
				  IntPtr.Zero) != 0)
			throw new Exception("no timer");
	}

	static void DieByItself(string way, int microseconds)
	{
		Thread.Sleep(TimeSpan.FromTicks(microseconds * 10));
		if (way == "exit")
			_exit(3);
		Environment.FailFast("as the test demands");
	}

	static void Main(string[] arguments)
	{
		string way = arguments[1];
		int microseconds = int.Parse(arguments[2]);
		int number;

		using (var file = MemoryMappedFile.CreateFromFile(arguments[0]))
		using (var view = file.CreateViewAccessor()) {
			byte* start = null;

			view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
			counts = (long*)start;
			for (int i = 0; arguments.Length > 3 && i < int.Parse(arguments[3]); i++)
				list = new Node { Next = list };
			for (int i = 0; i < Workers; i++) {
				int worker = i;
				new Thread(() => Work(worker)).Start();
			}
			while (Volatile.Read(ref counts[0]) == 0 || Volatile.Read(ref counts[8]) == 0 ||
			       Volatile.Read(ref counts[16]) == 0)
				Thread.Yield();
			// Mono's handler of a crash may wait for a lock that the thread which crashed has.
			if (way != "9")
				DieBySignal(9, microseconds + 5000000L);
			if (int.TryParse(way, out number))
				DieBySignal(number, microseconds);
			else
				new Thread(() => DieByItself(way, microseconds)).Start();
			while (list != null)
				GC.Collect();
			Thread.Sleep(Timeout.Infinite);
		}
	}
}
