// SPDX-License-Identifier: MIT
// Threads, named before they start, by themselves and by others, and many short ones.
using System;
using System.Threading;

namespace Threads
{
	class Token { }

	class Program
	{
		const int Rounds = 2000;
		const int ShortThreads = 300;

		static object sink;

		static int Step(int n) { return n + 1; }

		static void Work()
		{
			int sum = 0;
			for (int i = 0; i < Rounds; i++) {
				sum = Step(sum);
				sink = new Token();
			}
		}

		static void Short() { sink = new Token(); }

		static void NameMyself()
		{
			Thread.CurrentThread.Name = "named by itself";
			Work();
		}

		static void Main()
		{
			string[] names = { "first", "zweiter Käfer", "третий", "第四" };
			Thread[] threads = new Thread[names.Length + 2];
			ManualResetEvent named = new ManualResetEvent(false);

			for (int i = 0; i < names.Length; i++)
				threads[i] = new Thread(Work) { Name = names[i] };
			threads[names.Length] = new Thread(NameMyself);
			threads[names.Length + 1] = new Thread(() => { named.WaitOne(); Work(); });
			foreach (Thread thread in threads)
				thread.Start();
			threads[names.Length + 1].Name = "named by another";
			named.Set();
			foreach (Thread thread in threads)
				thread.Join();
			for (int i = 0; i < ShortThreads; i += 10) {
				Thread[] batch = new Thread[10];
				for (int j = 0; j < batch.Length; j++)
					(batch[j] = new Thread(Short)).Start();
				foreach (Thread thread in batch)
					thread.Join();
			}

			foreach (string name in names)
				Console.WriteLine("thread\t" + name);
			Console.WriteLine("thread\tnamed by itself");
			Console.WriteLine("thread\tnamed by another");
			Console.WriteLine("calls\tThreads.Program\tWork ()\t" + threads.Length);
			Console.WriteLine("calls\tThreads.Program\tStep (int)\t" + threads.Length * Rounds);
			Console.WriteLine("calls\tThreads.Program\tShort ()\t" + ShortThreads);
			int tokens = threads.Length * Rounds + ShortThreads;
			Console.WriteLine("allocations\tThreads.Token\t" + tokens + "\t" + tokens * 16);
			// The first thread, the finalizer's and these
			Console.WriteLine("at least\tthread-start\t" + (2 + threads.Length + ShortThreads));
			Console.WriteLine("at least\tthread-end\t" + (threads.Length + ShortThreads));
		}
	}
}
