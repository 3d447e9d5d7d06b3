/**
 * Measures thousands of simulated pods on one node: API server, scheduler and kubelet in one process.
 *
 * No process is started, so this measures podkeep itself and the disk.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PodHarness, sleepingPod } from './node-clients.ts';
import { bareCommits, rowOf } from './node-figures.ts';
import { NodeProgram } from './node-program.ts';
import { formatTable } from './table.ts';

const PODS = 2000;
const CONNECTIONS = 16;
const SETTLE_MS = 2000;
const CONFIG = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  maxPods: PODS + 100,
};

/** `processes`: the memory of a node with the process runtime, for comparison. */
export async function benchNodeMany(
  print: (line: string) => void,
  processes: { readonly idleMb: number; readonly busyMb: number },
): Promise<void> {
  const program = new NodeProgram(['--runtime', 'simulated'], CONFIG);
  try {
    await program.heard('node');
    const harness = await PodHarness.open(program, CONNECTIONS);
    try {
      await benchPods(program, harness, print, processes);
    } finally {
      harness.close();
    }
  } finally {
    await program.stop();
  }
}

async function benchPods(
  program: NodeProgram,
  harness: PodHarness,
  print: (line: string) => void,
  { idleMb, busyMb }: { readonly idleMb: number; readonly busyMb: number },
): Promise<void> {
  const names = Array.from({ length: PODS }, (_, n) => `many-${n}`);
  const cpu = program.cpuMs().own;
  const startMs = performance.now();
  await Promise.all(names.map((name) => harness.create(sleepingPod(name))));
  const createdMs = performance.now() - startMs;
  await Promise.all(names.map((name) => harness.ready(name)));
  const readyMs = performance.now() - startMs;
  const readyCpu = program.cpuMs().own - cpu;
  await sleep(SETTLE_MS);
  const manyMb = program.residentMb();
  const commits = await bareCommits(PODS);
  const commitsMs = commits.reduce((sum, ms) => sum + ms, 0);
  print(
    formatTable(
      [`${PODS} simulated pods`, 'measured', 'at most'],
      [
        rowOf({ name: 'until all of them are Ready', measured: readyMs, most: 10_000 }),
        rowOf({ name: '  of which until all of them are created', measured: createdMs }),
        rowOf({ name: `(${PODS} bare durable commits)`, measured: commitsMs }),
        rowOf({ name: '(CPU of podkeep per pod)', measured: readyCpu / PODS }),
      ],
    ),
  );
  print(
    formatTable(
      ['resident memory', 'measured', ''],
      [
        rowOf({ name: 'idle', measured: idleMb, unit: 'MB' }),
        rowOf({ name: 'with 50 pods of processes', measured: busyMb, unit: 'MB' }),
        rowOf({ name: `with ${PODS} simulated pods`, measured: manyMb, unit: 'MB' }),
      ],
    ),
  );
}
