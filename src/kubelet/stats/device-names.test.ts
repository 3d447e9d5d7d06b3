import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deviceNames } from './device-names.ts';

test('a device has the name that the kernel gives it, which is read once', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'podkeep-devices-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = path.join(root, 'sys/dev/block/8:1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'uevent'), 'MAJOR=8\nMINOR=1\nDEVNAME=sda1\nDEVTYPE=partition\n');
  const nameOf = deviceNames(root);
  expect([nameOf(8, 1), nameOf(8, 2)]).toEqual(['/dev/sda1', '']);
  rmSync(folder, { recursive: true });
  expect(nameOf(8, 1)).toBe('/dev/sda1');
});
