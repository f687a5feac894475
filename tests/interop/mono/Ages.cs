// SPDX-License-Identifier: MIT
// Objects whose ages in collections are known. A second thread allocates between the collections and records nothing
// else, so that its log has no times of its own.
using System;
using System.Runtime.CompilerServices;
using System.Threading;

class Young { long value; }
class Old { long first, second; }
class Kept { long first, second, third; }
class Other { long first, second, third, fourth; }

static class Ages
{
	const int Rounds = 4;
	static object[] old, kept;
	static object last;
	static readonly SemaphoreSlim begin = new SemaphoreSlim(0), end = new SemaphoreSlim(0);

	// The stack is scanned conservatively: objects are allocated deeper than anything that runs during a collection.
	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeYoung(int depth, int count)
	{
		if (depth > 0) {
			MakeYoung(depth - 1, count);
			return;
		}
		for (int i = 0; i < count; i++)
			last = new Young();
		last = null;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void Fill(object[] array, bool isOld)
	{
		for (int i = 0; i < array.Length; i++)
			array[i] = isOld ? (object)new Old() : new Kept();
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static int Overwrite(int depth)
	{
		return depth == 0 ? 1 : Overwrite(depth - 1) + 1;
	}

	[MethodImpl(MethodImplOptions.NoInlining)]
	static void MakeOther()
	{
		object other = null;
		for (int i = 0; i < 300; i++)
			other = new Other();
		GC.KeepAlive(other);
	}

	static void Work()
	{
		for (int round = 0; round < Rounds; round++) {
			begin.Wait();
			MakeOther();
			Overwrite(50);
			end.Release();
		}
	}

	static void Main()
	{
		Thread worker = new Thread(Work);
		worker.Start();
		old = new object[200];
		kept = new object[100];
		Fill(old, true);
		Fill(kept, false);
		for (int round = 0; round < Rounds; round++) {
			MakeYoung(round * 5, 1000);
			begin.Release();
			end.Wait();
			if (round == Rounds - 1)
				old = null;
			Overwrite(100);
			GC.Collect();
		}
		worker.Join();
		GC.KeepAlive(kept);
		Console.WriteLine("Young {0} 0 0 {0}", Rounds * 1000);
		Console.WriteLine("Other {0} 0 0 {0}", Rounds * 300);
		Console.WriteLine("Old 200 {0} 0 0", 200 * (Rounds - 1));
		Console.WriteLine("Kept 100 all 100 0");
	}
}
