/** Probes of every kind and purpose, with their thresholds and times. */
import { describe, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { containerOf, isReady, LIVE, shell, shellPod } from '../support/pod-view.ts';
import { makeSecret, PORTS, PROBE_SERVER } from './probe-server.ts';

const cluster = podCluster('probes');
const EVERY_SECOND = { periodSeconds: 1, timeoutSeconds: 5 };
const EXISTS = (file: string): JsonObject => ({ exec: { command: ['test', '-f', file] } });
const SHARED = { name: 'shared', mountPath: '/shared' };
const headers = [{ name: 'X-Probe', value: 'yes' }];
const HTTP = { path: '/health?deep=1', httpHeaders: headers };
const KINDS: Readonly<Record<string, JsonObject>> = {
  exec: EXISTS('/shared/well'),
  http: { httpGet: { ...HTTP, port: PORTS.http } },
  https: { httpGet: { ...HTTP, port: PORTS.https, scheme: 'HTTPS' } },
  tcp: { tcpSocket: { port: PORTS.tcp } },
  grpc: { grpc: { port: PORTS.grpc } },
};

/** One server, and beside it a container for each kind of probe. */
function manyListeners(): JsonObject {
  const { cert, key } = makeSecret(cluster.folder);
  const env = [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'CERT', value: cert },
    { name: 'KEY', value: key },
  ];
  const server = { name: 'server', image: 'node', command: ['node', '-e', PROBE_SERVER], env };
  const probed = Object.entries(KINDS).map(([kind, handler]) => ({
    ...shell(kind),
    readinessProbe: { ...handler, ...EVERY_SECOND, failureThreshold: 1 },
  }));
  const containers = [server, ...probed].map((each) => ({ ...each, volumeMounts: [SHARED] }));
  return shellPod({
    name: 'doors',
    spec: { containers, volumes: [{ name: 'shared', emptyDir: {} }] },
  });
}

describe.concurrent('probes', () => {
  test('readiness follows the result of each kind of probe: exec, http, https, tcp and grpc', async ({
    expect,
  }) => {
    const areReady = (ready: boolean): Promise<unknown> =>
      cluster.podWhen('doors', `to be ${ready ? 'ready' : 'unready'} by all probes`, (pod) =>
        Object.keys(KINDS).every((kind) => containerOf(pod, kind)?.ready === ready),
      );
    await cluster.apply(manyListeners());
    await cluster.podWhen('doors', 'to run', ({ status }) => status.phase === 'Running');
    for (const [words, kind] of [
      ['HTTP probe failed with statuscode: 503', 'http'],
      ['HTTP probe failed with statuscode: 503', 'https'],
      [`:${PORTS.tcp}: connect: connection refused`, 'tcp'],
      ['service unhealthy (responded with "NOT_SERVING")', 'grpc'],
    ] as const) {
      const event = await cluster.event('doors', 'Unhealthy', words);
      expect(event.message, kind).toMatch(/^Readiness probe failed: /);
    }
    await areReady(false);
    await cluster.kubectl('exec doors -c exec -- touch /shared/well');
    await areReady(true);
    await cluster.kubectl('exec doors -c exec -- rm /shared/well');
    await areReady(false);
    const pod = await cluster.podWhen('doors', 'to be unready', (each) => !isReady(each));
    expect(pod.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual(
      Array.from({ length: 6 }, () => 0),
    );
  });

  test('a container whose liveness probe fails is killed and restarted', async ({ expect }) => {
    const livenessProbe = { ...EXISTS('/tmp/alive'), ...EVERY_SECOND, failureThreshold: 2 };
    const script = `touch /tmp/alive; ${LIVE}`;
    const readinessProbe = { ...EXISTS('/tmp/alive'), ...EVERY_SECOND };
    await cluster.apply(
      shellPod({ name: 'frail', script, container: { livenessProbe, readinessProbe } }),
    );
    await cluster.ready('frail');
    await cluster.kubectl('exec frail -- rm /tmp/alive');
    const pod = await cluster.podWhen(
      'frail',
      'to run again',
      (each) => containerOf(each)?.restartCount === 1 && isReady(each),
    );
    expect(containerOf(pod)?.lastState.terminated?.exitCode).toBe(0);
    await cluster.event('frail', 'Unhealthy', 'Liveness probe failed: ');
    const words = 'Container main failed liveness probe, will be restarted';
    expect((await cluster.event('frail', 'Killing')).message).toBe(words);
  });

  test('the grace period of a liveness probe overrides that of the pod', async ({ expect }) => {
    const grace = { terminationGracePeriodSeconds: 1 };
    const livenessProbe = { exec: { command: ['false'] }, ...EVERY_SECOND, failureThreshold: 1 };
    await cluster.apply(
      shellPod({
        name: 'stubborn',
        script: 'trap "" TERM; while :; do sleep 0.1; done',
        container: { livenessProbe: { ...livenessProbe, ...grace } },
        spec: { terminationGracePeriodSeconds: 600 },
      }),
    );
    const pod = await cluster.podWhen(
      'stubborn',
      'to be killed',
      (each) => containerOf(each)?.lastState.terminated !== undefined,
    );
    expect(containerOf(pod)?.lastState.terminated?.exitCode).toBe(137);
    await cluster.kubectl('delete pod stubborn --grace-period=1');
  });

  test('no other probe is tried before the startup probe has succeeded', async ({ expect }) => {
    const noted = (word: string, then: string): JsonObject => ({
      exec: { command: ['sh', '-c', `echo ${word} >>/tmp/probes; ${then}`] },
      ...EVERY_SECOND,
    });
    const container = {
      startupProbe: { ...noted('startup', 'test -f /tmp/up'), failureThreshold: 100 },
      readinessProbe: noted('readiness', 'true'),
      livenessProbe: noted('liveness', 'true'),
    };
    await cluster.apply(shellPod({ name: 'slow-start', container }));
    await cluster.event('slow-start', 'Unhealthy', 'Startup probe failed: ');
    const early = await cluster.pod('slow-start');
    expect(early && containerOf(early)).toMatchObject({ started: false, ready: false });
    await cluster.kubectl('exec slow-start -- touch /tmp/up');
    expect(containerOf(await cluster.ready('slow-start'))).toMatchObject({ started: true });
    const probes = await cluster.kubectl('exec slow-start -- cat /tmp/probes');
    expect(probes).toMatch(/^(startup\n)+(readiness\n|liveness\n)+$/);
  });

  test('a container whose startup probe fails too often is killed', async ({ expect }) => {
    const startupProbe = { exec: { command: ['false'] }, ...EVERY_SECOND, failureThreshold: 2 };
    await cluster.apply(shellPod({ name: 'no-start', container: { startupProbe } }));
    const words = 'Container main failed startup probe, will be restarted';
    expect((await cluster.event('no-start', 'Killing')).message).toBe(words);
    await cluster.podWhen(
      'no-start',
      'to be restarted',
      (pod) => (containerOf(pod)?.restartCount ?? 0) > 0,
    );
  });

  test('readiness needs as many successes and failures as the probe sets', async ({ expect }) => {
    const command = ['sh', '-c', 'echo probe >>/tmp/probes; test ! -f /tmp/ill'];
    const thresholds = { successThreshold: 3, failureThreshold: 3 };
    const readinessProbe = { exec: { command }, ...EVERY_SECOND, ...thresholds };
    await cluster.apply(shellPod({ name: 'careful', container: { readinessProbe } }));
    const count = async (): Promise<number> =>
      (await cluster.kubectl('exec careful -- cat /tmp/probes')).split('\n').length - 1;
    await cluster.ready('careful');
    expect(await count()).toBeGreaterThanOrEqual(3);
    await cluster.kubectl(['exec', 'careful', '--', 'sh', '-c', 'rm /tmp/probes; touch /tmp/ill']);
    await cluster.podWhen('careful', 'to be unready', (pod) => !isReady(pod));
    // One more may have been under way when the list was cleared.
    expect(await count()).toBeGreaterThanOrEqual(2);
  });

  test('a probe waits for its initial delay', async ({ expect }) => {
    const command = ['sh', '-c', 'test -f /tmp/first || /bin/date +%s%N >/tmp/first'];
    const readinessProbe = { exec: { command }, ...EVERY_SECOND, initialDelaySeconds: 3 };
    await cluster.apply(shellPod({ name: 'patient', container: { readinessProbe } }));
    const startedAt = containerOf(await cluster.ready('patient'))?.state.running?.startedAt ?? '';
    const first = Number(await cluster.kubectl('exec patient -- cat /tmp/first')) / 1e6;
    expect(first - Date.parse(startedAt)).toBeGreaterThanOrEqual(3000);
  });

  test('a probe that takes longer than its timeout has failed', async ({ expect }) => {
    const readinessProbe = { exec: { command: ['sleep', '600'] }, periodSeconds: 1 };
    const container = { readinessProbe: { ...readinessProbe, timeoutSeconds: 1 } };
    await cluster.apply(shellPod({ name: 'hangs', container }));
    const { message } = await cluster.event('hangs', 'Unhealthy', 'timed out');
    expect(message).toMatch(/^Readiness probe /);
  });
});
