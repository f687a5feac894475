// SPDX-License-Identifier: MIT
// Calls a method in three threads until it dies in the given way after the given time, and counts the calls that have
// returned, in a file that outlives it. Before the runtime ends, which closes the log while the threads still run, it
// copies the counts. The fourth argument, if any, is the length of a list: then it collects all the time.
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
	const long MaxCalls = 10000000; // Of each worker, which then waits: so the ring buffer has room for all.
	static long* counts; // Of the workers, then their copies, then whether these are valid; in a cache line each.
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
		for (long calls = 1; calls <= MaxCalls; calls++) {
			Step(worker);
			Volatile.Write(ref counts[worker * 8], calls);
		}
		Thread.Sleep(Timeout.Infinite);
	}

	static void CopyCounts()
	{
		for (int i = 0; i < Workers; i++)
			counts[(Workers + i) * 8] = Volatile.Read(ref counts[i * 8]);
		Volatile.Write(ref counts[2 * Workers * 8], 1);
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

	static void TakeMemory()
	{
		for (;;) {
			byte* bytes = (byte*)Marshal.AllocHGlobal(1 << 20);

			for (int i = 0; i < 1 << 20; i += 4096)
				bytes[i] = 1;
		}
	}

	static void DieByItself(string way, int microseconds)
	{
		Thread.Sleep(TimeSpan.FromTicks(microseconds * 10));
		if (way == "exit")
			_exit(3);
		if (way == "memory")
			TakeMemory();
		if (way == "end") {
			CopyCounts();
			Environment.Exit(4);
		}
		if (way == "throw")
			throw new Exception("as the test demands");
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
			AppDomain.CurrentDomain.UnhandledException += (sender, exception) => CopyCounts();
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
