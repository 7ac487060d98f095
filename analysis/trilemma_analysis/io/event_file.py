"""Event files of TensorBoard: protocol buffers (event.proto, summary.proto) in records with checksums (TFRecord).

Only what scalars and texts need is encoded, by hand, so that no library is needed.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Mapping

VERSION = "brain.Event:2"
POLYNOMIAL = 0x82F63B78  # CRC-32C, bits reversed
MASK_DELTA = 0xA282EAD8
TEXT_TYPE = 7  # DT_STRING of types.proto
# Kinds of field on the wire.
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def event_file(started: float, texts: Mapping[str, str],
               rows: Iterable[tuple[int, float, Mapping[str, float]]]) -> bytes:
    """Returns the content of an event file.

    Args:
        started: Unix time of the first event, which has the texts.
        texts: pages of the text view by tag.
        rows: step, Unix time and scalars by tag of every other event, in the order of steps.
    """
    events = [_event(started, 0, _text_field(3, VERSION))]
    if texts:
        values = b"".join(_bytes_field(1, _text_value(tag, text)) for tag, text in texts.items())
        events.append(_event(started, 0, _bytes_field(5, values)))
    for step, time, scalars in rows:
        values = b"".join(_bytes_field(1, _text_field(1, tag) + _key(2, FIXED32) + _single(value))
                          for tag, value in scalars.items())
        events.append(_event(time, step, _bytes_field(5, values)))
    return b"".join(map(_record, events))


def _single(value: float) -> bytes:
    """Returns a number in 32 bits; infinite beyond its range, as NumPy converts.

    >>> struct.unpack("<2f", _single(1e39) + _single(-1e39))
    (inf, -inf)
    """
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


def _record(data: bytes) -> bytes:
    """Returns a record: length, its checksum, data, their checksum."""
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", _masked(length)) + data + struct.pack("<I", _masked(data))


def _masked(data: bytes) -> int:
    """Returns the checksum of a record: CRC-32C, rotated by 15 bits and shifted by a constant."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + MASK_DELTA) & 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """Returns the CRC-32C (Castagnoli) of bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _of_byte(byte: int) -> int:
    """Returns the entry of the table of CRC-32C for a byte."""
    for _ in range(8):
        byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
    return byte


TABLE = tuple(map(_of_byte, range(256)))


def _event(time: float, step: int, content: bytes) -> bytes:
    """Returns an Event with its wall time and step."""
    return _key(1, FIXED64) + struct.pack("<d", time) + _key(2, VARINT) + _varint(step) + content


def _text_value(tag: str, text: str) -> bytes:
    """Returns a Value of a Summary for the text view: a tensor of one string, with the name of the plugin."""
    tensor = _key(1, VARINT) + _varint(TEXT_TYPE) + _bytes_field(2, b"") + _text_field(8, text)
    return _text_field(1, tag) + _bytes_field(9, _bytes_field(1, _text_field(1, "text"))) + _bytes_field(8, tensor)


def _text_field(number: int, text: str) -> bytes:
    """Returns a field of text in UTF-8."""
    return _bytes_field(number, text.encode("utf-8", "backslashreplace"))


def _bytes_field(number: int, content: bytes) -> bytes:
    """Returns a field of known length: bytes, text or another message."""
    return _key(number, BYTES) + _varint(len(content)) + content


def _key(number: int, kind: int) -> bytes:
    """Returns the key that precedes a field."""
    return _varint(number << 3 | kind)


def _varint(value: int) -> bytes:
    """Returns a natural number, seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
