// SPDX-License-Identifier: MIT
// Runs a GTK program and operates it as a user would: the program's own code runs in this
// process, and the results are read from its lists.
//
// usage: Windows.exe PROGRAM ARGUMENT... -- STEP...
//
//   open FILE        emveepee: menu Open, and the file in the dialog
//   run FILE TYPE    emveepee: menu New, the assembly and the type in the dialog ("Allocations, off": not enabled at first)
//   logging          emveepee: menu Logging enabled
//   load ROW         heap viewer: context menu of a row of the tree, Load block data
//   select ROW       heap viewer: a click on a row of the tree
//   until TEXT       waits until a row holds the text
//   rows             prints the rows of all lists: how deep it is, and its cells
//   say TEXT         prints the text
//   when FILE        waits until there is such a file
//   make FILE        makes an empty file
//   quit             closes the window
//
// A step that takes too long and an unhandled exception end it with status 1.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using Gtk;

static class Windows
{
	const int Patience = 60; // Seconds for a step
	const int Tick = 50; // Milliseconds from one look to the next
	const int Deepest = 40;

	static string step = "start";
	static DateTime begun;

	[DllImport("libgdk-x11-2.0.so.0")]
	static extern bool gdk_test_simulate_button(IntPtr window, int x, int y, uint button, uint modifiers, int type);

	static void Fail(string why)
	{
		Console.WriteLine("failed: {0}: {1}", step, why);
		Console.Out.Flush();
		Environment.Exit(1);
	}

	static IEnumerable<Widget> All(Widget widget)
	{
		yield return widget;
		Container container = widget as Container;
		if (container == null)
			yield break;
		// What a container made for itself is not among its children; menus hang on their items.
		List<Widget> children = new List<Widget>();
		container.Forall(child => children.Add(child));
		foreach (Widget child in children)
			foreach (Widget inner in All(child))
				yield return inner;
		MenuItem item = widget as MenuItem;
		if (item != null && item.Submenu != null)
			foreach (Widget inner in All(item.Submenu))
				yield return inner;
	}

	static IEnumerable<T> Shown<T>(Predicate<T> fits) where T : Widget
	{
		foreach (Window window in Window.ListToplevels())
			if (window.IsMapped)
				foreach (Widget widget in All(window))
					if (widget is T && fits((T)widget))
						yield return (T)widget;
	}

	static T Find<T>(Predicate<T> fits) where T : Widget
	{
		foreach (T widget in Shown(fits))
			return widget;
		return null;
	}

	static T Find<T>() where T : Widget
	{
		return Find<T>(widget => true);
	}

	// What opens a dialog returns only when that is closed.
	static void Later(System.Action act)
	{
		GLib.Idle.Add(delegate { act(); return false; });
	}

	static string Cell(TreeView view, TreeModel model, TreeIter iter, TreeViewColumn column)
	{
		column.CellSetCellData(model, iter, model.IterHasChild(iter), false);
		foreach (CellRenderer renderer in column.CellRenderers)
			if (renderer is CellRendererText)
				return ((CellRendererText)renderer).Text ?? "";
		return "";
	}

	static void Rows(TreeView view, TreeModel model, TreeIter iter, int depth, List<string> rows)
	{
		do {
			string row = depth.ToString();
			foreach (TreeViewColumn column in view.Columns)
				row += "\t" + Cell(view, model, iter, column);
			rows.Add(row);
			TreeIter child;
			if (depth < Deepest && model.IterChildren(out child, iter))
				Rows(view, model, child, depth + 1, rows);
		} while (model.IterNext(ref iter));
	}

	static List<string> Rows()
	{
		List<string> rows = new List<string>();
		foreach (TreeView view in Shown<TreeView>(view => view.IsMapped && view.Model != null)) {
			TreeIter first;
			if (view.Model.GetIterFirst(out first))
				Rows(view, view.Model, first, 0, rows);
		}
		return rows;
	}

	static bool Holds(string text)
	{
		return Rows().Exists(row => row.Contains(text));
	}

	static MenuItem Item(string name)
	{
		return Find<MenuItem>(item => item.Name == name);
	}

	static Button Button(Window window, string label)
	{
		foreach (Widget widget in All(window))
			if (widget is Button && ((Button)widget).Label == label)
				return (Button)widget;
		return null;
	}

	static void Press(TreeView view, TreePath path, uint button)
	{
		Gdk.Rectangle area = view.GetCellArea(path, view.Columns[0]);
		gdk_test_simulate_button(view.BinWindow.Handle, area.X + 5, area.Y + area.Height / 2, button, 0, 4);
		gdk_test_simulate_button(view.BinWindow.Handle, area.X + 5, area.Y + area.Height / 2, button, 0, 7);
	}

	static bool IsSelected(TreeView view, TreePath path)
	{
		return view.Selection.PathIsSelected(path);
	}

	// GTK# 2.12.40, which Debian has, forgets the store that a NodeView is given: when asked for it, it returns
	// none. The heap viewer asks at the first click, on any log, and ends. So the view is given one that it remembers.
	static void KeepStore()
	{
		NodeView list = Find<NodeView>(view => view.Name == "PerClassStatistics");
		System.Type explorer = list.Parent.Parent.Parent.GetType();
		if (list.NodeStore != null)
			return;
		NodeStore store = new NodeStore(explorer.Assembly.GetType(explorer.FullName + "+StatisticsNode"));
		list.NodeStore = store;
		typeof(NodeView).GetField("store", BindingFlags.Instance | BindingFlags.NonPublic).SetValue(list, store);
	}

	// Each yields as long as it waits.

	static IEnumerable<bool> Open(string file)
	{
		while (Item("OpenAction") == null)
			yield return true;
		Later(Item("OpenAction").Activate);
		FileChooserDialog dialog;
		while ((dialog = Find<FileChooserDialog>()) == null)
			yield return true;
		dialog.SetFilename(file);
		while (dialog.Filename != file)
			yield return true;
		Button(dialog, Stock.Open).Click();
		while (Find<FileChooserDialog>() != null)
			yield return true;
	}

	static IEnumerable<bool> Run(string file, string type)
	{
		bool off = type.EndsWith(", off");
		while (Item("NewAction") == null)
			yield return true;
		Later(Item("NewAction").Activate);
		Dialog dialog;
		while ((dialog = Find<Dialog>(found => found.Title == "Profile Options")) == null)
			yield return true;
		ComboBox types = Find<ComboBox>(combo => combo.Toplevel == dialog && !(combo.Parent is FileChooserButton));
		TreeIter iter;
		types.Model.GetIterFirst(out iter);
		while ((string)types.Model.GetValue(iter, 0) != type.Replace(", off", ""))
			if (!types.Model.IterNext(ref iter))
				Fail("no such type");
		types.SetActiveIter(iter);
		Find<CheckButton>(check => check.Toplevel == dialog).Active = !off;
		Find<FileChooserButton>(button => button.Toplevel == dialog).SetFilename(file);
		while (!Button(dialog, Stock.Execute).Sensitive)
			yield return true;
		Button(dialog, Stock.Execute).Click();
		while (Find<Dialog>(found => found.Title == "Profile Options") != null)
			yield return true;
	}

	// A click may come before its window is there to take it, so it comes again every second.
	static IEnumerable<bool> Click(TreeView view, TreePath path, uint button, Func<bool> hasWorked)
	{
		int tick = 0;
		do {
			if (tick++ % (1000 / Tick) == 0)
				Press(view, path, button);
			yield return true;
		} while (!hasWorked());
	}

	static IEnumerable<bool> Select(string row)
	{
		TreePath path = new TreePath(row);
		TreeView tree;
		TreeIter iter;
		while ((tree = Find<TreeView>(view => view.Name == "Tree")) == null || tree.Model == null ||
		       !tree.Model.GetIter(out iter, path))
			yield return true;
		KeepStore();
		tree.ScrollToCell(path, null, false, 0, 0);
		yield return true;
		foreach (bool wait in Click(tree, path, 1, () => IsSelected(tree, path)))
			yield return wait;
	}

	static IEnumerable<bool> Load(string row)
	{
		foreach (bool wait in Select(row))
			yield return wait;
		TreeView tree = Find<TreeView>(view => view.Name == "Tree");
		Func<MenuItem> load = () => Find<MenuItem>(entry => entry.Child is Label && entry.IsMapped &&
								   ((Label)entry.Child).Text == "Load block data");
		foreach (bool wait in Click(tree, new TreePath(row), 3, () => load() != null))
			yield return wait;
		MenuItem item = load();
		item.Activate();
		((MenuShell)item.Parent).Deactivate();
		yield return true;
		// What is shown of it on the right comes with the selection.
		tree.Selection.UnselectAll();
		foreach (bool wait in Select(row))
			yield return wait;
	}

	static IEnumerable<bool> Logging()
	{
		bool done = false;
		while (Item("LogEnabledAction") == null)
			yield return true;
		Later(() => { Item("LogEnabledAction").Activate(); done = true; });
		while (!done)
			yield return true;
	}

	static IEnumerable<bool> While(Func<bool> waits)
	{
		while (waits())
			yield return true;
	}

	static IEnumerable<bool> Now(System.Action act)
	{
		act();
		yield break;
	}

	static IEnumerable<bool> Next(Queue<string> words)
	{
		string word = words.Dequeue();

		step = word;
		switch (word) {
		case "quit":
			return Now(Application.Quit);
		case "rows":
			return Now(() => Rows().ForEach(Console.WriteLine));
		case "logging":
			return Logging();
		}
		string value = words.Dequeue();
		step += " " + value;
		switch (word) {
		case "open":
			return Open(value);
		case "run":
			return Run(value, words.Dequeue());
		case "load":
			return Load(value);
		case "select":
			return Select(value);
		case "until":
			return While(() => !Holds(value));
		case "when":
			return While(() => !File.Exists(value));
		case "make":
			return Now(() => File.WriteAllText(value, ""));
		case "say":
			return Now(() => Console.WriteLine(value));
		}
		Fail("no such step");
		return null;
	}

	static IEnumerator<bool> Walk(Queue<string> words)
	{
		while (words.Count > 0) {
			begun = DateTime.UtcNow;
			foreach (bool wait in Next(words))
				yield return wait;
		}
	}

	static void Main(string[] arguments)
	{
		int end = Array.IndexOf(arguments, "--");
		string[] given = new string[end - 1];
		Array.Copy(arguments, 1, given, 0, end - 1);
		Queue<string> words = new Queue<string>();
		for (int i = end + 1; i < arguments.Length; i++)
			words.Enqueue(arguments[i]);

		GLib.ExceptionManager.UnhandledException += delegate(GLib.UnhandledExceptionArgs args) {
			Fail(args.ExceptionObject.ToString());
		};
		IEnumerator<bool> walk = Walk(words);
		begun = DateTime.UtcNow;
		GLib.Timeout.Add(Tick, delegate {
			if ((DateTime.UtcNow - begun).TotalSeconds > Patience)
				Fail("takes too long");
			return walk.MoveNext();
		});
		AppDomain.CurrentDomain.ExecuteAssembly(arguments[0], given);
		if (words.Count > 0)
			Fail("the program has ended");
		Console.WriteLine("done");
	}
}
