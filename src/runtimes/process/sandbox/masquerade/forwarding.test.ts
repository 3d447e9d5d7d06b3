import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../../../test/support/temp-folder.ts';
import { Forwarding } from './forwarding.ts';

/** Two podkeeps, and an interface of each kind. */
function machine() {
  const root = makeTempFolder();
  const [folder, settings] = [path.join(root, 'run'), path.join(root, 'conf')];
  const setting = (name: string): string => path.join(settings, name, 'forwarding');
  for (const [name, value] of [
    ['eth0', '0'],
    ['eth1', '1'],
    ['pk-a', '1'],
    ['pk-b', '1'],
  ] as const) {
    mkdirSync(path.join(settings, name), { recursive: true });
    writeFileSync(setting(name), `${value}\n`);
  }
  const podkeep = (key: string): Forwarding => new Forwarding({ key, folder, settings });
  const valueOf = (name: string): string => readFileSync(setting(name), 'utf8').trim();
  return { podkeep, valueOf, folder, settings };
}

function openAll(forwarding: Forwarding): void {
  for (const name of ['eth0', 'eth1']) {
    forwarding.hold(name);
    forwarding.open(name);
  }
}

test('an interface forwards while it is held, and then gets its old setting back', () => {
  const { podkeep, valueOf, folder } = machine();
  const one = podkeep('a');
  openAll(one);
  expect([valueOf('eth0'), valueOf('eth1')]).toEqual(['1', '1']);
  expect([one.isOpened('eth0'), one.isOpened('eth1')]).toEqual([true, false]);
  for (const name of one.held) one.release(name);
  expect([valueOf('eth0'), valueOf('eth1')]).toEqual(['0', '1']);
  expect(existsSync(folder)).toBe(false);
});

test('of two podkeeps the last one restores the setting that the first one found', () => {
  const { podkeep, valueOf } = machine();
  const [first, second] = [podkeep('a'), podkeep('b')];
  openAll(first);
  openAll(second);
  expect(second.isOpened('eth0')).toBe(true);
  first.release('eth0');
  expect(valueOf('eth0')).toBe('1');
  second.release('eth0');
  expect(valueOf('eth0')).toBe('0');
});

test('after a kill the next podkeep over the same folder knows what was held', () => {
  const { podkeep, valueOf } = machine();
  openAll(podkeep('a'));
  const next = podkeep('a');
  expect(next.held).toEqual(['eth0', 'eth1']);
  openAll(next);
  for (const name of next.held) next.release(name);
  expect(valueOf('eth0')).toBe('0');
});

test('an interface that is gone has nothing to restore', () => {
  const { podkeep, settings, folder } = machine();
  const one = podkeep('a');
  openAll(one);
  rmSync(settings, { recursive: true });
  for (const name of one.held) one.release(name);
  expect(existsSync(folder)).toBe(false);
});

test('notes of a podkeep whose bridge is gone no longer count', () => {
  const { podkeep, valueOf, settings } = machine();
  openAll(podkeep('a'));
  // As when the network namespace is gone, and another one has its name.
  rmSync(path.join(settings, 'pk-a'), { recursive: true });
  writeFileSync(path.join(settings, 'eth0', 'forwarding'), '0');
  const other = podkeep('b');
  openAll(other);
  for (const name of other.held) other.release(name);
  expect(valueOf('eth0')).toBe('0');
});
