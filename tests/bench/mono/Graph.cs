// SPDX-License-Identifier: MIT
// A heap of a million linked objects, collected a number of times.
using System;
using System.Threading;

class Node { public Node A, B, C; public int Number; }

class Program
{
	static Node[] nodes = new Node[1000000];

	static void Main()
	{
		Random random = new Random(1);
		for (int i = 0; i < nodes.Length; i++)
			nodes[i] = new Node { Number = i };
		foreach (Node node in nodes) {
			node.A = nodes[random.Next(nodes.Length)];
			node.B = nodes[random.Next(nodes.Length)];
			node.C = nodes[random.Next(nodes.Length)];
		}
		for (int i = 0; i < 9; i++) {
			GC.Collect();
			// Time for the last shot to be written
			Thread.Sleep(200);
		}
		GC.KeepAlive(nodes);
	}
}
