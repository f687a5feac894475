// SPDX-License-Identifier: MIT
// Forced collections of both generations, with finalizers and several threads that allocate.
using System;
using System.Threading;

namespace Collections
{
	class Mortal
	{
		public static int Ended;
		object more = new byte[100];
		~Mortal() { Interlocked.Increment(ref Ended); GC.KeepAlive(more); }
	}

	class Program
	{
		static volatile bool stop;
		static object[] kept = new object[1000];

		static void Allocate()
		{
			for (int i = 0; !stop; i++, Thread.SpinWait(100))
				kept[i % kept.Length] = new Mortal();
		}

		static void Main()
		{
			Thread[] threads = new Thread[2];

			for (int i = 0; i < threads.Length; i++)
				(threads[i] = new Thread(Allocate)).Start();
			for (int i = 0; i < 20; i++) {
				GC.Collect(i % 2);
				Thread.Sleep(1);
			}
			stop = true;
			foreach (Thread thread in threads)
				thread.Join();
			kept = null;
			GC.Collect();
			GC.WaitForPendingFinalizers();
			Console.WriteLine("at least\tgc-start\t21");
			Console.WriteLine("at least\tgc-stop-world-start\t21");
			Console.WriteLine("equal\tgc-start\tgc-end");
			Console.WriteLine("equal\tgc-stop-world-start\tgc-stop-world-end");
			Console.WriteLine("equal\tgc-start-world-start\tgc-start-world-end");
			Console.WriteLine("equal\tgc-stop-world-start\tgc-start-world-start");
		}
	}
}
