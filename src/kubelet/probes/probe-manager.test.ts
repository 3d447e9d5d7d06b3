import { describe, expect, test } from 'vitest';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { formatTime } from '../../api/values/time.ts';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { container, podOf, sidecar } from '../../../test/support/pod-parts.ts';
import { silentLog } from '../../../test/support/silent-ports.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { ProbeAnswer } from './answer.ts';
import { ProbeManager } from './probe-manager.ts';
import { ProbeMetrics } from './probe-metrics.ts';

const PROBE = { exec: { command: ['true'] } };
const UID = 'uid-1';
const FAILURE: ProbeAnswer = { result: 'failure', output: '' };
const SUCCESS: ProbeAnswer = { result: 'success', output: '' };

/** A node on which everything but the probes is simulated. */
class TestHarness {
  readonly clock = new VirtualClock();
  readonly registry = new Registry();
  readonly statuses = new Map<string, PodStatus>();
  readonly change: string[] = [];
  readonly events: string[] = [];
  /** When which container was probed, in seconds. */
  readonly asked: string[] = [];
  readonly manager: ProbeManager;
  answer: (name: string) => ProbeAnswer | Promise<ProbeAnswer> = () => SUCCESS;

  constructor(chance = 0) {
    this.manager = new ProbeManager({
      clock: this.clock,
      random: { next: () => chance },
      log: silentLog,
      metrics: new ProbeMetrics(this.registry),
      statusOf: (uid) => this.statuses.get(uid),
      events: {
        record: (_about, _type, reason, message) => void this.events.push(`${reason} ${message}`),
      },
      ask: async ({ container: { name }, containerID }) => {
        this.asked.push(`${this.clock.monotonic() / 1000} ${name} ${containerID}`);
        return this.answer(name);
      },
    });
    this.manager.subscribe(({ kind, containerID, outcome }) => {
      this.change.push(`${this.clock.monotonic() / 1000} ${kind} ${containerID} ${outcome}`);
    });
  }

  /** Podkeep stores a status, and notifies the subscriber. */
  show(pod: Pod, ...shown: readonly ContainerStatus[]): void {
    const status: PodStatus = { phase: 'Running', containerStatuses: shown };
    this.statuses.set(pod.metadata.uid ?? '', status);
    this.manager.podUpdated(pod, status);
  }

  running(name: string, containerID: string, started = true): ContainerStatus {
    const startedAt = formatTime(this.clock.now());
    return { name, containerID, started, state: { running: { startedAt } } };
  }

  metrics(): readonly string[] {
    return prometheusText
      .expose(this.registry)
      .split('\n')
      .filter((line) => /^prober_probe_total|_count/.test(line));
  }
}

function probedPod(fields: Partial<Container>): Pod {
  return podOf({ containers: [container('c', fields)] });
}

describe('readiness', () => {
  test('a container is probed as soon as it runs, and then once in each period', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: PROBE });
    harness.manager.addPod(pod);
    await harness.clock.pass(4000);
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(21_000);
    expect(harness.asked).toEqual(['4 c sim://1', '14 c sim://1', '24 c sim://1']);
    expect(harness.change).toEqual(['4 readiness sim://1 failure', '4 readiness sim://1 success']);
    expect([...harness.manager.of(UID).readiness]).toEqual([['sim://1', 'success']]);
  });

  test('a change of the status causes a probe as long as the container is not ready (KL-78)', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: PROBE });
    harness.answer = () => FAILURE;
    harness.manager.addPod(pod);
    await harness.clock.pass(1000);
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(1000);
    harness.answer = () => SUCCESS;
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(0);
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(9999);
    expect(harness.asked).toEqual(['1 c sim://1', '2 c sim://1']);
    expect(harness.events).toEqual(['Unhealthy Readiness probe failed: ']);
  });

  test('a status in which the container has not started causes no probe', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: PROBE });
    harness.manager.addPod(pod);
    await harness.clock.pass(4000);
    harness.show(pod, harness.running('c', 'sim://1', false));
    harness.statuses.set(UID, {
      phase: 'Running',
      containerStatuses: [harness.running('c', 'sim://1')],
    });
    await harness.clock.pass(10_000);
    expect(harness.asked).toEqual(['10 c sim://1']);
  });

  test('a probe that a result has caused starts after that result was handled', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: { ...PROBE, failureThreshold: 1 } });
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(0);
    harness.answer = () => FAILURE;
    harness.manager.subscribe(() => {
      harness.answer = () => new Promise(() => undefined);
      harness.show(pod, harness.running('c', 'sim://1'));
    });
    await harness.clock.pass(10_000);
    expect(harness.asked).toEqual(['0 c sim://1', '10 c sim://1', '10 c sim://1']);
    // The probe is in flight, so no timer is set.
    expect(harness.clock.pending).toBe(0);
  });

  test('three failures make it unready, one success makes it ready (KL-77)', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: { ...PROBE, periodSeconds: 1 } });
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(500);
    harness.answer = () => FAILURE;
    await harness.clock.pass(3000);
    harness.answer = () => SUCCESS;
    await harness.clock.pass(1000);
    expect(harness.change).toEqual([
      '0 readiness sim://1 failure',
      '0 readiness sim://1 success',
      '3 readiness sim://1 failure',
      '4 readiness sim://1 success',
    ]);
  });
});

describe('liveness and startup', () => {
  test('liveness keeps to its period, so that a slow container has time', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ livenessProbe: PROBE });
    harness.manager.addPod(pod);
    await harness.clock.pass(1000);
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(10_000);
    expect(harness.asked).toEqual(['10 c sim://1']);
  });

  test('after a failure there are no probes until the container was replaced (KL-76)', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ livenessProbe: { ...PROBE, periodSeconds: 1, failureThreshold: 2 } });
    harness.answer = () => FAILURE;
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(5500);
    expect([...harness.manager.liveness(UID)]).toEqual([['sim://1', 'failure']]);
    harness.show(pod, harness.running('c', 'sim://2'));
    await harness.clock.pass(1000);
    expect(harness.asked).toEqual(['0 c sim://1', '1 c sim://1', '6 c sim://2']);
    expect([...harness.manager.liveness(UID)]).toEqual([['sim://2', 'success']]);
  });

  test('the others wait until the startup probe has decided', async () => {
    const harness = new TestHarness();
    const probe = { ...PROBE, periodSeconds: 1 };
    const pod = probedPod({ startupProbe: probe, livenessProbe: probe, readinessProbe: probe });
    harness.manager.subscribe(({ kind, outcome, containerID }) => {
      if (kind !== 'startup' || outcome !== 'success') return;
      harness.show(pod, harness.running('c', containerID, true));
    });
    harness.answer = () => FAILURE;
    harness.show(pod, harness.running('c', 'sim://1', false));
    harness.manager.addPod(pod);
    await harness.clock.pass(1500);
    harness.answer = () => SUCCESS;
    await harness.clock.pass(1000);
    expect(harness.events).toEqual([
      'Unhealthy Startup probe failed: ',
      'Unhealthy Startup probe failed: ',
    ]);
    expect(harness.change.slice(3)).toEqual([
      '2 startup sim://1 success',
      '2 readiness sim://1 success',
    ]);
    expect(harness.manager.of(UID).startupProbed).toEqual(new Set(['c']));
  });

  test('during termination they stop, but readiness and sidecars continue (KL-10)', async () => {
    const harness = new TestHarness();
    const probes = { livenessProbe: PROBE, startupProbe: PROBE, readinessProbe: PROBE };
    const side = sidecar('side', { livenessProbe: PROBE });
    const pod = podOf({ containers: [container('c', probes)], initContainers: [side] });
    harness.show(pod, harness.running('c', 'sim://1'), harness.running('side', 'sim://2'));
    harness.manager.addPod(pod);
    await harness.clock.pass(0);
    harness.manager.stopLivenessAndStartup(pod);
    harness.asked.length = 0;
    await harness.clock.pass(10_000);
    expect(harness.asked).toEqual(['10 c sim://1', '10 side sim://2']);
    expect([...harness.manager.liveness(UID).keys()]).toEqual(['sim://2']);
    expect(harness.manager.of(UID).startupProbed).toEqual(new Set(['c']));
  });
});

describe('pods come and go', () => {
  test('one that is already probed is left as it is (KL-70)', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: PROBE });
    harness.show(pod, harness.running('c', 'sim://1'));
    for (let again = 0; again < 3; again++) harness.manager.addPod(pod);
    await harness.clock.pass(0);
    expect(harness.asked).toHaveLength(1);
    expect(harness.clock.pending).toBe(1);
  });

  test('a worker that has ended is not created again by the next sync', async () => {
    const harness = new TestHarness();
    const base = probedPod({ readinessProbe: PROBE });
    const pod: Pod = { ...base, spec: { ...base.spec, restartPolicy: 'Never' } };
    const ended = { terminated: { exitCode: 0 } };
    harness.manager.subscribe(() => harness.manager.addPod(pod));
    harness.show(pod, { name: 'c', containerID: 'sim://1', state: ended });
    harness.manager.addPod(pod);
    await harness.clock.pass(60_000);
    harness.manager.addPod(pod);
    await harness.clock.pass(60_000);
    expect(harness.change).toEqual(['0 readiness sim://1 failure']);
    expect(harness.clock.pending).toBe(0);
  });

  test('a removed pod is forgotten, with its results and metrics', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ readinessProbe: PROBE });
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(0);
    expect(harness.metrics()).toHaveLength(2);
    harness.manager.removePod(pod);
    const { readiness, readinessProbed } = harness.manager.of(UID);
    expect([readiness.size, readinessProbed.size, harness.clock.pending]).toEqual([0, 0, 0]);
    expect(harness.metrics()).toEqual([]);
  });

  test('an answer that comes after the end changes nothing', async () => {
    const harness = new TestHarness();
    const pod = probedPod({ livenessProbe: { ...PROBE, failureThreshold: 1 } });
    let answer: (given: ProbeAnswer) => void = () => undefined;
    harness.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(0);
    harness.manager.podRemoved(pod);
    answer(FAILURE);
    await harness.clock.pass(1000);
    expect([harness.events, harness.change]).toEqual([[], ['0 liveness sim://1 success']]);
  });

  test('pods that are not desired any more are cleaned up (KL-64)', async () => {
    const harness = new TestHarness();
    const pods = ['a', 'b'].map((uid) => {
      const pod = probedPod({ readinessProbe: PROBE });
      return { ...pod, metadata: { ...pod.metadata, uid } };
    });
    for (const pod of pods) harness.manager.addPod(pod);
    harness.manager.cleanUp(new Set(['b']));
    expect(harness.manager.of('a').readinessProbed.size).toBe(0);
    expect(harness.manager.of('b').readinessProbed.size).toBe(1);
    harness.manager.stop();
    expect(harness.clock.pending).toBe(0);
  });
});

describe('when podkeep has just started', () => {
  test('first probes are spread over a period (KL-72)', async () => {
    const harness = new TestHarness(0.25);
    const pod = probedPod({ livenessProbe: PROBE, readinessProbe: PROBE });
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    harness.show(pod, harness.running('c', 'sim://1'));
    await harness.clock.pass(3000);
    expect(harness.asked).toEqual(['2.5 c sim://1', '2.5 c sim://1']);
  });

  test('later they are not', async () => {
    const harness = new TestHarness(0.25);
    const pod = probedPod({ livenessProbe: PROBE });
    await harness.clock.pass(10_000);
    harness.show(pod, harness.running('c', 'sim://1'));
    harness.manager.addPod(pod);
    await harness.clock.pass(0);
    expect(harness.asked).toEqual(['10 c sim://1']);
  });

  test('a container that ran long before has no result until its first probe (KL-79)', async () => {
    const harness = new TestHarness(0.5);
    const pod = probedPod({ readinessProbe: PROBE });
    const startedAt = formatTime(harness.clock.now() - 60_000);
    const shown = { ...harness.running('c', 'sim://1'), state: { running: { startedAt } } };
    harness.answer = () => FAILURE;
    harness.show(pod, shown);
    harness.manager.addPod(pod);
    await harness.clock.pass(24_999);
    expect(harness.manager.of(UID).readiness.size).toBe(0);
    await harness.clock.pass(1);
    expect(harness.change).toEqual(['25 readiness sim://1 failure']);
    expect(harness.manager.of(UID).since).toBe('2030-01-02T03:04:05Z');
  });
});

test('a listener that fails does not affect the others', async () => {
  const harness = new TestHarness();
  const pod = probedPod({ readinessProbe: PROBE });
  const stop = harness.manager.subscribe(() => {
    throw new Error('a bug elsewhere');
  });
  harness.show(pod, harness.running('c', 'sim://1'));
  harness.manager.addPod(pod);
  await harness.clock.pass(0);
  stop();
  expect(harness.change).toHaveLength(2);
  expect(harness.clock.pending).toBe(1);
});

test('an hour of probes is counted under the kubelet’s names', async () => {
  const harness = new TestHarness();
  const pod = probedPod({ livenessProbe: PROBE });
  harness.show(pod, harness.running('c', 'sim://1'));
  harness.manager.addPod(pod);
  await harness.clock.pass(1_800_000);
  harness.answer = () => FAILURE;
  await harness.clock.pass(1_800_000);
  const labels = 'container="c",namespace="default",pod="web"';
  expect(harness.metrics()).toEqual([
    `prober_probe_duration_seconds_count{${labels},probe_type="Liveness"} 181`,
    `prober_probe_total{${labels},pod_uid="uid-1",probe_type="Liveness",result="failed"} 3`,
    `prober_probe_total{${labels},pod_uid="uid-1",probe_type="Liveness",result="successful"} 181`,
  ]);
});
