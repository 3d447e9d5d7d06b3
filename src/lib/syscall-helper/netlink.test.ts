import { expect, test } from 'vitest';
import { address, bridge, defaultRoute, deleteLink, linkUp, veth } from './netlink.ts';

/** Its length, its type and the length of each of its attributes, from the first of them. */
function outline(message: unknown, firstAttribute: number): readonly unknown[] {
  if (!(message instanceof Buffer)) throw new Error('not a message');
  const found: (readonly [type: number, length: number])[] = [];
  for (let at = firstAttribute; at < message.length;) {
    const length = message.readUInt16LE(at);
    found.push([message.readUInt16LE(at + 2), length]);
    at += Math.ceil(length / 4) * 4;
  }
  expect(message.readUInt32LE(0)).toBe(message.length);
  return [message.readUInt16LE(4), found];
}

test('a pair of interfaces has a name at either end, and the process inside in its last four bytes', () => {
  const [, socket, message, , , offset, pid] = veth('machine', 'pk1', 'eth0', '10.1.2.3');
  expect(socket).toBe('machine');
  expect(outline(message, 32)).toEqual([
    16,
    [
      [3, 8],
      [18, 72],
    ],
  ]);
  expect([offset, pid]).toEqual([message instanceof Buffer && message.length - 4, '%PID%']);
});

test('a bridge is made by its kind, and an interface is deleted by its name', () => {
  expect(outline(bridge('machine', 'pk-1', '10.1.2.1')[2], 32)).toEqual([
    16,
    [
      [1, 10],
      [3, 9],
      [18, 16],
    ],
  ]);
  expect(outline(deleteLink('machine', 'pk-1')[2], 32)).toEqual([17, [[3, 9]]]);
});

test('an interface is switched on, and joined to a bridge if there is one', () => {
  expect(outline(linkUp('pod', 'lo')[2], 32)).toEqual([16, [[3, 7]]]);
  expect(outline(linkUp('machine', 'pk1', 5)[2], 32)).toEqual([
    16,
    [
      [3, 8],
      [10, 8],
    ],
  ]);
});

test('an address is for an interface whose number is filled in later', () => {
  const [, , message, name, offset] = address('pod', 'eth0', '10.1.2.3', 24);
  expect([name, offset]).toEqual(['eth0', 20]);
  expect(outline(message, 24)).toEqual([
    20,
    [
      [2, 8],
      [1, 8],
    ],
  ]);
  expect(message instanceof Buffer && [...message.subarray(28, 32)]).toEqual([10, 1, 2, 3]);
});

test('a route to everywhere leads through a gateway', () => {
  expect(outline(defaultRoute('pod', '10.1.2.1')[2], 28)).toEqual([24, [[5, 8]]]);
});

test('hardware addresses follow from IPs, so that they stay when pods come and go', () => {
  const inOrder = (message: unknown, bytes: readonly number[]): boolean =>
    message instanceof Buffer && message.includes(Buffer.from(bytes));
  expect(inOrder(bridge('machine', 'pk-1', '10.1.2.1')[2], [0x0a, 0x58, 10, 1, 2, 1])).toBe(true);
  const pair = veth('machine', 'pk1', 'eth0', '10.1.2.3')[2];
  expect(inOrder(pair, [0x0a, 0x58, 10, 1, 2, 3])).toBe(true);
});
