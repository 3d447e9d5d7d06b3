/** `kubectl top` against the embedded server, compared with /proc. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parseQuantity } from '../../../src/api/values/quantity-text.ts';
import { parseGoDuration } from '../../../src/api/values/time-duration.ts';
import { podCluster } from '../support/pod-cluster.ts';
import { shellPod } from '../support/pod-view.ts';

const cluster = podCluster('top');
const MARK = 'podkeep-top-test';
const TICKS_PER_SECOND = 100;

interface Sample {
  readonly timeMs: number;
  readonly cpuSeconds: number;
}

interface Window {
  readonly endMs: number;
  readonly windowMs: number;
  readonly cores: number;
}

/** CPU time of the processes whose command line has the mark. */
function sample(): Sample {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((sum, pid) => sum + ticksOf(pid), 0);
  return { timeMs: Date.now(), cpuSeconds: ticks / TICKS_PER_SECOND };
}

function ticksOf(pid: string): number {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (!command.includes(MARK)) return 0;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0; // It has ended meanwhile.
  }
}

async function windowNow(): Promise<Window | null> {
  const path = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/busy';
  const text = await cluster.kubectl(['get', '--raw', path]).catch(() => null);
  if (text === null) return null;
  const found = JSON.parse(text) as {
    timestamp: string;
    window: string;
    containers: { usage: { cpu: string } }[];
  };
  const cores = Number(parseQuantity(found.containers[0]?.usage.cpu ?? '0').nanos) / 1e9;
  const windowMs = parseGoDuration(found.window);
  return { endMs: Date.parse(found.timestamp) + 500, windowMs, cores };
}

function cpuAt(samples: readonly Sample[], timeMs: number): number {
  const after = samples.findIndex((each) => each.timeMs >= timeMs);
  const [a, b] = [samples[after - 1], samples[after]];
  if (!a || !b) throw new Error('the window is not within the samples');
  const part = (timeMs - a.timeMs) / (b.timeMs - a.timeMs);
  return a.cpuSeconds + part * (b.cpuSeconds - a.cpuSeconds);
}

test('the usage of a pod that is limited to 300m agrees with /proc within 5 %', async () => {
  const command = ['sh', '-c', 'while :; do :; done', MARK];
  const resources = { limits: { cpu: '300m', memory: '64Mi' } };
  await cluster.apply(shellPod({ name: 'busy', container: { command, resources } }));
  await cluster.ready('busy');
  const samples: Sample[] = [];
  const windows = new Map<number, Window>();
  const endMs = Date.now() + 60_000;
  while (windows.size < 3 && Date.now() < endMs) {
    samples.push(sample());
    const seen = await windowNow();
    const [first] = samples;
    if (seen && first && seen.endMs - seen.windowMs > first.timeMs) windows.set(seen.endMs, seen);
    await pause(500);
  }
  samples.push(sample());
  const last = [...windows.values()].slice(-2);
  expect(last).toHaveLength(2);
  const reported = last.reduce((sum, each) => sum + (each.cores * each.windowMs) / 1000, 0);
  const measured = last.reduce((sum, each) => {
    return sum + cpuAt(samples, each.endMs) - cpuAt(samples, each.endMs - each.windowMs);
  }, 0);
  expect(Math.abs(reported - measured) / measured).toBeLessThan(0.05);
  expect(await cluster.kubectl(['top', 'pods'])).toMatch(/^busy +\d+m +\d+Mi/m);
  expect(await cluster.kubectl(['top', 'pods', '--containers'])).toMatch(/^busy +main +\d+m/m);
  expect(await cluster.kubectl(['top', 'nodes'])).toMatch(/^\S+ +\d+m +\d+% +\d+Mi +\d+%/m);
  const services = await cluster.kubectl(['get', 'apiservices']);
  expect(services).toMatch(/^v1beta1\.metrics\.k8s\.io +Local +True/m);
});
