/** `podkeep up -- CMD` without a data folder: a cluster for as long as one command runs. */
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PodkeepUp } from '../support/podkeep-up.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const TEMPORARY = /podkeep-up-\d+-\w{6}/;

function upIn(tmp: string, args: readonly string[], command: readonly string[]): PodkeepUp {
  const env = { ...process.env, TMPDIR: tmp, HOME: path.join(tmp, 'no-home'), XDG_DATA_HOME: '' };
  return new PodkeepUp(['--no-node', '--output', 'json', ...args, '--', ...command], env);
}

const node = (code: string): readonly string[] => [process.execPath, '-e', code];

test('the cluster of a command is in a temporary folder, and removed with it, three times', async () => {
  const tmp = makeTempFolder();
  const code =
    'console.log(process.env.KUBECONFIG); process.exit(fs.existsSync(process.env.KUBECONFIG) ? 7 : 1)';
  for (let run = 0; run < 3; run += 1) {
    const up = upIn(tmp, [], node(code));
    expect(await up.ended).toEqual({ code: 7, signal: null });
    expect(up.out).toMatch(TEMPORARY);
    expect(readdirSync(tmp)).toEqual([]);
  }
});

test('two commands at once have a cluster each', async () => {
  const tmp = makeTempFolder();
  const ups = [1, 2].map(() => upIn(tmp, [], node('setTimeout(() => {}, 1000)')));
  expect(await Promise.all(ups.map(({ ended }) => ended))).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
  expect(readdirSync(tmp)).toEqual([]);
});

test('a folder that is named stays, and serves the next run as it did the first', async () => {
  const tmp = makeTempFolder();
  const data = path.join(tmp, 'cluster');
  for (let run = 0; run < 3; run += 1) {
    const up = upIn(tmp, ['--data-dir', data], node('process.exit(3)'));
    expect(await up.ended).toEqual({ code: 3, signal: null });
    expect(readdirSync(tmp)).toEqual(['cluster']);
  }
  expect(existsSync(path.join(data, 'kubeconfig'))).toBe(true);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s is passed on to the command, and the temporary folder is removed',
  async (signal) => {
    const tmp = makeTempFolder();
    const code = `process.on('${signal}', () => process.exit(5)); setInterval(() => {}, 1e3); console.log('up')`;
    const up = upIn(tmp, [], node(code));
    await up.until(() => (up.out.includes('up\n') ? true : undefined));
    up.child.kill(signal);
    expect(await up.ended).toEqual({ code: 5, signal: null });
    expect(readdirSync(tmp)).toEqual([]);
  },
);

test('a command that cannot be started leaves no folder', async () => {
  const tmp = makeTempFolder();
  const up = upIn(tmp, [], ['no-such-command']);
  expect(await up.ended).toEqual({ code: 1, signal: null });
  expect(readdirSync(tmp)).toEqual([]);
});

test('the next run removes what a killed one has left, and nothing else', async () => {
  const tmp = makeTempFolder();
  const killed = upIn(tmp, [], node("setInterval(() => {}, 1e3); console.log(process.pid, 'up')"));
  await killed.until(() => (killed.out.includes('up\n') ? true : undefined));
  const { pid = 0 } = killed.child;
  const exited = new Promise((resolve) => killed.child.once('exit', resolve));
  killed.child.kill('SIGKILL');
  await exited;
  // The command outlives a podkeep that is killed, and the next one must not end it.
  process.kill(
    Number.parseInt(killed.out.split('\n').findLast((line) => line.endsWith(' up')) ?? '', 10),
  );
  const [forsaken = ''] = readdirSync(tmp);
  expect(forsaken).toMatch(TEMPORARY);
  const others = ['podkeep-up-notes', `podkeep-up-${process.pid}-abcdef`, 'other'];
  for (const name of others) mkdirSync(path.join(tmp, name));
  writeFileSync(path.join(tmp, `podkeep-up-${pid}-000000`), 'a file');
  const long = new Date(Date.now() - 600_000);
  for (const name of readdirSync(tmp)) utimesSync(path.join(tmp, name), long, long);
  expect(await upIn(tmp, [], node('')).ended).toMatchObject({ code: 0 });
  expect(readdirSync(tmp).toSorted()).toEqual([...others, `podkeep-up-${pid}-000000`].toSorted());
});

test('--keep-pods makes no sense when nothing is kept', async () => {
  const up = upIn(makeTempFolder(), ['--keep-pods'], ['true']);
  expect(await up.ended).toEqual({ code: 2, signal: null });
  expect(up.err).toContain('needs --data-dir');
});
