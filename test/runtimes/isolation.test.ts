/** What a container sees of the machine, and what it does not. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ContainerSecurity, Mount } from '../../src/ports/runtime/container-config.ts';
import { readProcesses } from '../../src/runtimes/process/machine/proc-table.ts';
import { TestHarness, until } from '../suites/pod-runtime/runtime-harness.ts';
import { openAt, openForTest, removeAll, type OpenProcessRuntime } from './process-runtime.ts';

const IS_ROOT = process.getuid?.() === 0;
let opened: OpenProcessRuntime;
let harness: TestHarness;

beforeEach(async () => {
  opened = await openForTest();
  harness = new TestHarness(opened);
});

afterEach(() => harness.close());

const shell = (script: string): readonly string[] => ['sh', '-c', script];

function mountAt(containerPath: string, hostPath: string): Mount {
  const propagation = 'None';
  return { containerPath, hostPath, isReadOnly: false, isRecursiveReadOnly: false, propagation };
}

function securityOf(changes: Partial<ContainerSecurity>): ContainerSecurity {
  return { ...harness.containerConfig().security, ...changes };
}

describe('started by the syscall helper,', () => {
  describe('the root of a container', () => {
    test('what it writes is seen by no other container, and gone with it', async () => {
      const sandbox = await harness.runSandbox();
      const script = 'echo x >/tmp/podkeep-test-file && ls /tmp';
      expect(await harness.output({ command: shell(script) }, sandbox)).toBe('podkeep-test-file');
      const again = await harness.output({ name: 'next', command: shell('ls -A /tmp') }, sandbox);
      expect(again).toBe('');
    });

    test('has its own /dev with what programs need', async () => {
      const script = 'echo gone >/dev/null; head -c 3 /dev/zero | wc -c; ls /dev | tr "\\n" " "';
      const [zeros, names = ''] = (await harness.output({ command: shell(script) })).split('\n');
      expect(zeros).toBe('3');
      expect(names.trim().split(' ')).toEqual(
        ['fd', 'full', 'mqueue', 'null', 'ptmx', 'pts', 'random', 'shm', 'stderr', 'stdin'].concat([
          'stdout',
          'tty',
          'urandom',
          'zero',
        ]),
      );
    });

    test('has the service account and the termination log where programs look', async () => {
      const token = path.join(harness.folder, 'account');
      mkdirSync(token, { mode: 0o755 });
      writeFileSync(path.join(token, 'token'), 'secret');
      const message = path.join(harness.folder, 'message');
      writeFileSync(message, '');
      chmodSync(message, 0o666);
      const mounts = [
        mountAt('/var/run/secrets/kubernetes.io/serviceaccount', token),
        mountAt('/dev/termination-log', message),
      ];
      const script =
        'cat /run/secrets/kubernetes.io/serviceaccount/token; echo bye >/dev/termination-log';
      expect(await harness.output({ command: shell(script), mounts })).toBe('secret');
      expect(readFileSync(message, 'utf8')).toBe('bye\n');
    });

    test('a mount inside a mount is at the right path', async () => {
      const [outer, inner] = ['outer', 'inner'].map((name) => path.join(harness.folder, name));
      for (const folder of [outer ?? '', inner ?? '']) mkdirSync(folder, { mode: 0o755 });
      writeFileSync(path.join(inner ?? '', 'file'), 'deep');
      const mounts = [mountAt('/data/sub', inner ?? ''), mountAt('/data', outer ?? '')];
      expect(await harness.output({ command: ['cat', '/data/sub/file'], mounts })).toBe('deep');
    });

    test('shows nothing of the folder in which podkeep keeps its containers', async () => {
      const hidden = mkdtempSync('/var/tmp/podkeep-hidden-');
      chmodSync(hidden, 0o755);
      writeFileSync(path.join(hidden, 'key'), 'secret');
      chmodSync(path.join(hidden, 'key'), 0o644);
      const runtime = await openAt(path.join(hidden, 'runtime'), { hiddenFolders: [hidden] });
      const own = new TestHarness({ ...opened, runtime });
      try {
        const script = `cat ${hidden}/key || echo hidden; cat /proc/1/root${hidden}/key || echo denied`;
        expect(await own.output({ command: shell(`(${script}) 2>/dev/null`) })).toBe(
          'hidden\ndenied',
        );
      } finally {
        await removeAll(runtime);
        await runtime.close();
        rmSync(hidden, { recursive: true });
      }
    });

    test('can be read-only', async () => {
      const security = securityOf({ isReadOnlyRoot: true });
      const script =
        'for f in /x /etc/x /tmp/x; do (echo 1 >$f) 2>/dev/null && echo $f; done; echo done';
      expect(await harness.output({ command: shell(script), security })).toBe('done');
    });

    test('shows only the processes of the container', async () => {
      const script = 'ls /proc | grep -c "^[0-9]"';
      expect(Number(await harness.output({ command: shell(script) }))).toBeLessThan(6);
    });

    test('has the name of the pod', async () => {
      const sandbox = await harness.runSandbox({ hostname: 'web-0' });
      expect(await harness.output({ command: ['hostname'] }, sandbox)).toBe('web-0');
    });

    test('uses the DNS servers of the pod', async () => {
      const dns = { servers: ['10.0.0.10'], searches: ['svc.local'], options: ['ndots:5'] };
      const sandbox = await harness.runSandbox({ dns });
      const lines = await harness.output({ command: ['cat', '/etc/resolv.conf'] }, sandbox);
      expect(lines).toBe('nameserver 10.0.0.10\nsearch svc.local\noptions ndots:5');
    });

    test('shares its memory with the other containers of the pod', async () => {
      const sandbox = await harness.runSandbox();
      const first = await harness.start(
        { name: 'a', command: shell('echo shared >/dev/shm/x') },
        sandbox,
      );
      await harness.exited(first);
      expect(await harness.output({ name: 'b', command: ['cat', '/dev/shm/x'] }, sandbox)).toBe(
        'shared',
      );
    });

    test('has at most 64 MiB of that memory', async () => {
      const command = ['stat', '-f', '-c', '%b %S', '/dev/shm'];
      const [blocks = 0, size = 0] = (await harness.output({ command })).split(' ').map(Number);
      expect(blocks * size).toBe(64 * 1024 * 1024);
    });
  });

  describe('the user of a container', () => {
    test('is the user nobody, or the user who started podkeep', async () => {
      const uid = IS_ROOT ? 65_534 : process.getuid?.();
      expect(await harness.output({ command: ['id', '-u'] })).toBe(String(uid));
    });

    test('is the one that the spec names', async () => {
      const security = securityOf({ runAsUser: 4321, runAsGroup: 8765, supplementalGroups: [99] });
      const id = await harness.start({ command: shell('id -u; id -g'), security });
      const { user } = await harness.exited(id);
      expect(user?.linux).toMatchObject({ uid: 4321, gid: 8765 });
      expect(await harness.log()).toMatch(/4321\n.*8765\n$/);
    });

    test('is root if the spec says so, with few capabilities', async () => {
      const security = securityOf({ runAsUser: 0, runAsGroup: 0 });
      const script = 'id -u; unshare --mount true 2>/dev/null || echo no mounts';
      const lines = await harness.output({ command: shell(script), security });
      expect(lines).toBe('0\nno mounts');
    });

    test('cannot become root when that is forbidden', async () => {
      const security = securityOf({ noNewPrivileges: true });
      const lines = await harness.output({ command: ['cat', '/proc/self/status'], security });
      expect(lines).toMatch(/^NoNewPrivs:\t1$/m);
    });
  });

  describe('processes', () => {
    test('of the containers of a pod see each other if the pod asks for it', async () => {
      const sandbox = await harness.runSandbox({ sharesProcesses: true });
      const first = await harness.start({ name: 'a', command: ['sleep', '1234'] }, sandbox);
      const script =
        'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; done 2>/dev/null | grep -c "sleep 1234"';
      expect(
        Number(await harness.output({ name: 'b', command: shell(script) }, sandbox)),
      ).toBeGreaterThan(0);
      expect(await harness.execute(first, ['echo', 'inside'])).toBe('inside\n');
      await harness.runtime.stopSandbox(sandbox);
      expect((await harness.container(first)).state).toBe('exited');
    });

    test('of one container are seen by a container that targets it', async () => {
      const sandbox = await harness.runSandbox();
      const target = await harness.start({ name: 'a', command: ['sleep', '4321'] }, sandbox);
      const script =
        'for p in /proc/[0-9]*; do tr "\\0" " " <$p/cmdline; done 2>/dev/null | grep -c "sleep 4321"';
      const security = securityOf({ targetContainerId: target });
      const config = { name: 'debug', command: shell(script), security };
      expect(Number(await harness.output(config, sandbox))).toBeGreaterThan(0);
      expect((await harness.container(target)).state).toBe('running');
    });

    test('of the machine are seen by a pod that asks for them, and its own still end', async () => {
      const sandbox = await harness.runSandbox({ hostPid: true });
      const id = await harness.start({ command: shell('sleep 8765 & sleep 8765') }, sandbox);
      const seen = await harness.execute(id, ['ls', '/proc']);
      expect(seen.split('\n')).toContain(String(process.pid));
      await harness.stop(id, 0);
      await until(() => !readProcesses().some(({ pid }) => cmdline(pid).includes('sleep\x008765')));
      expect((await harness.container(id)).exitCode).toBe(137);
    });

    test('that a command leaves behind end with its container', async () => {
      const id = await harness.start({ command: shell('setsid sleep 7654 & sleep 0.05; exit 0') });
      await harness.exited(id);
      const left = readProcesses().filter(({ pid }) => cmdline(pid).includes('sleep\x007654'));
      expect(left).toEqual([]);
    });
  });
});

test('without namespaces, mounts are links under a folder that a variable names', async () => {
  await harness.close();
  opened = await openForTest({ isolation: 'none', network: 'host' });
  harness = new TestHarness(opened);
  const config = path.join(harness.folder, 'config');
  mkdirSync(config, { mode: 0o755 });
  writeFileSync(path.join(config, 'key'), 'value');
  const mounts = [mountAt('/etc/config', config)];
  const command = shell('cat $PODKEEP_ROOT/etc/config/key');
  expect(await harness.output({ command, mounts })).toBe('value');
  expect(opened.warnings).toEqual([
    expect.stringMatching(/^NoBoundary: /),
    expect.stringMatching(/^MountsUnavailable: .*PODKEEP_ROOT/),
  ]);
  expect((await harness.runtime.status()).features.hasMounts).toBe(false);
});

function cmdline(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
