"""A fake org.freedesktop.login1 (and systemd1) on a private bus, moved by lines on stdin.

It speaks the wire protocol itself, so that it shares nothing with the program that it tests.

    stdin    announce | cancel | forge | delay SECONDS
    stdout   ready | forged | inhibit WHAT WHO MODE | released | reloaded
"""
import os
import select
import socket
import struct
import sys

LOGIN, MANAGER = 'org.freedesktop.login1', 'org.freedesktop.login1.Manager'


def pad(data, size):
    return data + b'\0' * (-len(data) % size)


def text(value):
    raw = value.encode()
    return struct.pack('>I', len(raw)) + raw + b'\0'


def sign(value):
    return struct.pack('B', len(value)) + value.encode() + b'\0'


class Bus:
    """Big-endian on purpose: a client has to read both orders."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.serial, self.data = 0, b''
        self.socket.sendall(b'\0AUTH EXTERNAL ' + str(os.geteuid()).encode().hex().encode() + b'\r\n')
        assert self.line().startswith(b'OK '), 'refused'
        self.socket.sendall(b'NEGOTIATE_UNIX_FD\r\n')
        assert self.line() == b'AGREE_UNIX_FD', 'no descriptors'
        self.socket.sendall(b'BEGIN\r\n')
        daemon = ('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus')
        self.call(*daemon, 'Hello')
        self.daemon = daemon

    def line(self):
        while b'\r\n' not in self.data:
            self.data += self.socket.recv(4096)
        first, self.data = self.data.split(b'\r\n', 1)
        return first

    def send(self, kind, fields, signature='', body=b'', fds=()):
        self.serial += 1
        if signature:
            fields = fields + [(8, 'g', signature)]
        if fds:
            fields = fields + [(9, 'u', len(fds))]
        header = b''
        for code, kind_of, value in fields:
            header = pad(header, 8) + struct.pack('B', code) + sign(kind_of)
            if kind_of == 'g':
                header += sign(value)
            elif kind_of == 'u':
                header = pad(header, 4) + struct.pack('>I', value)
            else:
                header = pad(header, 4) + text(value)
        start = b'B' + struct.pack('BBB', kind, 0, 1) + struct.pack('>III', len(body), self.serial, len(header))
        message = pad(start + header, 8) + body
        if fds:
            socket.send_fds(self.socket, [message], list(fds))
        else:
            self.socket.sendall(message)

    def call(self, to, path, interface, member, signature='', body=b''):
        self.send(1, [(1, 'o', path), (2, 's', interface), (3, 's', member), (6, 's', to)], signature, body)

    def messages(self):
        data = self.socket.recv(65536)
        if not data:
            sys.exit(0)
        self.data += data
        while len(self.data) >= 16:
            order = '<' if self.data[:1] == b'l' else '>'
            size, serial, length = struct.unpack(order + 'III', self.data[4:16])
            start = 16 + length + (-length % 8)
            if len(self.data) < start + size:
                return
            head, body = self.data[:16 + length], self.data[start:start + size]
            kind = self.data[1]
            self.data = self.data[start + size:]
            yield kind, serial, self.fields(head, order), body, order

    @staticmethod
    def fields(head, order):
        found, at = {}, 16
        while at < len(head):
            at += -at % 8
            code, length = head[at], head[at + 1]
            kind = head[at + 2:at + 2 + length].decode()
            at += 3 + length
            if kind == 'g':
                size = head[at]
                found[code] = head[at + 1:at + 1 + size].decode()
                at += 2 + size
                continue
            at += -at % 4
            (number,) = struct.unpack(order + 'I', head[at:at + 4])
            if kind == 'u':
                found[code], at = number, at + 4
            else:
                found[code] = head[at + 4:at + 4 + number].decode()
                at += 5 + number
        return found


def strings(body, order):
    found, at = [], 0
    while at < len(body):
        at += -at % 4
        (size,) = struct.unpack(order + 'I', body[at:at + 4])
        found.append(body[at + 4:at + 4 + size].decode())
        at += 5 + size
    return found


def say(line):
    print(line, flush=True)


def main(path, delay_seconds):
    bus, forger = Bus(path), None
    name = lambda value: pad(text(value), 4) + struct.pack('>I', 0)
    for owned in (LOGIN, 'org.freedesktop.systemd1'):
        bus.call(*bus.daemon, 'RequestName', 'su', name(owned))
    state = {'delay': delay_seconds, 'next': delay_seconds, 'preparing': False}
    locks, caller = [], None
    signal_of = lambda to=None: [(1, 'o', '/org/freedesktop/login1'), (2, 's', MANAGER), (3, 's', 'PrepareForShutdown')] + (
        [(6, 's', to)] if to else [])
    # The bus answers Hello and both requests for a name.
    answers = 0
    while answers < 3:
        answers += sum(1 for kind, *_ in bus.messages() if kind == 2)
    say('ready')
    while True:
        readable, _, _ = select.select([bus.socket, sys.stdin] + locks, [], [])
        for lock in [one for one in locks if one in readable]:
            # Every holder has closed its end.
            os.close(lock)
            locks.remove(lock)
            say('released')
        if sys.stdin in readable:
            line = sys.stdin.readline()
            if not line:
                return
            word, *rest = line.split()
            if word in ('announce', 'cancel'):
                state['preparing'] = word == 'announce'
                bus.send(4, signal_of(), 'b', struct.pack('>I', state['preparing']))
            elif word == 'forge':
                # Another user of the bus: once to all, once to the one who holds the lock.
                forger = forger or Bus(path)
                forger.send(4, signal_of(), 'b', struct.pack('>I', 1))
                forger.send(4, signal_of(caller), 'b', struct.pack('>I', 1))
                say('forged')
            elif word == 'delay':
                state['next'] = int(rest[0])
        if bus.socket not in readable:
            continue
        for kind, serial, fields, body, order in bus.messages():
            if kind != 1:
                continue
            member, caller_now = fields.get(3), fields[7]
            reply = [(5, 'u', serial), (6, 's', caller_now)]
            if member == 'Get':
                wanted = strings(body, order)[1]
                if wanted == 'InhibitDelayMaxUSec':
                    value = pad(sign('t'), 8) + struct.pack('>Q', state['delay'] * 1000000)
                else:
                    value = pad(sign('b'), 4) + struct.pack('>I', state['preparing'])
                bus.send(2, reply, 'v', value)
            elif member == 'KillUnit':
                state['delay'] = state['next']
                bus.send(2, reply)
                say('reloaded')
            elif member == 'Inhibit':
                what, who, _why, mode = strings(body, order)
                caller = caller_now
                ours, theirs = os.pipe()
                bus.send(2, reply, 'h', struct.pack('>I', 0), [theirs])
                os.close(theirs)
                locks.append(ours)
                say(f'inhibit {what} {who} {mode}')
            else:
                bus.send(3, reply + [(4, 's', 'org.freedesktop.DBus.Error.UnknownMethod')], 's', text('no such method'))


main(sys.argv[1], int(sys.argv[2]))
