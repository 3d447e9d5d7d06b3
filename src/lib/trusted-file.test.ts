import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../test/support/temp-folder.ts';
import { checkOwned, checkOwnFolder, checkTrustedSocket, readTrustedFile } from './trusted-file.ts';

const isRoot = process.geteuid?.() === 0;
const STRANGER = 12_345;
const refusal = (message: string): object =>
  expect.objectContaining({
    code: 'UNTRUSTED_FILE',
    message: expect.stringContaining(message),
    hint: expect.stringMatching(/ch(?:mod|own)/),
  });

function makeFile(mode = 0o600): string {
  const file = path.join(makeTempFolder(), 'key');
  writeFileSync(file, 'content');
  chmodSync(file, mode);
  return file;
}

test('a file of this user is read', () => {
  expect(readTrustedFile(makeFile(0o644))).toBe('content');
});

test.each([
  [0o602, 'every user may write to it (mode 602)'],
  [0o620, 'may write to it (mode 620)'],
])('a file with mode %o is refused', (mode, message) => {
  if (mode === 0o620 && !isRoot) return; // the group may be this user's private one
  expect(() => readTrustedFile(makeFile(mode))).toThrow(refusal(message));
});

test.skipIf(!isRoot)('a file of another user is refused, by way of a link too', () => {
  const file = makeFile();
  const link = `${file}-link`;
  symlinkSync(file, link);
  expect(readTrustedFile(link)).toBe('content');
  chownSync(file, STRANGER, STRANGER);
  const message = `it belongs to user ${STRANGER}, and podkeep runs as user 0`;
  for (const each of [file, link]) {
    expect(() => readTrustedFile(each)).toThrow(refusal(message));
  }
});

test('root is trusted, and the private group of a user', () => {
  expect(() => checkOwned('f', { uid: 0, gid: 0, mode: 0o644 }, 1000)).not.toThrow();
  expect(() => checkOwned('f', { uid: 1000, gid: 1000, mode: 0o664 }, 1000)).not.toThrow();
  expect(() => checkOwned('f', { uid: 1000, gid: 100, mode: 0o664 }, 1000)).toThrow(
    refusal('group 100 may write to it'),
  );
  expect(() => checkOwned('f', { uid: 1001, gid: 1001, mode: 0o600 }, 1000)).toThrow(
    refusal('it belongs to user 1001'),
  );
});

test('a folder that others may write is refused, one in a sticky folder is not', () => {
  const parent = makeTempFolder();
  const folder = path.join(parent, 'data');
  mkdirSync(folder, { mode: 0o750 });
  chmodSync(parent, 0o1777);
  expect(() => checkOwnFolder(folder)).not.toThrow();
  chmodSync(parent, 0o777);
  expect(() => checkOwnFolder(folder)).toThrow(refusal('every user may rename it'));
  chmodSync(parent, 0o755);
  chmodSync(folder, 0o777);
  expect(() => checkOwnFolder(folder)).toThrow(refusal('every user may write to it'));
});

test('a folder of root is no folder of another user', () => {
  const folder = makeTempFolder();
  const other = (process.geteuid?.() ?? 0) + 1;
  expect(() => checkOwnFolder(folder, other)).toThrow(refusal('it belongs to user'));
});

test('a socket is trusted by its owner, and by who may replace it', async () => {
  const folder = makeTempFolder();
  const file = path.join(folder, 'socket');
  const server = createServer().listen(file);
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  chmodSync(file, 0o777);
  expect(() => checkTrustedSocket(file)).not.toThrow();
  chmodSync(folder, 0o777);
  expect(() => checkTrustedSocket(file)).toThrow(refusal('every user may rename it'));
  chmodSync(folder, 0o700);
  if (!isRoot) return;
  chownSync(file, STRANGER, STRANGER);
  expect(() => checkTrustedSocket(file)).toThrow(refusal(`it belongs to user ${STRANGER}`));
});
