// SPDX-License-Identifier: MIT
// Objects whose finalizers run, once each, and some whose finalizers are suppressed.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Finalizers
{
	class Mortal
	{
		public static int Died;
		~Mortal() { Interlocked.Increment(ref Died); }
	}

	class Exempt
	{
		~Exempt() { Mortal.Died += 1000000; }
	}

	class Program
	{
		const int Mortals = 500;
		const int Exempts = 100;

		// On a thread that ends, so that no address is left on a stack that is scanned.
		static void Make()
		{
			for (int i = 0; i < Mortals; i++)
				new Mortal();
			for (int i = 0; i < Exempts; i++)
				GC.SuppressFinalize(new Exempt());
		}

		static void Main()
		{
			Thread maker = new Thread(Make);
			maker.Start();
			maker.Join();
			for (int i = 0; i < 100 && Mortal.Died < Mortals; i++) {
				GC.Collect();
				GC.WaitForPendingFinalizers();
			}
			// Objects that an address on a stack keeps alive are finalized at the end of the program.
			Console.WriteLine("finalizer\tFinalizers.Mortal\t" + Mortals);
			Console.WriteLine("finalizer\tFinalizers.Exempt\t0");
			Console.WriteLine("calls\tFinalizers.Mortal\tFinalize ()\t" + Mortals);
			Console.WriteLine("allocations\tFinalizers.Mortal\t" + Mortals + "\t" + Mortals * 16);
			Console.WriteLine("equal\tfinalizer-start\tfinalizer-end");
		}
	}
}
