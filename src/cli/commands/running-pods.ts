/** Stops the pods that `podkeep up --keep-pods` left running: adopts them, and stops them in order. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { PodRuntime, RuntimePodEntry } from '../../ports/runtime/pod-runtime.ts';
import type { DataFolder } from '../data-folder.ts';
import type { Io } from '../io.ts';
import { visibleText } from '../terminal-text.ts';

/** The API's default grace period: the runtime does not know the one of the pod. */
const GRACE_SECONDS = 30;

/** Returns the pods that were stopped. The caller must hold the lock of the folder. */
export async function stopRunningPods(
  folder: DataFolder,
  io: Io,
  graceSeconds = GRACE_SECONDS,
): Promise<readonly string[]> {
  const nodes = nodeFoldersOf(folder);
  const stopped = await Promise.all(nodes.map((node) => stopPodsOfNode(node, io, graceSeconds)));
  return stopped.flat();
}

/** `node`: the folder of a node that no podkeep has open. */
export async function stopPodsOfNode(
  node: string,
  io: Pick<Io, 'err' | 'env'>,
  graceSeconds = GRACE_SECONDS,
): Promise<readonly string[]> {
  const folder = path.join(node, 'runtime');
  if (!existsSync(folder)) return [];
  const stopped = await stopAll(folder, io, graceSeconds);
  await unmount(node, io);
  return stopped;
}

/** Those that exist, whether they are recorded or not: what runs in them is podkeep's. */
function nodeFoldersOf({ node, nodes }: DataFolder): readonly string[] {
  const others = existsSync(nodes) ? readdirSync(nodes, { withFileTypes: true }) : [];
  const folders = others.filter((entry) => entry.isDirectory());
  return [node, ...folders.map(({ name }) => path.join(nodes, name))];
}

async function stopAll(
  folder: string,
  io: Pick<Io, 'err' | 'env'>,
  graceSeconds: number,
): Promise<readonly string[]> {
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
    await Promise.all(pods.map((pod) => stopPod(runtime, pod, graceSeconds)));
    return pods.filter(isRunning).map(({ namespace, name }) => `pod ${namespace}/${name}`);
  } finally {
    await runtime.close();
  }
}

async function stopPod(
  runtime: PodRuntime,
  { pod }: RuntimePodEntry,
  graceSeconds: number,
): Promise<void> {
  const running = pod.containers.filter(({ state }) => state === 'running');
  const never = new AbortController().signal;
  await Promise.all(running.map(({ id }) => runtime.stopContainer(id, graceSeconds, never)));
  for (const { id } of pod.sandboxes) {
    await runtime.stopSandbox(id);
    await runtime.removeSandbox(id);
  }
}

/**
 * Unmounts volumes, as a reboot would. Volume data on disk stays, and the next podkeep mounts the volumes
 * again if the API still has the pods. Without this the data folder could not be deleted.
 */
async function unmount(node: string, io: Pick<Io, 'err'>): Promise<void> {
  const { SystemMounter } = await import('../../kubelet/volumes/mounts/system-mounter.ts');
  const { mountsIn } = await import('../../kubelet/volumes/mounts/mounter.ts');
  const mounter = new SystemMounter({ probeFolder: node });
  await mounter.sweep();
  const pods = path.join(node, 'pods');
  for (const mount of await mountsIn(mounter, pods)) {
    // An administrator may have mounted a disk for the folder of all pods; it stays.
    if (mount.folder === pods) continue;
    await mounter.unmount(mount.folder).catch((error: unknown) => {
      io.err(`warning ${visibleText(error instanceof Error ? error.message : String(error))}\n`);
    });
  }
}

/** Whether the pod had a ready sandbox or a running container when it was listed. */
function isRunning({ pod }: RuntimePodEntry): boolean {
  const isReady = pod.sandboxes.some(({ ready }) => ready);
  return isReady || pod.containers.some(({ state }) => state === 'running');
}
