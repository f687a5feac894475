// SPDX-License-Identifier: MIT
// Prints the addresses of objects after each collection: a line for each object that is kept, with all of them. Many
// objects around them are dropped, so that the collector moves objects of the old generation as well.
using System;
using System.Collections.Generic;

class Item { public int number; }

unsafe class Program
{
	const int Count = 2000;
	static Item[] items = new Item[Count];
	static object[] around = new object[Count * 40];
	static List<ulong>[] addresses = new List<ulong>[Count];

	static void Note()
	{
		for (int i = 0; i < Count; i++) {
			object item = items[i];
			if (item == null)
				continue;
			TypedReference reference = __makeref(item);
			// Mono's TypedReference begins with the type; the address of the variable follows.
			ulong address = (ulong)(*((IntPtr**)(&reference))[1]);
			if (addresses[i].Count == 0 || addresses[i][addresses[i].Count - 1] != address)
				addresses[i].Add(address);
		}
	}

	static void Main()
	{
		for (int i = 0; i < Count; i++) {
			addresses[i] = new List<ulong>();
			items[i] = new Item { number = i };
			for (int j = 0; j < 40; j++)
				around[i * 40 + j] = new Item();
		}
		Note();
		for (int round = 0; round < 4; round++) {
			GC.Collect(0);
			Note();
			for (int i = 0; i < around.Length; i++) {
				if ((i >> round) % 2 == 0)
					around[i] = null;
			}
			GC.Collect();
			Note();
		}
		for (int i = 0; i < Count; i++)
			Console.WriteLine(string.Join(" ", addresses[i].ConvertAll(address => "0x" + address.ToString("x"))));
	}
}
