// SPDX-License-Identifier: MIT
// A program with all that the help topics are about: a leak, a method that takes long, collections, a lock that two
// threads wait for, and an async method that waits.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

public class Leaked {
	public byte[] Data = new byte[2000];
}

public class Gate {
}

public static class Topics {
	static readonly List<Leaked> kept = new List<Leaked>();
	static readonly Gate gate = new Gate();
	static double sum;

	static void Compute(int milliseconds)
	{
		var watch = Stopwatch.StartNew();
		while (watch.ElapsedMilliseconds < milliseconds)
			for (int i = 1; i < 1000; i++)
				sum += Math.Sqrt(i);
	}

	static void Leak()
	{
		for (int i = 0; i < 300; i++)
			kept.Add(new Leaked());
	}

	static void Hold()
	{
		for (int i = 0; i < 5; i++)
			lock (gate)
				Thread.Sleep(20);
	}

	static async Task Answer()
	{
		for (int i = 0; i < 5; i++)
			await Task.Delay(20);
	}

	public static void Main()
	{
		for (int round = 0; round < 4; round++) {
			Leak();
			GC.Collect();
		}
		var other = new Thread(Hold);
		other.Start();
		Hold();
		other.Join();
		Answer().Wait();
		Compute(400);
	}
}
