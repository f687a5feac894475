// SPDX-License-Identifier: MIT
// Domains that are loaded, run and unloaded by several threads at once, while others go on in the first one.
using System;
using System.Threading;

namespace Unloading
{
	class Token { }

	public class Worker : MarshalByRefObject
	{
		static object sink;

		static int Step(int n) { return n + 1; }

		public int Work(int rounds)
		{
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
		const int Loaders = 2;
		const int Rounds = 6;
		const int Work = 200;

		static int steady;
		static volatile bool stop;

		static int Steady(int n) { return n ^ 1; }

		static void RunSteadily()
		{
			int n = 0;
			while (!stop) {
				for (int i = 0; i < 10; i++) {
					n = Steady(n);
					new Worker().Work(1);
				}
				Interlocked.Add(ref steady, 10);
				Thread.Sleep(1);
			}
		}

		static void LoadAndUnload(object number)
		{
			for (int i = 0; i < Rounds; i++) {
				AppDomain domain = AppDomain.CreateDomain("domain " + number + "." + i);
				Worker worker = (Worker)domain.CreateInstanceAndUnwrap(typeof(Worker).Assembly.FullName,
					typeof(Worker).FullName);
				worker.Work(Work);
				AppDomain.Unload(domain);
			}
		}

		static void Main()
		{
			Thread runner = new Thread(RunSteadily);
			Thread[] loaders = new Thread[Loaders];

			runner.Start();
			for (int i = 0; i < Loaders; i++) {
				loaders[i] = new Thread(LoadAndUnload);
				loaders[i].Start(i);
			}
			foreach (Thread loader in loaders)
				loader.Join();
			stop = true;
			runner.Join();

			int steps = Loaders * Rounds * Work + steady;
			Console.WriteLine("calls\tUnloading.Program\tSteady (int)\t" + steady);
			Console.WriteLine("calls\tUnloading.Worker\tStep (int)\t" + steps);
			Console.WriteLine("allocations\tUnloading.Token\t" + steps + "\t" + steps * 16);
			Console.WriteLine("loaded\t" + (1 + Loaders * Rounds));
			Console.WriteLine("unloaded\t" + Loaders * Rounds);
		}
	}
}
