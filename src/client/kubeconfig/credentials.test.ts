import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { createPki } from '../../apiserver/pki/pki.ts';
import { seededRandom } from '../../platform/seeded-random.ts';
import type { ExecPlugin, UserAccess } from './cluster-access.ts';
import { credentialsOf } from './credentials.ts';

function harness(user: Omit<UserAccess, 'headers'>, environment: Record<string, string> = {}) {
  const clock = new VirtualClock();
  const credentials = credentialsOf(
    { headers: {}, ...user },
    { clock, log: silentLog, environment },
  );
  return { clock, credentials };
}

describe('the identity of podkeep', () => {
  test.each<[string, Omit<UserAccess, 'headers'>, object]>([
    ['nobody', {}, {}],
    ['the bearer of a token', { token: 't' }, { authorization: 'Bearer t' }],
    [
      'a user with a password',
      { basic: { username: 'ann', password: 'é:x' } },
      { authorization: `Basic ${Buffer.from('ann:é:x').toString('base64')}` },
    ],
    [
      'the holder of a key',
      { certificate: { pem: 'c' }, key: { pem: 'k' } },
      { cert: 'c', key: 'k' },
    ],
  ])('%s', async (_who, user, identity) => {
    expect(await harness(user).credentials.current()).toEqual(identity);
  });
});

describe('a certificate in files', () => {
  async function withFiles() {
    const folder = makeTempFolder();
    const [certificate, key] = [path.join(folder, 'c'), path.join(folder, 'k')];
    const clock = new VirtualClock();
    const pki = await createPki({ clock, random: seededRandom(1) });
    writeFileSync(certificate, pki.adminCert);
    writeFileSync(key, pki.adminKey);
    const made = harness({ certificate: { file: certificate }, key: { file: key } });
    return { ...made, pki, certificate, key };
  }

  test('is read again after a minute, and used only when both halves belong together', async () => {
    const { clock, credentials, pki, certificate, key } = await withFiles();
    const old = { cert: pki.adminCert, key: pki.adminKey };
    expect(await credentials.current()).toEqual(old);
    writeFileSync(certificate, pki.serverCert);
    await clock.pass(60_000);
    expect(await credentials.current()).toEqual(old);
    writeFileSync(key, pki.serverKey);
    await clock.pass(10_000);
    expect(await credentials.current()).toEqual({ cert: pki.serverCert, key: pki.serverKey });
  });

  test('of two halves that never belonged together is an error that names it', async () => {
    const { pki, key, certificate } = await withFiles();
    writeFileSync(key, pki.serverKey);
    const made = harness({ certificate: { file: certificate }, key: { file: key } });
    await expect(made.credentials.current()).rejects.toThrow(/do not belong together/);
  });
});

test('a certificate that podkeep renews elsewhere counts more than the user, while it is there', async () => {
  let shown: { cert: string; key: string } | null = null;
  const credentials = credentialsOf(
    { headers: {}, token: 't' },
    { clock: new VirtualClock(), log: silentLog, environment: {}, certificate: () => shown },
  );
  expect(await credentials.current()).toEqual({ authorization: 'Bearer t' });
  shown = { cert: 'c', key: 'k' };
  expect(await credentials.current()).toEqual(shown);
});

describe('a token in a file', () => {
  function withFile(text: string) {
    const tokenFile = path.join(makeTempFolder(), 'token');
    writeFileSync(tokenFile, text);
    return { tokenFile, ...harness({ tokenFile, token: 'old' }) };
  }

  test('counts more than the token beside it, and is read again after a minute', async () => {
    const { tokenFile, clock, credentials } = withFile('one\n');
    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });
    writeFileSync(tokenFile, 'two');
    await clock.pass(59_999);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });
    await clock.pass(1);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('that did not change is the very same identity', async () => {
    const { clock, credentials } = withFile('one');
    const first = await credentials.current();
    await clock.pass(60_000);
    expect(await credentials.current()).toBe(first);
  });

  test('that cannot be read for a while leaves the old one in use', async () => {
    const { tokenFile, clock, credentials } = withFile('one');
    await credentials.current();
    rmSync(tokenFile);
    await clock.pass(60_000);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer one' });
    writeFileSync(tokenFile, 'two');
    await clock.pass(10_000);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('that the server refuses is read again soon', async () => {
    const { tokenFile, clock, credentials } = withFile('one');
    const refused = await credentials.current();
    writeFileSync(tokenFile, 'two');
    await clock.pass(10_000);
    credentials.refused(refused);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('that was replaced since is not affected by the refusal of the old one', async () => {
    const { tokenFile, clock, credentials } = withFile('one');
    const old = await credentials.current();
    writeFileSync(tokenFile, 'two');
    await clock.pass(60_000);
    await credentials.current();
    writeFileSync(tokenFile, 'three');
    await clock.pass(10_000);
    credentials.refused(old);
    expect(await credentials.current()).toEqual({ authorization: 'Bearer two' });
  });

  test('that does not exist is an error that names it', async () => {
    const { credentials } = harness({ tokenFile: '/nowhere/token' });
    await expect(credentials.current()).rejects.toMatchObject({
      code: 'CREDENTIALS_UNAVAILABLE',
      message: expect.stringContaining('/nowhere/token'),
    });
    const { credentials: empty } = withFile('\n');
    await expect(empty.current()).rejects.toThrow('it is empty');
  });
});

describe('a plugin', () => {
  const apiVersion = 'client.authentication.k8s.io/v1';

  /** A program that counts its runs and prints what it finds in a file. */
  function withPlugin(status: object, more: Partial<ExecPlugin> = {}) {
    const folder = makeTempFolder();
    const command = path.join(folder, 'login');
    const answer = path.join(folder, 'answer');
    const answerWith = (next: object): void =>
      writeFileSync(answer, JSON.stringify({ kind: 'ExecCredential', apiVersion, status: next }));
    answerWith(status);
    const script = `#!/bin/sh\necho x >> ${folder}/runs\nprintf '%s' "$KUBERNETES_EXEC_INFO|$1|$EXTRA|$HOME" > ${folder}/asked\ncat ${answer}\n`;
    writeFileSync(command, script);
    chmodSync(command, 0o755);
    const env = { EXTRA: 'e' };
    const exec = {
      apiVersion,
      command,
      args: ['-q'],
      env,
      installHint: '',
      cluster: null,
      ...more,
    };
    const runs = (): number => readFileSync(`${folder}/runs`, 'utf8').split('\n').length - 1;
    const asked = (): string => readFileSync(`${folder}/asked`, 'utf8');
    const made = harness({ exec }, { HOME: '/h', PATH: '/usr/bin:/bin' });
    return { ...made, runs, asked, answerWith };
  }

  test('is run in its environment, once for many requests', async () => {
    const { credentials, runs, asked } = withPlugin({ token: 't' }, { cluster: { server: 's' } });
    const all = await Promise.all([credentials.current(), credentials.current()]);
    expect(all[0]).toEqual({ authorization: 'Bearer t' });
    expect(await credentials.current()).toBe(all[1]);
    expect(runs()).toBe(1);
    const info = {
      kind: 'ExecCredential',
      apiVersion,
      spec: { interactive: false, cluster: { server: 's' } },
    };
    expect(asked()).toBe(`${JSON.stringify(info)}|-q|e|/h`);
  });

  test('is run again when its answer has expired', async () => {
    const expirationTimestamp = '2030-01-02T03:05:05Z'; // a minute from the start of the clock
    const { credentials, clock, runs, answerWith } = withPlugin({
      token: 'a',
      expirationTimestamp,
    });
    await credentials.current();
    await clock.pass(59_999);
    await credentials.current();
    expect(runs()).toBe(1);
    answerWith({ clientCertificateData: 'c', clientKeyData: 'k' });
    await clock.pass(1);
    expect(await credentials.current()).toEqual({ cert: 'c', key: 'k' });
  });

  test('is run again when the server refuses its answer, but not for every request', async () => {
    const { credentials, clock, runs } = withPlugin({ token: 'a' });
    for (let request = 0; request < 5; request += 1) {
      credentials.refused(await credentials.current());
    }
    expect(runs()).toBe(1);
    await clock.pass(10_000);
    await credentials.current();
    expect(runs()).toBe(2);
  });

  test.each<[string, object]>([
    ['neither a token nor a certificate', {}],
    ['a certificate or a key, but not both', { clientCertificateData: 'c' }],
  ])('that answers with %s is an error', async (sentence, status) => {
    await expect(withPlugin(status).credentials.current()).rejects.toThrow(sentence);
  });

  test('that fails is reported by what it wrote, with its install hint', async () => {
    const { credentials } = withPlugin(
      {},
      { command: '/bin/sh', args: ['-c', 'echo no key >&2; exit 3'], installHint: 'ask Ann' },
    );
    await expect(credentials.current()).rejects.toMatchObject({
      code: 'CREDENTIALS_UNAVAILABLE',
      message: 'failed to get credentials from the command /bin/sh: no key',
      hint: 'ask Ann',
    });
  });

  test('that answers in another API version is an error', async () => {
    const { credentials } = withPlugin({}, { command: '/bin/echo', args: ['hello'] });
    await expect(credentials.current()).rejects.toThrow('its answer is not JSON');
  });

  test('that does not exist is an error', async () => {
    const { credentials } = withPlugin({}, { command: '/nowhere/login' });
    await expect(credentials.current()).rejects.toThrow('/nowhere/login');
  });
});
