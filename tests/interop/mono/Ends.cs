// SPDX-License-Identifier: MIT
// Ends in the way that its argument specifies, while other threads run.
using System;
using System.Threading;

namespace Ends
{
	class Program
	{
		static int Step(int n) { return n + 1; }

		static void Forever()
		{
			for (int n = 0;; Thread.SpinWait(20))
				n = Step(n);
		}

		static void ExitFromThread()
		{
			Thread.Sleep(50);
			Environment.Exit(7);
		}

		static void Throw() { throw new InvalidOperationException("not caught, on purpose"); }

		static void StartForever(bool background)
		{
			for (int i = 0; i < 2; i++)
				new Thread(Forever) { IsBackground = background }.Start();
			Thread.Sleep(50);
		}

		static void Main(string[] arguments)
		{
			for (int i = 0; i < 1000; i++)
				Step(i);
			switch (arguments[0]) {
			case "return":
				break;
			case "many":
				for (int i = 0; i < 100000; i++)
					Step(i);
				break;
			case "background":
				StartForever(true);
				break;
			case "exit":
				StartForever(false);
				Environment.Exit(7);
				break;
			case "exit-thread":
				StartForever(true);
				new Thread(ExitFromThread).Start();
				Thread.Sleep(Timeout.Infinite);
				break;
			case "unhandled":
				StartForever(true);
				Throw();
				break;
			case "unhandled-thread":
				new Thread(Throw).Start();
				Thread.Sleep(Timeout.Infinite);
				break;
			case "forever":
				Forever();
				break;
			}
		}
	}
}
