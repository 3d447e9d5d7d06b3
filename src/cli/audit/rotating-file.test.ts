import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog as log } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { RotatingFile, type RotatingFileOptions } from './rotating-file.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function make(options: Partial<RotatingFileOptions> = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-audit-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'logs', 'audit.log');
  const clock = new VirtualClock();
  const limits = { sizeMax: 0, ageMsMax: 0, backupsMax: 0, compress: false };
  const rotating = new RotatingFile({ file, clock, log, ...limits, ...options });
  const names = (): readonly string[] => readdirSync(path.dirname(file)).toSorted();
  return { file, clock, rotating, names };
}

test('lines are appended to the existing file, for the owner only', async () => {
  const { file, rotating } = make();
  await rotating.append(['one', 'two']);
  await rotating.append(['three']);
  await rotating.close();
  expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
});

test('a full file is rotated, and no line is lost or cut', async () => {
  const { clock, rotating, names, file } = make({ sizeMax: 20 });
  for (const line of ['aaaaaaaa', 'bbbbbbbb', 'cccccccc']) {
    await rotating.append([line]);
    await clock.pass(1000);
  }
  await rotating.close();
  expect(names()).toHaveLength(2);
  expect(names()[0]).toMatch(/^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
  const first = readFileSync(path.join(path.dirname(file), names()[0] ?? ''), 'utf8');
  expect(first).toBe('aaaaaaaa\nbbbbbbbb\n');
  expect(readFileSync(file, 'utf8')).toBe('cccccccc\n');
});

test('files that are set aside in the same millisecond do not replace each other', async () => {
  const { rotating, names, file } = make({ sizeMax: 10 });
  const lines = ['line one', 'line two', 'line three', 'line four'];
  await rotating.append(lines);
  await rotating.close();
  const all = names().map((name) => readFileSync(path.join(path.dirname(file), name), 'utf8'));
  expect(all.join('').split('\n').filter(Boolean).toSorted()).toEqual(lines.toSorted());
});

test('files beyond the number and the age are removed, and others are not touched', async () => {
  const { clock, rotating, names, file } = make({
    sizeMax: 10,
    backupsMax: 2,
    ageMsMax: 3 * DAY_MS,
  });
  await rotating.append(['0']);
  writeFileSync(path.join(path.dirname(file), 'audit-of-me.log'), 'kept');
  for (let n = 0; n < 5; n++) {
    await rotating.append([`line ${n} xx`]);
    await clock.pass(2 * DAY_MS);
  }
  await rotating.close();
  const backups = names().filter((name) => name.startsWith('audit-2'));
  expect(backups.length).toBeLessThanOrEqual(2);
  expect(names()).toContain('audit-of-me.log');
});

test('complete files are compressed', async () => {
  const { rotating, names, file } = make({ sizeMax: 10, compress: true });
  await rotating.append(['first line', 'second line']);
  await rotating.close();
  const name = names().find((one) => one.endsWith('.gz')) ?? '';
  const whole = path.join(path.dirname(file), name);
  expect(gunzipSync(readFileSync(whole)).toString()).toBe('first line\n');
  expect(statSync(whole).mode & 0o777).toBe(0o600);
});

test('a path that cannot be written is refused before anything is served', async () => {
  const { file } = make();
  writeFileSync(path.dirname(file), 'a file where the folder should be');
  const rotating = new RotatingFile({
    file: path.join(file, 'audit.log'),
    sizeMax: 0,
    ageMsMax: 0,
    backupsMax: 0,
    compress: false,
    clock: new VirtualClock(),
    log,
  });
  await expect(rotating.check()).rejects.toMatchObject({ code: 'AUDIT_LOG_UNUSABLE' });
});
