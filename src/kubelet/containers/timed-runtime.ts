/**
 * Adds a time limit (runtimeRequestTimeout of KubeletConfiguration) to the calls of a container runtime, and
 * measures them.
 *
 * A runtime that hangs must not block a pod worker. The call may still take effect later, but every operation
 * can be repeated, so a retry is safe. The limit of a stop is extended by its grace period. Pulls, commands
 * and streams have no time limit: their callers can abort them.
 *
 * Metrics use the names that Kubernetes' kubelet gives to CRI calls. One call of a runtime may count as
 * several CRI calls: `list` lists sandboxes and containers, and `inspect` counts as the status of a sandbox.
 */
import type { Clock } from '../../ports/clock.ts';
import type { ImageStore } from '../../ports/runtime/image-store.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { RuntimeObserver } from '../../ports/observe/runtime-observer.ts';
import { defineError } from '../../lib/errors.ts';

const TIMEOUT_MS = 120_000;

export const runtimeTimedOut = defineError<{ what: string; seconds: number }>({
  code: 'RUNTIME_TIMED_OUT',
  retry: 'backoff',
  message: ({ what, seconds }) =>
    `the container runtime did not answer to ${what} within ${seconds} s: context deadline exceeded`,
  hint: () =>
    'Podkeep retries automatically. If this persists, check the load and the log of the runtime.',
});

export interface TimedRuntimeDeps {
  readonly clock: Clock;
  /** Absent: calls are not measured. */
  readonly observer?: RuntimeObserver;
}

/** The kubelet's names of the operations, by call. */
const OPERATIONS = {
  version: ['version'],
  status: ['status'],
  list: ['list_podsandbox', 'list_containers'],
  inspect: ['podsandbox_status'],
  runSandbox: ['run_podsandbox'],
  stopSandbox: ['stop_podsandbox'],
  removeSandbox: ['remove_podsandbox'],
  createContainer: ['create_container'],
  startContainer: ['start_container'],
  stopContainer: ['stop_container'],
  removeContainer: ['remove_container'],
  updateResources: ['update_container'],
  reopenLog: ['reopen_container_log'],
  execSync: ['exec_sync'],
  exec: ['exec'],
  attach: ['attach'],
  connectPort: ['port_forward'],
  containerStats: ['list_container_stats'],
  sandboxStats: ['list_podsandbox_stats'],
  findImage: ['image_status'],
  pullImage: ['pull_image'],
  listImages: ['list_images'],
  removeImage: ['remove_image'],
  imageUsage: ['image_fs_info'],
} as const;

type Call = keyof typeof OPERATIONS;
type Ask = <Answer>(what: Call, answer: Promise<Answer>) => Promise<Answer>;

interface Asking {
  /** With a time limit. */
  readonly ask: Ask;
  /** Without one. */
  readonly measure: Ask;
}

export function timedRuntime(
  runtime: PodRuntime,
  { clock, observer }: TimedRuntimeDeps,
  timeoutMs: number = TIMEOUT_MS,
): PodRuntime {
  const measure: Ask = observer
    ? (what, answer) => measured(clock, observer, what, answer)
    : (_what, answer) => answer;
  const ask: Ask = (what, answer) => measure(what, inTime(clock, what, timeoutMs, answer));
  const asking = { ask, measure };
  const run: PodRuntime['runSandbox'] = (config, signal) => {
    const answer = ask('runSandbox', runtime.runSandbox(config, signal));
    return observer
      ? measuredSandbox(clock, observer, config.runtimeHandler ?? '', answer)
      : answer;
  };
  return {
    ...optionalParts(runtime, asking),
    name: runtime.name,
    images: timedImages(runtime.images, asking),
    version: () => ask('version', runtime.version()),
    status: () => ask('status', runtime.status()),
    list: () => ask('list', runtime.list()),
    inspect: (uid) => ask('inspect', runtime.inspect(uid)),
    runSandbox: run,
    stopSandbox: (id) => ask('stopSandbox', runtime.stopSandbox(id)),
    removeSandbox: (id) => ask('removeSandbox', runtime.removeSandbox(id)),
    createContainer: (sandboxId, config, signal) =>
      ask('createContainer', runtime.createContainer(sandboxId, config, signal)),
    startContainer: (id) => ask('startContainer', runtime.startContainer(id)),
    stopContainer: (id, graceSeconds, signal) =>
      measure(
        'stopContainer',
        inTime(
          clock,
          'stopContainer',
          timeoutMs + graceSeconds * 1000,
          runtime.stopContainer(id, graceSeconds, signal),
        ),
      ),
    removeContainer: (id) => ask('removeContainer', runtime.removeContainer(id)),
    reopenLog: (id) => ask('reopenLog', runtime.reopenLog(id)),
    execSync: (id, request, signal) => measure('execSync', runtime.execSync(id, request, signal)),
    close: () => runtime.close(),
  };
}

/** A pull has no time limit. */
function timedImages(images: ImageStore, { ask, measure }: Asking): ImageStore {
  const isLocal = images.isLocal?.bind(images);
  return {
    ...(isLocal && { isLocal }),
    find: (image, use) => ask('findImage', images.find(image, use)),
    pull: (image, credentials, signal, use) =>
      measure('pullImage', images.pull(image, credentials, signal, use)),
    list: () => ask('listImages', images.list()),
    remove: (ref) => ask('removeImage', images.remove(ref)),
    usage: () => ask('imageUsage', images.usage()),
  };
}

/** Optional methods that the runtime does not have stay absent. */
function optionalParts(runtime: PodRuntime, { ask, measure }: Asking): Partial<PodRuntime> {
  const follow = runtime.follow?.bind(runtime);
  const updateResources = runtime.updateResources?.bind(runtime);
  const exec = runtime.exec?.bind(runtime);
  const attach = runtime.attach?.bind(runtime);
  const connectPort = runtime.connectPort?.bind(runtime);
  const ownsPort = runtime.ownsPort?.bind(runtime);
  const containerStats = runtime.containerStats?.bind(runtime);
  const sandboxStats = runtime.sandboxStats?.bind(runtime);
  return {
    ...(follow && { follow }),
    ...(updateResources && {
      updateResources: (id, resources) => ask('updateResources', updateResources(id, resources)),
    }),
    ...(exec && { exec: (...given) => measure('exec', exec(...given)) }),
    ...(attach && { attach: (...given) => measure('attach', attach(...given)) }),
    ...(connectPort && {
      connectPort: (...given) => measure('connectPort', connectPort(...given)),
    }),
    ...(ownsPort && { ownsPort }),
    ...(containerStats && { containerStats: () => ask('containerStats', containerStats()) }),
    ...(sandboxStats && { sandboxStats: () => ask('sandboxStats', sandboxStats()) }),
  };
}

/** Resolves or rejects as the answer does. */
function measured<Answer>(
  clock: Clock,
  observer: RuntimeObserver,
  what: Call,
  answer: Promise<Answer>,
): Promise<Answer> {
  const beganAtMs = clock.monotonic();
  const ended = (isFailed: boolean): void => {
    const seconds = (clock.monotonic() - beganAtMs) / 1000;
    for (const name of OPERATIONS[what]) observer.operationEnded(name, seconds, isFailed);
  };
  void answer.then(
    () => ended(false),
    () => ended(true),
  );
  return answer;
}

function measuredSandbox<Answer>(
  clock: Clock,
  observer: RuntimeObserver,
  handler: string,
  answer: Promise<Answer>,
): Promise<Answer> {
  const beganAtMs = clock.monotonic();
  const ended = (isFailed: boolean): void =>
    observer.sandboxRan(handler, (clock.monotonic() - beganAtMs) / 1000, isFailed);
  void answer.then(
    () => ended(false),
    () => ended(true),
  );
  return answer;
}

function inTime<Answer>(
  clock: Clock,
  what: string,
  ms: number,
  answer: Promise<Answer>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => {
      reject(runtimeTimedOut({ what, seconds: Math.round(ms / 1000) }));
    });
    void answer.then(resolve, reject).finally(cancel);
  });
}
