// SPDX-License-Identifier: MIT
// Domains that are made, used and unloaded, one after the other, so that memory of names is used again.
using System;
using System.Threading;

namespace Domains
{
	class Token { }

	public class Worker : MarshalByRefObject
	{
		static object sink;

		static int Step(int n) { return n + 1; }

		static int Throw(int rounds)
		{
			int caught = 0;
			for (int i = 0; i < rounds; i++) {
				try { Monitor.Exit(new object()); } catch (SynchronizationLockException) { caught++; }
				try { int.Parse("x"); } catch (FormatException) { caught++; }
			}
			return caught;
		}

		public int Work(int rounds)
		{
			Throw(rounds / 10);
			int sum = 0;
			for (int i = 0; i < rounds; i++) {
				sum = Step(sum);
				sink = new Token();
			}
			return sum;
		}
	}

	class Program
	{
		const int Rounds = 5;

		static void Main()
		{
			new Worker().Work(50);
			for (int i = 0; i < Rounds; i++) {
				AppDomain domain = AppDomain.CreateDomain("domain " + i);
				Worker worker = (Worker)domain.CreateInstanceAndUnwrap(typeof(Worker).Assembly.FullName,
					typeof(Worker).FullName);
				worker.Work(100);
				AppDomain.Unload(domain);
			}
			new Worker().Work(50);

			int steps = Rounds * 100 + 100;
			Console.WriteLine("calls\tDomains.Worker\tStep (int)\t" + steps);
			Console.WriteLine("allocations\tDomains.Token\t" + steps + "\t" + steps * 16);
			Console.WriteLine("exception\tSystem.FormatException\t" + steps / 10);
			Console.WriteLine("exception\tSystem.Threading.SynchronizationLockException\t" + steps / 10);
			Console.WriteLine("domain\tDomains.exe\t0");
			for (int i = 0; i < Rounds; i++)
				Console.WriteLine("domain\tdomain " + i + "\t1");
			Console.WriteLine("loaded\t" + (1 + Rounds));
			Console.WriteLine("unloaded\t" + Rounds);
		}
	}
}
