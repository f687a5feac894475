# SPDX-License-Identifier: MIT
"""hprof.py FILE: checks the structure of an HPROF 1.0.2 file, and prints its content as lines with tabs.

"class NAME OBJECTS BYTES", "root ADDRESS KIND" or "root CLASS KIND", "static CLASS NAME ADDRESS", "object ADDRESS SIZE
CLASS", "reference ADDRESS LABEL ADDRESS", and "file ID-SIZE SEGMENTS TIME". Sizes are those that readers compute,
multiples of 8.
"""

import os
import struct
import sys

STRING, LOAD_CLASS, TRACE, SEGMENT, END = 0x01, 0x02, 0x05, 0x1C, 0x2C
CLASS, INSTANCE, ARRAY = 0x20, 0x21, 0x22
ROOTS = {
    0x01: ("JNI global", "id"),
    0x02: ("JNI local", 8),
    0x03: ("Java frame", 8),
    0x05: ("sticky class", 0),
    0x06: ("thread block", 4),
    0x07: ("monitor used", 0),
    0x08: ("thread object", 8),
    0xFF: ("unknown", 0),
}
FIELD_SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
MAGIC = b"JAVA PROFILE 1.0.2\0"


def fail(message):
    """Ends the program."""
    sys.exit(f"hprof.py: {message}")


class Dump:
    """A file; the objects of its segments are kept."""

    def __init__(self, file):
        self.file = file
        self.holes = os.open(file.name, os.O_RDONLY)  # The position of file is buffered.
        self.size = os.fstat(file.fileno()).st_size
        self.texts, self.names, self.classes = {}, {}, {}
        self.objects, self.roots, self.references, self.statics = {}, [], [], []
        self.segments = []
        if file.read(len(MAGIC)) != MAGIC:
            fail("wrong magic")
        self.id_size, self.time = struct.unpack(">IQ", file.read(12))
        if self.id_size not in (4, 8):
            fail(f"IDs of {self.id_size} bytes")

    def number(self, size):
        """Reads a number."""
        data = self.file.read(size)
        if len(data) != size:
            fail("truncated")
        return int.from_bytes(data, "big")

    def identifier(self):
        """Reads an ID."""
        return self.number(self.id_size)

    def read(self):
        """Reads all records. The texts and classes come before the segments, which an empty record ends."""
        code = None
        while code != END:
            code = self.number(1)
            if self.number(4) != 0:
                fail("a record has a time")
            length = self.number(4)
            end = self.file.tell() + length
            if code == STRING:
                text = self.identifier()
                if text in self.texts:
                    fail(f"text {text} is defined twice")
                self.texts[text] = self.file.read(length - self.id_size).decode()
            elif code == LOAD_CLASS:
                self.number(4)
                class_id = self.identifier()
                self.number(4)
                self.names[class_id] = self.texts[self.identifier()]
            elif code == TRACE:
                self.file.seek(length, os.SEEK_CUR)
            elif code == SEGMENT:
                if not 0 < length < 2**31:
                    fail(f"a segment of {length} bytes")
                self.segments.append(length)
                while self.file.tell() < end:
                    self.read_part()
            elif code != END or length != 0:
                fail(f"record {code:#x}")
            if self.file.tell() != end:
                fail(f"record {code:#x} does not have the length that it states")
        if self.file.tell() != self.size:
            fail("bytes after the end")

    def read_part(self):
        """Reads a sub-record of a segment."""
        code = self.number(1)
        if code in ROOTS:
            kind, size = ROOTS[code]
            self.roots.append((self.identifier(), kind))
            self.number(self.id_size if size == "id" else size)
        elif code == CLASS:
            self.read_class()
        elif code == INSTANCE:
            self.read_instance()
        elif code == ARRAY:
            self.read_array()
        else:
            fail(f"sub-record {code:#x}")

    def read_class(self):
        """Reads the description of a class."""
        class_id = self.identifier()
        self.number(4)
        parent = self.identifier()
        for _ in range(5):
            self.identifier()
        size = self.number(4)
        if self.number(2) != 0:
            fail("a class has constants")
        for _ in range(self.number(2)):
            name = self.texts[self.identifier()]
            if self.number(1) != 2:
                fail(f"the static field {name} is no reference")
            self.statics.append((class_id, name, self.identifier()))
        fields = []
        for _ in range(self.number(2)):
            text = self.texts[self.identifier()]
            fields.append((text, self.number(1)))
        if class_id not in self.names or class_id in self.classes:
            fail("a class without a name, or that is defined twice")
        if parent == 0 and self.names[class_id] != "java/lang/Object" or parent != 0 and parent not in self.classes:
            fail(f"the parent of {self.names[class_id]}")
        data = sum(FIELD_SIZES.get(kind, self.id_size) for _, kind in fields)
        if size != 2 * self.id_size + data:
            fail(f"the size of {self.names[class_id]}")
        self.classes[class_id] = fields

    def add(self, address, class_id, size):
        """Adds an object."""
        if address == 0 or address in self.objects or address in self.names:
            fail(f"the ID {address:#x}")
        if class_id not in self.classes:
            fail(f"{address:#x} has an unknown class")
        self.objects[address] = (class_id, (size + 7) // 8 * 8)

    def read_instance(self):
        """Reads an object with fields."""
        address = self.identifier()
        self.number(4)
        class_id = self.identifier()
        length = self.number(4)
        start = self.file.tell()
        self.add(address, class_id, 2 * self.id_size + length)
        for name, kind in self.classes[class_id]:
            if kind in FIELD_SIZES:
                if self.number(FIELD_SIZES[kind]) != 0:
                    fail(f"{address:#x}: the field {name} is not 0")
                continue
            self.references.append((address, name, self.identifier()))
        if self.file.tell() != start + length:
            fail(f"{address:#x}: {length} bytes")

    def read_array(self):
        """Reads an object with elements. Most elements of a large one are null."""
        address = self.identifier()
        self.number(4)
        count = self.number(4)
        self.add(address, self.identifier(), 2 * self.id_size + 4 + count * self.id_size)
        start = self.file.tell()
        end = start + count * self.id_size
        while self.file.tell() < end:
            self.skip_hole(start, end)
            position = self.file.tell()
            part = self.file.read(min(1 << 20, end - position))
            if not part:
                fail("truncated")
            if not part.strip(b"\0"):
                continue
            for i in range(0, len(part), self.id_size):
                target = int.from_bytes(part[i : i + self.id_size], "big")
                self.references.append((address, f"[{(position + i - start) // self.id_size}]", target))

    def skip_hole(self, start, end):
        """Skips elements that take no space on the disk."""
        position = self.file.tell()
        data = os.lseek(self.holes, position, os.SEEK_DATA)
        data = min(start + (data - start) // self.id_size * self.id_size, end)
        self.file.seek(max(data, position))

    def check(self):
        """Checks that all IDs are defined."""
        if set(self.names) != set(self.classes):
            fail("a class without a description")
        for address, kind in self.roots:
            if address not in self.objects and (kind != "sticky class" or address not in self.names):
                fail(f"the {kind} root {address:#x} is no object")
        roots = {address for address, _ in self.roots}
        for class_id, name, target in self.statics:
            if target not in self.objects or class_id not in roots:
                fail(f"the static field {name}")
        for address, name, target in self.references:
            if target != 0 and target not in self.objects:
                fail(f"{address:#x}: {name} refers to {target:#x}, which is no object")

    def label(self, address):
        """The address of an object, or the name of a class."""
        return self.names[address].replace("/", ".") if address in self.names else f"{address:x}"

    def print(self):
        """Prints the content."""
        sums = {class_id: [0, 0] for class_id in self.classes}
        for class_id, size in self.objects.values():
            sums[class_id][0] += 1
            sums[class_id][1] += size
        for class_id, (objects, size) in sums.items():
            name = self.names[class_id].replace("/", ".")
            print(f"class\t{name}\t{objects}\t{size}")
        for address, kind in self.roots:
            print(f"root\t{self.label(address)}\t{kind}")
        for class_id, name, target in self.statics:
            print(f"static\t{self.label(class_id)}\t{name}\t{target:x}")
        for address, (class_id, size) in self.objects.items():
            name = self.names[class_id].replace("/", ".")
            print(f"object\t{address:x}\t{size}\t{name}")
        for address, name, target in self.references:
            if target != 0:
                print(f"reference\t{address:x}\t{name}\t{target:x}")
        print(f"file\t{self.id_size}\t{len(self.segments)}\t{self.time}")


def main():
    """Reads and prints."""
    sys.stdout.reconfigure(encoding="utf-8")
    with open(sys.argv[1], "rb") as file:
        dump = Dump(file)
        dump.read()
    dump.check()
    dump.print()


main()
