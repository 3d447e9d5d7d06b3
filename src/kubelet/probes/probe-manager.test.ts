import { describe, expect, test } from 'vitest';
import type { Container, ContainerStatus, Pod, PodStatus } from '../../api/pod.ts';
import { formatTime } from '../../api/time.ts';
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

/** A node on which everything but the probes is played. */
class Stage {
  readonly clock = new VirtualClock();
  readonly registry = new Registry();
  readonly statuses = new Map<string, PodStatus>();
  readonly news: string[] = [];
  readonly events: string[] = [];
  /** When who was asked, in seconds. */
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
      this.news.push(`${this.clock.monotonic() / 1000} ${kind} ${containerID} ${outcome}`);
    });
  }

  /** Podkeep stores a status, and tells of it. */
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
  test('a container is asked as soon as it runs, and then once in each period', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: PROBE });
    stage.manager.addPod(pod);
    await stage.clock.pass(4000);
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(21_000);
    expect(stage.asked).toEqual(['4 c sim://1', '14 c sim://1', '24 c sim://1']);
    expect(stage.news).toEqual(['4 readiness sim://1 failure', '4 readiness sim://1 success']);
    expect([...stage.manager.of(UID).readiness]).toEqual([['sim://1', 'success']]);
  });

  test('a change of the status asks again as long as it is not ready (KL-78)', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: PROBE });
    stage.answer = () => FAILURE;
    stage.manager.addPod(pod);
    await stage.clock.pass(1000);
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(1000);
    stage.answer = () => SUCCESS;
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(0);
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(9999);
    expect(stage.asked).toEqual(['1 c sim://1', '2 c sim://1']);
    expect(stage.events).toEqual(['Unhealthy Readiness probe failed: ']);
  });

  test('a status in which it has not started hurries nobody', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: PROBE });
    stage.manager.addPod(pod);
    await stage.clock.pass(4000);
    stage.show(pod, stage.running('c', 'sim://1', false));
    stage.statuses.set(UID, {
      phase: 'Running',
      containerStatuses: [stage.running('c', 'sim://1')],
    });
    await stage.clock.pass(10_000);
    expect(stage.asked).toEqual(['10 c sim://1']);
  });

  test('a look that a result has caused is made after the result was dealt with', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: { ...PROBE, failureThreshold: 1 } });
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(0);
    stage.answer = () => FAILURE;
    stage.manager.subscribe(() => {
      stage.answer = () => new Promise(() => undefined);
      stage.show(pod, stage.running('c', 'sim://1'));
    });
    await stage.clock.pass(10_000);
    expect(stage.asked).toEqual(['0 c sim://1', '10 c sim://1', '10 c sim://1']);
    // The probe is under way, so no timer is set.
    expect(stage.clock.pending).toBe(0);
  });

  test('three failures take it out of service, one success brings it back (KL-77)', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: { ...PROBE, periodSeconds: 1 } });
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(500);
    stage.answer = () => FAILURE;
    await stage.clock.pass(3000);
    stage.answer = () => SUCCESS;
    await stage.clock.pass(1000);
    expect(stage.news).toEqual([
      '0 readiness sim://1 failure',
      '0 readiness sim://1 success',
      '3 readiness sim://1 failure',
      '4 readiness sim://1 success',
    ]);
  });
});

describe('liveness and startup', () => {
  test('liveness keeps to its period, so that a slow container has time', async () => {
    const stage = new Stage();
    const pod = probedPod({ livenessProbe: PROBE });
    stage.manager.addPod(pod);
    await stage.clock.pass(1000);
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(10_000);
    expect(stage.asked).toEqual(['10 c sim://1']);
  });

  test('after a failure nobody asks until the container was replaced (KL-76)', async () => {
    const stage = new Stage();
    const pod = probedPod({ livenessProbe: { ...PROBE, periodSeconds: 1, failureThreshold: 2 } });
    stage.answer = () => FAILURE;
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(5500);
    expect([...stage.manager.liveness(UID)]).toEqual([['sim://1', 'failure']]);
    stage.show(pod, stage.running('c', 'sim://2'));
    await stage.clock.pass(1000);
    expect(stage.asked).toEqual(['0 c sim://1', '1 c sim://1', '6 c sim://2']);
    expect([...stage.manager.liveness(UID)]).toEqual([['sim://2', 'success']]);
  });

  test('the others wait until the startup probe has decided', async () => {
    const stage = new Stage();
    const probe = { ...PROBE, periodSeconds: 1 };
    const pod = probedPod({ startupProbe: probe, livenessProbe: probe, readinessProbe: probe });
    stage.manager.subscribe(({ kind, outcome, containerID }) => {
      if (kind !== 'startup' || outcome !== 'success') return;
      stage.show(pod, stage.running('c', containerID, true));
    });
    stage.answer = () => FAILURE;
    stage.show(pod, stage.running('c', 'sim://1', false));
    stage.manager.addPod(pod);
    await stage.clock.pass(1500);
    stage.answer = () => SUCCESS;
    await stage.clock.pass(1000);
    expect(stage.events).toEqual([
      'Unhealthy Startup probe failed: ',
      'Unhealthy Startup probe failed: ',
    ]);
    expect(stage.news.slice(3)).toEqual([
      '2 startup sim://1 success',
      '2 readiness sim://1 success',
    ]);
    expect(stage.manager.of(UID).startupProbed).toEqual(new Set(['c']));
  });

  test('on the way out they stop, but readiness and sidecars go on (KL-10)', async () => {
    const stage = new Stage();
    const probes = { livenessProbe: PROBE, startupProbe: PROBE, readinessProbe: PROBE };
    const side = sidecar('side', { livenessProbe: PROBE });
    const pod = podOf({ containers: [container('c', probes)], initContainers: [side] });
    stage.show(pod, stage.running('c', 'sim://1'), stage.running('side', 'sim://2'));
    stage.manager.addPod(pod);
    await stage.clock.pass(0);
    stage.manager.stopLivenessAndStartup(pod);
    stage.asked.length = 0;
    await stage.clock.pass(10_000);
    expect(stage.asked).toEqual(['10 c sim://1', '10 side sim://2']);
    expect([...stage.manager.liveness(UID).keys()]).toEqual(['sim://2']);
    expect(stage.manager.of(UID).startupProbed).toEqual(new Set(['c']));
  });
});

describe('pods come and go', () => {
  test('one that is probed already is left as it is (KL-70)', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: PROBE });
    stage.show(pod, stage.running('c', 'sim://1'));
    for (let again = 0; again < 3; again++) stage.manager.addPod(pod);
    await stage.clock.pass(0);
    expect(stage.asked).toHaveLength(1);
    expect(stage.clock.pending).toBe(1);
  });

  test('a worker that has ended is not made anew by the next sync', async () => {
    const stage = new Stage();
    const base = probedPod({ readinessProbe: PROBE });
    const pod: Pod = { ...base, spec: { ...base.spec, restartPolicy: 'Never' } };
    const ended = { terminated: { exitCode: 0 } };
    stage.manager.subscribe(() => stage.manager.addPod(pod));
    stage.show(pod, { name: 'c', containerID: 'sim://1', state: ended });
    stage.manager.addPod(pod);
    await stage.clock.pass(60_000);
    stage.manager.addPod(pod);
    await stage.clock.pass(60_000);
    expect(stage.news).toEqual(['0 readiness sim://1 failure']);
    expect(stage.clock.pending).toBe(0);
  });

  test('a removed pod is forgotten, with its results and numbers', async () => {
    const stage = new Stage();
    const pod = probedPod({ readinessProbe: PROBE });
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(0);
    expect(stage.metrics()).toHaveLength(2);
    stage.manager.removePod(pod);
    const { readiness, readinessProbed } = stage.manager.of(UID);
    expect([readiness.size, readinessProbed.size, stage.clock.pending]).toEqual([0, 0, 0]);
    expect(stage.metrics()).toEqual([]);
  });

  test('an answer that comes after the end changes nothing', async () => {
    const stage = new Stage();
    const pod = probedPod({ livenessProbe: { ...PROBE, failureThreshold: 1 } });
    let answer: (given: ProbeAnswer) => void = () => undefined;
    stage.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(0);
    stage.manager.podRemoved(pod);
    answer(FAILURE);
    await stage.clock.pass(1000);
    expect([stage.events, stage.news]).toEqual([[], ['0 liveness sim://1 success']]);
  });

  test('pods that are not wanted any more are cleaned up (KL-64)', async () => {
    const stage = new Stage();
    const pods = ['a', 'b'].map((uid) => {
      const pod = probedPod({ readinessProbe: PROBE });
      return { ...pod, metadata: { ...pod.metadata, uid } };
    });
    for (const pod of pods) stage.manager.addPod(pod);
    stage.manager.cleanUp(new Set(['b']));
    expect(stage.manager.of('a').readinessProbed.size).toBe(0);
    expect(stage.manager.of('b').readinessProbed.size).toBe(1);
    stage.manager.stop();
    expect(stage.clock.pending).toBe(0);
  });
});

describe('when podkeep has just begun', () => {
  test('first looks are spread over a period (KL-72)', async () => {
    const stage = new Stage(0.25);
    const pod = probedPod({ livenessProbe: PROBE, readinessProbe: PROBE });
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    stage.show(pod, stage.running('c', 'sim://1'));
    await stage.clock.pass(3000);
    expect(stage.asked).toEqual(['2.5 c sim://1', '2.5 c sim://1']);
  });

  test('later they are not', async () => {
    const stage = new Stage(0.25);
    const pod = probedPod({ livenessProbe: PROBE });
    await stage.clock.pass(10_000);
    stage.show(pod, stage.running('c', 'sim://1'));
    stage.manager.addPod(pod);
    await stage.clock.pass(0);
    expect(stage.asked).toEqual(['10 c sim://1']);
  });

  test('a container that ran long before has no result until it was asked (KL-79)', async () => {
    const stage = new Stage(0.5);
    const pod = probedPod({ readinessProbe: PROBE });
    const startedAt = formatTime(stage.clock.now() - 60_000);
    const shown = { ...stage.running('c', 'sim://1'), state: { running: { startedAt } } };
    stage.answer = () => FAILURE;
    stage.show(pod, shown);
    stage.manager.addPod(pod);
    await stage.clock.pass(24_999);
    expect(stage.manager.of(UID).readiness.size).toBe(0);
    await stage.clock.pass(1);
    expect(stage.news).toEqual(['25 readiness sim://1 failure']);
    expect(stage.manager.of(UID).since).toBe('2030-01-02T03:04:05Z');
  });
});

test('a listener that fails harms nobody', async () => {
  const stage = new Stage();
  const pod = probedPod({ readinessProbe: PROBE });
  const stop = stage.manager.subscribe(() => {
    throw new Error('a bug elsewhere');
  });
  stage.show(pod, stage.running('c', 'sim://1'));
  stage.manager.addPod(pod);
  await stage.clock.pass(0);
  stop();
  expect(stage.news).toHaveLength(2);
  expect(stage.clock.pending).toBe(1);
});

test('an hour of probes is counted under the kubelet’s names', async () => {
  const stage = new Stage();
  const pod = probedPod({ livenessProbe: PROBE });
  stage.show(pod, stage.running('c', 'sim://1'));
  stage.manager.addPod(pod);
  await stage.clock.pass(1_800_000);
  stage.answer = () => FAILURE;
  await stage.clock.pass(1_800_000);
  const labels = 'container="c",namespace="default",pod="web"';
  expect(stage.metrics()).toEqual([
    `prober_probe_duration_seconds_count{${labels},probe_type="Liveness"} 181`,
    `prober_probe_total{${labels},pod_uid="uid-1",probe_type="Liveness",result="failed"} 3`,
    `prober_probe_total{${labels},pod_uid="uid-1",probe_type="Liveness",result="successful"} 181`,
  ]);
});
