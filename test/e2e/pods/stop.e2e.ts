/**
 * How containers are stopped. A finalizer keeps each pod in the API until the test has read its last
 * status.
 */
import { describe, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { waitFor } from '../support/patience.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, LIVE, shellPod, type EndView, type ShellPod } from '../support/pod-view.ts';

const cluster = podCluster('stop');
const metadata = { finalizers: ['example.com/kept'] };
const SHARED = { volumes: [{ name: 'shared', emptyDir: {} }] };
const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
/**
 * Prints when it was asked to stop, and what was logged until then. The program is named in full: a
 * shell's built-in one knows whole seconds only.
 */
const NOTES = 'cat /shared/notes; /bin/date +%s%N';
const NOTING = `trap '{ ${NOTES}; } >/dev/termination-log 2>&1; exit 0' TERM; while :; do sleep 0.1; done`;
const STUBBORN = 'trap "" TERM; while :; do sleep 0.1; done';

/** Starts the pod, deletes it, and returns how its container exited. */
async function endOf(
  pod: ShellPod,
  grace?: number,
): Promise<EndView & { sinceMs(ns: string): number }> {
  const { name } = pod;
  await cluster.apply(shellPod({ metadata, ...pod }));
  await cluster.ready(name);
  const askedAtMs = Date.now();
  const words = grace === undefined ? [] : [`--grace-period=${grace}`];
  await cluster.kubectl(['delete', 'pod', name, '--wait=false', ...words]);
  const end = await endWhenThere(name);
  await release(name);
  return { ...end, sinceMs: (ns) => Number(ns) / 1e6 - askedAtMs };
}

async function endWhenThere(name: string): Promise<EndView> {
  const ended = await cluster.podWhen(
    name,
    'to have ended',
    (each) => containerOf(each)?.state.terminated !== undefined,
  );
  const end = containerOf(ended)?.state.terminated;
  if (!end) throw new Error('it has not ended');
  return end;
}

async function release(name: string): Promise<void> {
  await cluster.kubectl([
    'patch',
    'pod',
    name,
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]);
  await cluster.gone(name);
}

function hooked(name: string, preStop: JsonObject, grace: number): ShellPod {
  return {
    name,
    script: NOTING,
    container: { volumeMounts, lifecycle: { preStop } },
    spec: { ...SHARED, terminationGracePeriodSeconds: grace },
  };
}

describe.concurrent('stopping', () => {
  test('a container that handles the signal exits with its own code', async ({ expect }) => {
    const script = 'trap "exit 5" TERM; while :; do sleep 0.1; done';
    expect(await endOf({ name: 'polite', script })).toMatchObject({ exitCode: 5, reason: 'Error' });
    expect((await cluster.event('polite', 'Killing')).message).toBe('Stopping container main');
  });

  test('a container that ignores the signal is killed after its grace period', async ({
    expect,
  }) => {
    const end = await endOf({ name: 'deaf', script: STUBBORN });
    expect(end).toMatchObject({ exitCode: 137, reason: 'Error' });
  });

  test('a preStop command runs before the container is asked to stop', async ({ expect }) => {
    const exec = { command: ['sh', '-c', 'sleep 1; echo hooked >>/shared/notes'] };
    const end = await endOf(hooked('hook-exec', { exec }, 30));
    const [note, askedAt = ''] = (end.message ?? '').split('\n');
    expect({ note, exitCode: end.exitCode }).toEqual({ note: 'hooked', exitCode: 0 });
    expect(end.sinceMs(askedAt)).toBeGreaterThanOrEqual(1000);
  });

  test('a preStop request reaches the container before it is asked to stop', async ({ expect }) => {
    const program = `
      let heard = 'nothing';
      require('node:http').createServer((request, response) => {
        if (request.url !== '/ready') heard = request.url;
        response.end();
      }).listen(8080, process.env.POD_IP);
      process.on('SIGTERM', () => {
        require('node:fs').writeFileSync('/dev/termination-log', heard);
        process.exit(0);
      });`;
    const container = {
      command: ['node', '-e', program],
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      lifecycle: { preStop: { httpGet: { path: '/farewell', port: 8080 } } },
      readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 },
    };
    const spec = { terminationGracePeriodSeconds: 30 };
    const end = await endOf({ name: 'hook-http', container, spec });
    expect(end).toMatchObject({ message: '/farewell', exitCode: 0 });
  });

  test('a preStop sleep passes before the container is asked to stop', async ({ expect }) => {
    const end = await endOf(hooked('hook-sleep', { sleep: { seconds: 2 } }, 30));
    const askedAt = (end.message ?? '').trim().split('\n').at(-1) ?? '';
    expect(end.sinceMs(askedAt)).toBeGreaterThanOrEqual(2000);
  });

  test('a preStop hook that never ends gets the grace period and no more', async ({ expect }) => {
    const exec = { command: ['sleep', '600'] };
    const end = await endOf(hooked('hook-endless', { exec }, 3));
    const askedAt = (end.message ?? '').trim().split('\n').at(-1) ?? '';
    expect(end.sinceMs(askedAt)).toBeGreaterThanOrEqual(2900);
    expect(end.exitCode).toBe(0);
  });

  test('a preStop hook that fails is recorded as an event, and the container is stopped all the same', async ({
    expect,
  }) => {
    const end = await endOf(hooked('hook-fails', { exec: { command: ['false'] } }, 30));
    expect(end.exitCode).toBe(0);
    expect((await cluster.event('hook-fails', 'FailedPreStopHook')).message).toBe(
      'PreStopHook failed',
    );
  });

  test('a container that asks for another signal gets that one', async ({ expect }) => {
    const script = 'trap "exit 6" USR1; trap "exit 5" TERM; while :; do sleep 0.1; done';
    const container = { lifecycle: { stopSignal: 'SIGUSR1' } };
    const end = await endOf({
      name: 'other-signal',
      script,
      container,
      spec: { os: { name: 'linux' } },
    });
    expect(end.exitCode).toBe(6);
  });

  test('a shorter grace period takes effect while the pod is being stopped', async ({ expect }) => {
    const spec = { terminationGracePeriodSeconds: 600 };
    await cluster.apply(shellPod({ name: 'hurried', script: STUBBORN, spec, metadata }));
    await cluster.ready('hurried');
    await cluster.kubectl('delete pod hurried --grace-period=600 --wait=false');
    await cluster.event('hurried', 'Killing');
    const stopping = await cluster.pod('hurried');
    expect(stopping && containerOf(stopping)?.state.running).toBeDefined();
    await cluster.kubectl('delete pod hurried --grace-period=1 --wait=false');
    expect((await endWhenThere('hurried')).exitCode).toBe(137);
    await release('hurried');
  });

  test('a postStart hook runs before the pod is ready, and its failure kills the container', async ({
    expect,
  }) => {
    const run = (command: readonly string[]): JsonObject => ({
      lifecycle: { postStart: { exec: { command } } },
    });
    await cluster.apply(
      shellPod({ name: 'greeted', container: run(['touch', '/tmp/greeted']) }),
      shellPod({ name: 'spurned', container: run(['false']) }),
    );
    await cluster.ready('greeted');
    await cluster.kubectl('exec greeted -- test -f /tmp/greeted');
    await cluster.event('spurned', 'FailedPostStartHook');
    expect((await cluster.event('spurned', 'Killing')).message).toBe('FailedPostStartHook');
  });

  test('a pod deleted by force is gone from the API immediately, and its process soon', async ({
    expect,
  }) => {
    await cluster.apply(
      shellPod({
        name: 'forced',
        script: `: forced; ${LIVE}`,
        spec: { terminationGracePeriodSeconds: 600 },
      }),
    );
    await cluster.ready('forced');
    expect(cluster.processesWith(': forced;')).not.toEqual([]);
    const { stderr, code } = await cluster.attempt('delete pod forced --force --grace-period=0');
    expect({ code, isWarned: stderr.includes('Immediate deletion') }).toEqual({
      code: 0,
      isWarned: true,
    });
    await cluster.gone('forced');
    await waitFor({ what: 'its process to end', deadlineMs: 60_000 }, () =>
      cluster.processesWith(': forced;').length === 0 ? true : undefined,
    );
  });
});
