/** The supervisor in front of small programs that speak podkeep's side, and sd_notify to a real socket. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SyscallHelper } from '../../src/lib/syscall-helper/syscall-helper.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const PERL = '/usr/bin/perl';
const ROOT = path.join(import.meta.dirname, '..', '..');
const SUPERVISOR = path.join(ROOT, 'src/lib/syscall-helper/program/supervisor.pl');
const TIMEOUT = { timeout: 60_000 };

/** `send` and `restarts` are podkeep's side of the pipes; `runs` counts the starts. */
const SIDE = `
  const { appendFileSync, readFileSync, writeSync } = require('node:fs');
  const [out, input] = process.env.PODKEEP_SUPERVISOR.split(',').map(Number);
  const send = (line) => writeSync(out, line + '\\n');
  const hex = (text) => Buffer.from(text).toString('hex');
  const restarts = JSON.parse(process.env.PODKEEP_RESTARTS);
  const [folder] = process.argv.slice(2);
  appendFileSync(folder + '/runs', '.');
  const runs = readFileSync(folder + '/runs').length;
`;

interface Running {
  readonly folder: string;
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  readonly output: () => string;
}

function start(script: string, env: NodeJS.ProcessEnv = {}): Running {
  const folder = makeTempFolder();
  const program = path.join(folder, 'program.cjs');
  writeFileSync(program, SIDE + script);
  const child = spawn(PERL, [SUPERVISOR, process.execPath, program, folder], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { folder, child, ended, output: () => output };
}

function runsOf({ folder }: Running): number {
  return readFileSync(path.join(folder, 'runs')).length;
}

/** A datagram socket, which Node has none of, prints what it receives. */
async function receive(address: string): Promise<() => string> {
  const program = `
    use Socket; $| = 1; my $name = $ARGV[0]; $name =~ s/^@/\\0/;
    socket(my $s, AF_UNIX, SOCK_DGRAM, 0); bind($s, pack_sockaddr_un($name)) or die $!;
    print "bound\\n"; my $text; while (defined recv($s, $text, 4096, 0)) { $text =~ s/\\n/ /g; print "$text\\n" }`;
  const child = spawn(PERL, ['-e', program, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  await expect.poll(() => text).toBe('bound\n');
  return () => text.slice('bound\n'.length);
}

describe.skipIf(!existsSync(PERL))('a supervisor', () => {
  test.each([0, 1, 2, 42])('an end with code %i before it was up is final', async (code) => {
    const running = start(`process.exit(${code})`);
    expect(await running.ended).toEqual({ code, signal: null });
    expect(runsOf(running)).toBe(1);
  });

  test('an end that podkeep announced is final', async () => {
    const running = start(`send('ready'); send('stopping'); process.exit(143)`);
    expect(await running.ended).toEqual({ code: 143, signal: null });
    expect(runsOf(running)).toBe(1);
  });

  test('a crash after it was up is written down, and the next one knows why', TIMEOUT, async () => {
    const running = start(`
    send('folder ' + hex(folder));
    send('ready');
    if (runs === 1) process.exit(7);
    console.log(JSON.stringify(restarts));
    send('stopping');
  `);
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(runsOf(running)).toBe(2);
    const file = path.join(running.folder, 'supervisor.jsonl');
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(record).toMatchObject({ reason: 'exit', exitCode: 7, attempt: 1 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const known = JSON.stringify({ counts: { exit: 1 }, pending: [record] });
    expect(running.output()).toContain(`${known}\n`);
    expect(running.output()).toContain('exited with 7: starting it again in 1 s (attempt 1)');
    expect(existsSync(path.join(running.folder, 'supervisor.pid'))).toBe(false);
  });

  test('a kill before it was up is followed by another start', TIMEOUT, async () => {
    const running = start(`
    if (runs === 1) process.kill(process.pid, 'SIGKILL');
    console.log(restarts.counts);
  `);
    expect(await running.ended).toEqual({ code: 0, signal: null });
    expect(running.output()).toContain('{ signal: 1 }');
  });

  test('restarts that were reported are not reported again', TIMEOUT, async () => {
    const running = start(`
    send('ready');
    if (runs === 2) send('reported ' + restarts.pending.length);
    if (runs < 3) process.exit(7);
    console.log(restarts.counts.exit, restarts.pending.length);
    send('stopping');
  `);
    await running.ended;
    expect(running.output()).toContain('2 1\n');
  });

  test('a signal to the supervisor is passed on by the pipe, and the exit code comes back', async () => {
    const running = start(`
    setInterval(() => {}, 1000);
    require('node:fs').createReadStream('', { fd: input }).on('data', (text) => {
      console.log(String(text));
      process.exit(3);
    });
    console.log('up');
  `);
    await expect.poll(running.output).toContain('up');
    running.child.kill('SIGTERM');
    expect(await running.ended).toEqual({ code: 3, signal: null });
    expect(running.output()).toContain('signal SIGTERM');
  });

  test('a program that a signal of an end kills ends the supervisor in the same way', async () => {
    const running = start(`setInterval(() => {}, 1000); process.kill(process.pid, 'SIGTERM')`);
    expect(await running.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  test.each(['path', 'abstract name'])(
    'the supervisor notifies a service manager at a %s, and podkeep has no socket of it',
    async (kind) => {
      const folder = makeTempFolder();
      const address =
        kind === 'path' ? path.join(folder, 'notify') : `@podkeep-test-${process.pid}`;
      const received = await receive(address);
      const env = { NOTIFY_SOCKET: address, WATCHDOG_USEC: '2000000', WATCHDOG_PID: '1' };
      const running = start(
        `console.log(process.env.NOTIFY_SOCKET, process.env.PODKEEP_NOTIFY, process.env.WATCHDOG_USEC);
       send('notify ' + hex('READY=1\\nSTATUS=Serving'));`,
        env,
      );
      await running.ended;
      await expect.poll(received).toBe('READY=1 STATUS=Serving\n');
      // The watchdog is of another process.
      expect(running.output()).toContain('undefined 1 undefined\n');
    },
  );

  test('without a supervisor the syscall helper notifies the service manager', async () => {
    const found = await SyscallHelper.find();
    const address = path.join(makeTempFolder(), 'notify');
    const received = await receive(address);
    await found.helper?.perform([['notify', address, 'WATCHDOG=1', process.pid]]);
    await expect.poll(received).toBe('WATCHDOG=1\n');
    const nowhere = found.helper?.perform([['notify', `${address}-not`, 'READY=1', process.pid]]);
    await expect(nowhere).rejects.toThrow(/notify: connect: /);
  });
});
