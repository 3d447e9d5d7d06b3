/**
 * Wraps runtime calls in spans that have the names of CRI methods, as in traces of Kubernetes' kubelet. One
 * call of this port may be several CRI calls: listing pods lists sandboxes and containers, and inspecting a
 * pod is named after the status of its sandbox.
 */
import type { RunInSpan, SpanAttributes } from '../../ports/observe/run-in-span.ts';
import type { ImageStore } from '../../ports/runtime/image-store.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';

export interface TracedRuntimeOptions {
  readonly run: RunInSpan;
  /** The runtime is a separate process, called by gRPC. False: it runs in this process. */
  readonly isRemote: boolean;
}

type Service = 'RuntimeService' | 'ImageService';

/** Wraps a function so that each of its calls is a span. */
type Wrap = <Given extends unknown[], Answer>(
  method: string,
  call: (...given: Given) => Promise<Answer>,
) => (...given: Given) => Promise<Answer>;

export function tracedRuntime(runtime: PodRuntime, options: TracedRuntimeOptions): PodRuntime {
  const wrap = wrapperFor('RuntimeService', options);
  return {
    ...optionalCalls(runtime, wrap),
    name: runtime.name,
    images: tracedImages(runtime.images, wrapperFor('ImageService', options)),
    version: wrap('Version', () => runtime.version()),
    status: wrap('Status', () => runtime.status()),
    list: wrap('ListPodSandbox', () => runtime.list()),
    inspect: wrap('PodSandboxStatus', (uid: string) => runtime.inspect(uid)),
    runSandbox: wrap('RunPodSandbox', runtime.runSandbox.bind(runtime)),
    stopSandbox: wrap('StopPodSandbox', runtime.stopSandbox.bind(runtime)),
    removeSandbox: wrap('RemovePodSandbox', runtime.removeSandbox.bind(runtime)),
    createContainer: wrap('CreateContainer', runtime.createContainer.bind(runtime)),
    startContainer: wrap('StartContainer', runtime.startContainer.bind(runtime)),
    stopContainer: wrap('StopContainer', runtime.stopContainer.bind(runtime)),
    removeContainer: wrap('RemoveContainer', runtime.removeContainer.bind(runtime)),
    reopenLog: wrap('ReopenContainerLog', runtime.reopenLog.bind(runtime)),
    execSync: wrap('ExecSync', runtime.execSync.bind(runtime)),
    close: () => runtime.close(),
  };
}

function tracedImages(images: ImageStore, wrap: Wrap): ImageStore {
  const isLocal = images.isLocal?.bind(images);
  return {
    ...(isLocal && { isLocal }),
    find: wrap('ImageStatus', images.find.bind(images)),
    pull: wrap('PullImage', images.pull.bind(images)),
    list: wrap('ListImages', () => images.list()),
    remove: wrap('RemoveImage', images.remove.bind(images)),
    usage: wrap('ImageFsInfo', () => images.usage()),
  };
}

/** Optional methods that the runtime does not have stay absent. */
function optionalCalls(runtime: PodRuntime, wrap: Wrap): Partial<PodRuntime> {
  const { parallelStarts, usesPodCgroups } = runtime;
  const cgroupDriver = runtime.cgroupDriver?.bind(runtime);
  const follow = runtime.follow?.bind(runtime);
  const updateResources = runtime.updateResources?.bind(runtime);
  const exec = runtime.exec?.bind(runtime);
  const attach = runtime.attach?.bind(runtime);
  const connectPort = runtime.connectPort?.bind(runtime);
  const ownsPort = runtime.ownsPort?.bind(runtime);
  const containerStats = runtime.containerStats?.bind(runtime);
  const sandboxStats = runtime.sandboxStats?.bind(runtime);
  return {
    ...(parallelStarts !== undefined && { parallelStarts }),
    ...(usesPodCgroups !== undefined && { usesPodCgroups }),
    ...(cgroupDriver && { cgroupDriver: wrap('RuntimeConfig', cgroupDriver) }),
    ...(follow && { follow }),
    ...(updateResources && {
      updateResources: wrap('UpdateContainerResources', updateResources),
    }),
    ...(exec && { exec: wrap('Exec', exec) }),
    ...(attach && { attach: wrap('Attach', attach) }),
    ...(connectPort && { connectPort: wrap('PortForward', connectPort) }),
    ...(ownsPort && { ownsPort }),
    ...(containerStats && { containerStats: wrap('ListContainerStats', containerStats) }),
    ...(sandboxStats && { sandboxStats: wrap('ListPodSandboxStats', sandboxStats) }),
  };
}

function wrapperFor(service: Service, { run, isRemote }: TracedRuntimeOptions): Wrap {
  return (method, call) => {
    const name = `runtime.v1.${service}/${method}`;
    const attributes: SpanAttributes = {
      'rpc.method': name,
      ...(isRemote && { 'rpc.system.name': 'grpc' }),
    };
    return (...given) => {
      const signal = given.find((each) => each instanceof AbortSignal);
      const kind = isRemote ? ({ kind: 'client' } as const) : {};
      return run({ name, attributes, ...kind, ...(signal && { signal }) }, () => call(...given));
    };
  };
}
