// SPDX-License-Identifier: MIT
// Works in three rounds. It waits for each next round, and for its end, until a file of that name exists.
using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Runs
{
	class Small { public int A; }

	static class Program
	{
		static Small last;

		[MethodImpl(MethodImplOptions.NoInlining)]
		static void Step() { last = new Small { A = last == null ? 0 : last.A + 1 }; }

		[MethodImpl(MethodImplOptions.NoInlining)]
		static double Spin(int steps)
		{
			double sum = 0;
			for (int i = 0; i < steps; i++)
				sum += i * 1.5 + sum * 1e-9;
			return sum;
		}

		static void Work(int steps)
		{
			for (int i = 0; i < steps; i++)
				Step();
			for (DateTime begin = DateTime.UtcNow; (DateTime.UtcNow - begin).TotalMilliseconds < 200;)
				Spin(1000000);
		}

		static void Last() { Work(50); }

		// Limited, in case the process that makes the files has ended.
		static void Await(string name)
		{
			for (int i = 0; i < 20000 && !File.Exists(name); i++)
				Thread.Sleep(10);
		}

		static void Main()
		{
			Work(100);
			File.WriteAllText("first.done", "");
			Await("second");
			Work(1000);
			File.WriteAllText("second.done", "");
			Await("third");
			Last();
			File.WriteAllText("third.done", "");
			Await("end");
		}
	}
}
