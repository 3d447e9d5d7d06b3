/** Ends the pods that `podkeep up --keep-pods` left running: adopts them, and stops them in order. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { DataFolder } from '../data-folder.ts';
import type { Io } from '../io.ts';

/** What Kubernetes gives a container that says nothing. The runtime knows of no other. */
const GRACE_SECONDS = 30;

/** Nobody else may have the folder meanwhile. Returns what was stopped. */
export async function stopKeptPods({ node }: DataFolder, io: Io): Promise<readonly string[]> {
  const folder = path.join(node, 'runtime');
  if (!existsSync(folder)) return [];
  const stopped = await stopAll(folder, io);
  await unmount(node, io);
  return stopped;
}

async function stopAll(folder: string, io: Io): Promise<readonly string[]> {
  const { openProcessRuntime } = await import('../../runtimes/process/process-runtime.ts');
  const warn = (message: string): void => io.err(`warning ${message}\n`);
  const runtime = await openProcessRuntime({
    folder,
    clock,
    random,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: warn },
    events: { record: () => {} },
    path: io.env['PATH'] ?? '',
  });
  try {
    const pods = await runtime.list();
    await Promise.all(pods.map((pod) => stopPod(runtime, pod)));
    return pods.filter(isRunning).map(({ namespace, name }) => `pod ${namespace}/${name}`);
  } finally {
    await runtime.close();
  }
}

async function stopPod(runtime: PodRuntime, { pod }: RuntimePodEntry): Promise<void> {
  const running = pod.containers.filter(({ state }) => state === 'running');
  const never = new AbortController().signal;
  await Promise.all(running.map(({ id }) => runtime.stopContainer(id, GRACE_SECONDS, never)));
  for (const { id } of pod.sandboxes) {
    await runtime.stopSandbox(id);
    await runtime.removeSandbox(id);
  }
}

/**
 * As after a restart of the machine: what volumes have on the disk stays for as long as the API has the
 * pods, and the next podkeep mounts the rest anew. Without this nobody could delete the data folder.
 */
async function unmount(node: string, io: Io): Promise<void> {
  const { SystemMounter } = await import('../../kubelet/volumes/system-mounter.ts');
  const { mountsIn } = await import('../../kubelet/volumes/mounter.ts');
  const mounter = new SystemMounter({ probeFolder: node });
  await mounter.sweep();
  const pods = path.join(node, 'pods');
  for (const mount of await mountsIn(mounter, pods)) {
    // A disk that somebody has put there for all pods is theirs.
    if (mount.folder === pods) continue;
    await mounter.unmount(mount.folder).catch((error: unknown) => {
      io.err(`warning ${error instanceof Error ? error.message : String(error)}\n`);
    });
  }
}

/** As it was when it was listed. */
function isRunning({ pod }: RuntimePodEntry): boolean {
  const isReady = pod.sandboxes.some(({ ready }) => ready);
  return isReady || pod.containers.some(({ state }) => state === 'running');
}
