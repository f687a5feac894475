// SPDX-License-Identifier: MIT
// Monitors held by known threads: each of three threads is waited for a number of times known beforehand.
using System;
using System.Threading;

namespace Holders
{
	class Gate { }

	class Holder
	{
		// Waits for the holder's turns: how often it holds the gate, and how many threads wait each time.
		readonly int turns;
		readonly int waiting;

		Holder(int turns, int waiting)
		{
			this.turns = turns;
			this.waiting = waiting;
		}

		static readonly Gate gate = new Gate();
		static int entered;

		static void Enter()
		{
			lock (gate)
				entered++;
		}

		static void WaitUntilBlocked(Thread thread)
		{
			while ((thread.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep(1);
		}

		void Run()
		{
			for (int turn = 0; turn < turns; turn++) {
				Thread[] threads = new Thread[waiting];
				lock (gate) {
					for (int i = 0; i < waiting; i++) {
						threads[i] = new Thread(Enter);
						threads[i].Start();
						WaitUntilBlocked(threads[i]);
					}
				}
				foreach (Thread thread in threads)
					thread.Join();
			}
		}

		static void Hold(string name, int turns, int waiting)
		{
			Thread thread = new Thread(new Holder(turns, waiting).Run);
			thread.Name = name;
			thread.Start();
			thread.Join();
			Console.WriteLine("{0}\t{1}", name, turns * waiting);
		}

		static void Main()
		{
			Hold("first", 10, 1);
			Hold("second", 4, 5);
			Hold("third", 1, 3);
			if (entered != 33)
				throw new Exception("the program is wrong");
		}
	}
}
