// SPDX-License-Identifier: MIT
// Threads that allocate, throw, load and unload all at once, for a number of milliseconds, while another makes the
// collector run repeatedly, at an interval in milliseconds.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Storm
{
	class Node { public Node Next; public byte[] Data; }

	public class Visitor : MarshalByRefObject
	{
		public int Visit(int n) { return n * 2; }
	}

	class Program
	{
		static volatile bool stop;
		static long rounds;
		static int collections;

		static Node Allocate(int count)
		{
			Node list = null;
			for (int i = 0; i < count; i++) {
				list = new Node { Next = i % 10 == 0 ? null : list, Data = new byte[i % 200] };
			}
			return list;
		}

		static int Throw(int depth)
		{
			if (depth == 0)
				throw new InvalidOperationException("thrown");
			return Throw(depth - 1) + 1;
		}

		static void Catch(int count)
		{
			for (int i = 0; i < count; i++) {
				try { Throw(i % 8); } catch (InvalidOperationException) { }
			}
		}

		static void Sort(int count)
		{
			List<string> words = new List<string>();
			for (int i = 0; i < count; i++)
				words.Add((i * 7919 % count).ToString("x8"));
			words.Sort(StringComparer.Ordinal);
			if (words.Count != count)
				throw new Exception("the program is wrong");
		}

		static void Work(object number)
		{
			for (int i = 0; !stop; i++) {
				Allocate(2000);
				Catch(50);
				Sort(300);
				if ((int)number == 0 && i % 5 == 0)
					Visit(i);
				Interlocked.Increment(ref rounds);
			}
		}

		static void Visit(int n)
		{
			AppDomain domain = AppDomain.CreateDomain("visited");
			Visitor visitor = (Visitor)domain.CreateInstanceAndUnwrap(typeof(Visitor).Assembly.FullName,
				typeof(Visitor).FullName);
			if (visitor.Visit(n) != n * 2)
				throw new Exception("the program is wrong");
			AppDomain.Unload(domain);
		}

		static void Collect(object milliseconds)
		{
			while (!stop) {
				Thread.Sleep((int)milliseconds);
				GC.Collect();
				collections++;
			}
		}

		static void Main(string[] arguments)
		{
			Thread[] threads = new Thread[5];

			for (int i = 0; i < 4; i++)
				(threads[i] = new Thread(Work) { Name = "worker " + i }).Start(i);
			(threads[4] = new Thread(Collect) { Name = "collector's" }).Start(int.Parse(arguments[1]));
			Thread.Sleep(int.Parse(arguments[0]));
			stop = true;
			foreach (Thread thread in threads)
				thread.Join();
			Console.WriteLine("rounds\t" + rounds);
			Console.WriteLine("collections\t" + collections);
		}
	}
}
