// SPDX-License-Identifier: MIT
// A server without a network: requests come in on threads of a pool, and one kind of them formats far too much.
using System;
using System.Text;
using System.Threading;

static class Server {
	static readonly CountdownEvent left = new CountdownEvent(200);

	static string FormatReport()
	{
		var text = new StringBuilder();

		for (int i = 0; i < 4000; i++)
			text.Append(i.ToString("N2")).Append(';');
		return text.ToString();
	}

	static string FindUser(int number)
	{
		return "user " + number;
	}

	static void Answer(object request)
	{
		int number = (int)request;

		if (number % 4 == 0)
			FormatReport();
		else
			FindUser(number);
		left.Signal();
	}

	static void Main()
	{
		for (int i = 0; i < 200; i++)
			ThreadPool.QueueUserWorkItem(Answer, i);
		left.Wait();
	}
}
