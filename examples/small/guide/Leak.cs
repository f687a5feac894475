// SPDX-License-Identifier: MIT
// A shop that forgets nothing: each order stays in a history, which a static field keeps.
using System;
using System.Collections.Generic;

class Order {
	public readonly byte[] Lines = new byte[500];
}

static class History {
	static readonly List<Order> orders = new List<Order>();

	public static void Add(Order order)
	{
		orders.Add(order);
	}
}

static class Leak {
	static void Serve(int count)
	{
		for (int i = 0; i < count; i++)
			History.Add(new Order());
	}

	static void Main()
	{
		for (int day = 0; day < 6; day++) {
			Serve(500);
			GC.Collect();
		}
	}
}
