/**
 * A runtime that answers in time, or is given up: runtimeRequestTimeout of KubeletConfiguration.
 *
 * A runtime that hangs must not take a pod's worker with it. What was asked for may still happen later;
 * every operation may be asked for again, so nothing is lost by asking once more. A stop gets its grace
 * on top. Pulls, commands and streams take as long as they take: whoever asked for them can leave.
 */
import type { Clock } from '../../ports/clock.ts';
import type { ImageStore } from '../../ports/runtime/image-store.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { defineError } from '../../lib/errors.ts';

const TIMEOUT_MS = 120_000;

export const runtimeTimedOut = defineError<{ what: string; seconds: number }>({
  code: 'RUNTIME_TIMED_OUT',
  retry: 'backoff',
  message: ({ what, seconds }) =>
    `the container runtime did not answer to ${what} within ${seconds} s: context deadline exceeded`,
  hint: () =>
    'It is asked again by itself. If this lasts, look at the load and the log of the runtime.',
});

type Ask = <Answer>(what: string, answer: Promise<Answer>) => Promise<Answer>;

export function timedRuntime(
  runtime: PodRuntime,
  clock: Clock,
  timeoutMs: number = TIMEOUT_MS,
): PodRuntime {
  const ask: Ask = (what, answer) => inTime(clock, what, timeoutMs, answer);
  return {
    ...optionalParts(runtime, ask),
    name: runtime.name,
    images: timedImages(runtime.images, ask),
    version: () => ask('version', runtime.version()),
    status: () => ask('status', runtime.status()),
    list: () => ask('list', runtime.list()),
    inspect: (uid) => ask('inspect', runtime.inspect(uid)),
    runSandbox: (config, signal) => ask('runSandbox', runtime.runSandbox(config, signal)),
    stopSandbox: (id) => ask('stopSandbox', runtime.stopSandbox(id)),
    removeSandbox: (id) => ask('removeSandbox', runtime.removeSandbox(id)),
    createContainer: (sandboxId, config, signal) =>
      ask('createContainer', runtime.createContainer(sandboxId, config, signal)),
    startContainer: (id) => ask('startContainer', runtime.startContainer(id)),
    stopContainer: (id, graceSeconds, signal) =>
      inTime(
        clock,
        'stopContainer',
        timeoutMs + graceSeconds * 1000,
        runtime.stopContainer(id, graceSeconds, signal),
      ),
    removeContainer: (id) => ask('removeContainer', runtime.removeContainer(id)),
    reopenLog: (id) => ask('reopenLog', runtime.reopenLog(id)),
    execSync: (id, request, signal) => runtime.execSync(id, request, signal),
    close: () => runtime.close(),
  };
}

/** A pull takes as long as it takes. */
function timedImages(images: ImageStore, ask: Ask): ImageStore {
  return {
    find: (image, use) => ask('findImage', images.find(image, use)),
    pull: (image, credentials, signal, use) => images.pull(image, credentials, signal, use),
    list: () => ask('listImages', images.list()),
    remove: (ref) => ask('removeImage', images.remove(ref)),
    usage: () => ask('imageUsage', images.usage()),
  };
}

/** What the runtime leaves out is left out here. */
function optionalParts(runtime: PodRuntime, ask: Ask): Partial<PodRuntime> {
  const follow = runtime.follow?.bind(runtime);
  const updateResources = runtime.updateResources?.bind(runtime);
  const exec = runtime.exec?.bind(runtime);
  const attach = runtime.attach?.bind(runtime);
  const connectPort = runtime.connectPort?.bind(runtime);
  const containerStats = runtime.containerStats?.bind(runtime);
  const sandboxStats = runtime.sandboxStats?.bind(runtime);
  return {
    ...(follow && { follow }),
    ...(updateResources && {
      updateResources: (id, resources) => ask('updateResources', updateResources(id, resources)),
    }),
    ...(exec && { exec }),
    ...(attach && { attach }),
    ...(connectPort && { connectPort }),
    ...(containerStats && { containerStats: () => ask('containerStats', containerStats()) }),
    ...(sandboxStats && { sandboxStats: () => ask('sandboxStats', sandboxStats()) }),
  };
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
