import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { filesSettled, VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { Encryption } from '../../apiserver/at-rest/encryption.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import { loadEncryptionFile, reloadEncryption } from './encryption-file.ts';

const MINUTE_MS = 60_000;

function makeFile(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-encryption-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'encryption.yaml');
  writeFileSync(file, text);
  return file;
}

function config(name: string): string {
  return `
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aescbc:
          keys: [{ name: ${name}, secret: ${Buffer.alloc(32, name).toString('base64')} }]
`;
}

test('a file that cannot be used is refused, and the error shows nothing of its content', async () => {
  const secret = 'c2VjcmV0LW9mLXRoZS1maWxl';
  const broken = makeFile(`resources: [\n  secret: "${secret}\n`);
  const failure = await loadEncryptionFile(broken, random).catch((error: unknown) => String(error));
  expect(failure).toMatch(/is no YAML: [A-Z_]+ in line \d+, column \d+/);
  expect(failure).not.toContain(secret);
  await expect(loadEncryptionFile(makeFile(''), random)).rejects.toThrow('is empty');
  await expect(loadEncryptionFile('/nowhere/at/all', random)).rejects.toMatchObject({
    code: 'ENCRYPTION_CONFIG_INVALID',
    message: expect.stringContaining('error reading encryption provider configuration file'),
  });
});

test('a changed file is used within a minute, and one that cannot be used is not', async () => {
  const file = makeFile(config('one'));
  const { hash } = await loadEncryptionFile(file, random);
  const clock = new VirtualClock(undefined, filesSettled);
  const used: Encryption[] = [];
  const errors: string[] = [];
  const log = { ...silentLog, error: (message: string) => void errors.push(message) };
  const use = async (encryption: Encryption): Promise<void> => void used.push(encryption);
  const stop = reloadEncryption({ file, hash, clock, random, log, use });
  writeFileSync(file, 'kind: Nothing');
  await clock.pass(MINUTE_MS);
  expect(errors).toEqual([
    'Failed to reload the encryption provider configuration; using the old one',
  ]);
  expect(used).toEqual([]);
  writeFileSync(file, config('two'));
  await clock.pass(MINUTE_MS);
  const sealed = used[0]?.seal('/core/secrets/a/b', Buffer.from('{}')).toString('latin1');
  expect(sealed).toContain('k8s:enc:aescbc:v1:two:');
  await stop();
  await clock.pass(10 * MINUTE_MS);
  expect(used).toHaveLength(1);
});
