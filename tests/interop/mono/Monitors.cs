// SPDX-License-Identifier: MIT
// Monitors that are contended a number of times known beforehand: won in the end, or given up.
using System;
using System.Threading;

namespace Monitors
{
	class Gate { }
	class Wall { }

	class Program
	{
		const int Won = 20;
		const int GivenUp = 15;

		static readonly Gate gate = new Gate();
		static readonly Wall wall = new Wall();
		static int entered;

		static void Enter()
		{
			lock (gate)
				entered++;
		}

		static void GiveUp()
		{
			if (!Monitor.TryEnter(wall, 5))
				Interlocked.Decrement(ref entered);
		}

		static void WaitUntilBlocked(Thread thread)
		{
			while ((thread.ThreadState & ThreadState.WaitSleepJoin) == 0)
				Thread.Sleep(1);
			// It is about to wait, and may not be in the list of those that wait yet.
			Thread.Sleep(2);
		}

		static void Main()
		{
			for (int i = 0; i < Won; i++) {
				Thread thread = new Thread(Enter);
				lock (gate) {
					thread.Start();
					WaitUntilBlocked(thread);
				}
				thread.Join();
			}
			lock (wall) {
				for (int i = 0; i < GivenUp; i++) {
					Thread thread = new Thread(GiveUp);
					thread.Start();
					thread.Join();
				}
			}
			if (entered != Won - GivenUp)
				throw new Exception("the program is wrong");
			Console.WriteLine("monitor\tMonitors.Gate\t" + Won + "\t" + Won + "\t0");
			Console.WriteLine("monitor\tMonitors.Wall\t" + GivenUp + "\t0\t" + GivenUp);
			Console.WriteLine("calls\tMonitors.Program\tEnter ()\t" + Won);
			Console.WriteLine("calls\tMonitors.Program\tGiveUp ()\t" + GivenUp);
		}
	}
}
