/**
 * Real pressure on containerd: podkeep and Kubernetes' own kubelet, one after the other on the same node with
 * the same thresholds, evict the same pods in the same words.
 *
 * All pods together have 512Mi, whatever the machine has: other programs of it cause no pressure. A pod under a
 * hard limit of its own crosses the threshold with files in memory.
 */
import { totalmem } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { waitFor } from '../e2e/support/patience.ts';
import { objectionToKubelet, RealKubelet } from './support/real-kubelet.ts';
import { NODE, harnessOf } from './support/cluster-harness.ts';
import { pod } from './support/workloads.ts';

const OBJECTION = objectionToKubelet();
if (OBJECTION !== null) console.log(`skipped: ${OBJECTION}`);

const MiB = 2 ** 20;
const PODS_MIB = 512;
const THRESHOLD_MIB = 200;
const HUNGER_MIB = 400;
const WAIT_MS = 180_000;
/** It has to be killed: a pod whose containers all exit with 0 has Succeeded, evicted or not (KL-22). */
const STUBBORN = 'while :; do sleep 0.1; done';
const TIMEOUT = { timeout: 900_000 };

const CONFIG = (folder: string): JsonObject => ({
  podLogsDir: path.join(folder, 'logs/pods'),
  cgroupsPerQOS: true,
  enforceNodeAllocatable: ['pods'],
  systemReserved: { memory: `${Math.floor(totalmem() / MiB) - PODS_MIB}Mi` },
  evictionHard: { 'memory.available': `${THRESHOLD_MIB}Mi` },
  evictionPressureTransitionPeriod: '10s',
});

/** What a cluster sees of one eviction, without its figures. */
interface Seen {
  readonly status: unknown;
  readonly events: readonly string[];
  readonly nodeEvents: readonly string[];
}

interface EvictedPod {
  readonly status: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly JsonObject[];
  };
}

/** `requestMib`: a pod that uses less goes last, even if what a kubelet measured of it is old. */
function inMemory(name: string, mib: number, requestMib: number): JsonObject {
  const resources = {
    requests: { memory: `${requestMib}Mi` },
    limits: { memory: `${HUNGER_MIB + 60}Mi` },
  };
  const script = `dd if=/dev/zero of=/ram/ballast bs=1M count=${mib}; ${STUBBORN}`;
  const volumeMounts = [{ name: 'ram', mountPath: '/ram' }];
  const volumes = [{ name: 'ram', emptyDir: { medium: 'Memory' } }];
  return pod({ name, script, container: { resources, volumeMounts }, pod: { volumes } });
}

function onDisk(name: string, mib: number): JsonObject {
  const script = `dd if=/dev/zero of=/ballast bs=1M count=${mib}; ${STUBBORN}`;
  return pod({
    name,
    script,
    container: { resources: { limits: { 'ephemeral-storage': '10Mi' } } },
  });
}

describe.skipIf(OBJECTION !== null)('under pressure on containerd 2.1', () => {
  const harness = harnessOf('pressure', '2.1', CONFIG);

  const readPod = async (name: string): Promise<EvictedPod> =>
    JSON.parse(await harness.kubectl(`get pod ${name} -o json`)) as EvictedPod;

  async function hasPressure(): Promise<boolean> {
    const node = JSON.parse(await harness.kubectl(`get node ${NODE} -o json`)) as EvictedPod;
    return (node.status.conditions ?? []).some(
      ({ type, status }) => type === 'MemoryPressure' && status === 'True',
    );
  }

  async function evicted(name: string): Promise<unknown> {
    const view = await waitFor({ what: `${name} to be evicted`, deadlineMs: WAIT_MS }, async () => {
      const found = await readPod(name);
      return found.status.phase === 'Failed' ? found : undefined;
    });
    const { phase, reason, message, conditions = [] } = view.status;
    const target = conditions.find(({ type }) => type === 'DisruptionTarget');
    return {
      phase,
      reason,
      message: plain(message),
      target: target && plain(JSON.stringify([target['reason'], target['message']])),
    };
  }

  async function eventsOf(name: string, reasons: RegExp): Promise<readonly string[]> {
    const events = await harness.events(name);
    const found = events.filter(({ reason }) => reasons.test(reason));
    return [
      ...new Set(found.map(({ type, reason, message }) => `${type} ${reason} ${plain(message)}`)),
    ].toSorted();
  }

  async function crossMemory(): Promise<Seen> {
    await harness.kubectl('delete events --all');
    await harness.apply(inMemory('modest', 10, 100), inMemory('hungry', HUNGER_MIB, 10));
    const status = await evicted('hungry');
    await waitFor({ what: 'the pressure to end', deadlineMs: WAIT_MS }, async () => {
      const reasons = (await harness.events(NODE)).map(({ reason }) => reason);
      return reasons.includes('NodeHasInsufficientMemory') && !(await hasPressure())
        ? true
        : undefined;
    });
    expect((await readPod('modest')).status.phase).toBe('Running');
    const events = await eventsOf('hungry', /^Evicted$/);
    const nodeEvents = await eventsOf(NODE, /Memory|Eviction/);
    await harness.kubectl('delete pods --all --grace-period=1 --timeout=90s');
    return { status, events, nodeEvents };
  }

  async function crossOwnLimit(): Promise<Seen> {
    await harness.apply(onDisk('writer', 30));
    const status = await evicted('writer');
    const events = await eventsOf('writer', /^Evicted$/);
    await harness.kubectl('delete pods --all --grace-period=1 --timeout=90s');
    return { status, events, nodeEvents: [] };
  }

  test('podkeep and the kubelet evict the same pods, in the same words', TIMEOUT, async () => {
    const own = [await crossMemory(), await crossOwnLimit()];
    expect(own[0]?.status).toMatchObject({ phase: 'Failed', reason: 'Evicted' });
    expect(own[0]?.nodeEvents.join('\n')).toMatch(
      /EvictionThresholdMet Attempting to reclaim memory/,
    );
    expect(own[1]?.status).toMatchObject({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod ephemeral local storage usage exceeds the total limit of containers N. ',
    });
    await harness.node.stop();
    const { folder, plane, containerd } = harness;
    const kubelet = await RealKubelet.start({
      name: NODE,
      folder: path.join(folder, 'kubelet'),
      plane,
      containerd,
      config: { cgroupRoot: containerd.cgroupRoot, ...CONFIG(folder) },
    });
    onTestFinished(() => kubelet.stop());
    const theirs = [await crossMemory(), await crossOwnLimit()];
    expect(own).toEqual(theirs);
  });
});

/** Without amounts. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll(/\b\d+[KMG]?i?\b/g, 'N');
}
