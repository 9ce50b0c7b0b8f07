"""Every control frame that goes over the loopback of a network of its own, as the kernel shows it:
a witness that is none of the product's.

In the process that makes it, and in all that it starts from then on, there is no other network.
Needs root. Times are seconds by the kernel's clock, when a frame was sent.
"""

import ctypes
import os
import socket
import struct
import threading
from dataclasses import dataclass

CLONE_NEWNET = 0x40000000
ETH_P_IP, PACKET_HOST = 0x0800, 0
SOL_PACKET, PACKET_STATISTICS = 263, 6
SO_TIMESTAMPNS, SO_RCVBUFFORCE = 35, 33
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
ETHERNET_BYTES, UDP_BYTES = 14, 8
MAGIC = 0x4648
HEARTBEAT, OBSERVE, NOTICE, ACKNOWLEDGEMENT, DIFFERENCE, JOIN = range(1, 7)
BUFFER_BYTES = 64 << 20


class NotAllowed(Exception):
    """This machine or user may not have a network of its own."""


@dataclass(frozen=True)
class Frame:
    at: float
    type: int
    size: int  # of the datagram's payload
    sender: int
    receiver: int


def leave_network():
    """Into a network that has nothing but a loopback."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise NotAllowed(f"no network of its own: {os.strerror(ctypes.get_errno())}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        name = b"lo".ljust(16, b"\0")
        libc.ioctl(any_socket.fileno(), SIOCSIFFLAGS, struct.pack("16sh22x", name, IFF_UP))


class Witness:
    """Sees frames from its making to `end`."""

    def __init__(self):
        self._frames, self._strangers = [], 0
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_IP))
        self._socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        self._socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self._socket.bind(("lo", ETH_P_IP))
        self._socket.settimeout(0.2)
        self._ended = False
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        while True:
            try:
                packet, ancillary, _, source = self._socket.recvmsg(65536, 64)
            except TimeoutError:
                if self._ended:
                    return
                continue
            if source[2] == PACKET_HOST:
                self._take(packet[ETHERNET_BYTES:], ancillary)

    def _take(self, packet, ancillary):
        if packet[9] == socket.IPPROTO_ICMP:  # the kernel's word that nobody listens any more
            return
        payload = packet[(packet[0] & 15) * 4 + UDP_BYTES:]
        if packet[9] != socket.IPPROTO_UDP or len(payload) < 48 or \
                struct.unpack_from("<H", payload)[0] != MAGIC:
            self._strangers += 1
            return
        seconds, nanoseconds = struct.unpack("qq", ancillary[0][2])
        sender, _, receiver = struct.unpack_from("<III", payload, 12)
        self._frames.append(Frame(seconds + nanoseconds / 1e9, payload[3], len(payload), sender,
                                  receiver))

    def end(self):
        """(frames, how many packets were anything else, how many were lost to this witness)"""
        self._ended = True
        self._reader.join()
        _, lost = struct.unpack("II", self._socket.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self._socket.close()
        return self._frames, self._strangers, lost
