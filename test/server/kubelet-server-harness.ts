/** A kubelet's server over a simulated machine, without sockets. */
import path from 'node:path';
import type { Pod } from '../../src/api/pod.ts';
import { LogReader } from '../../src/kubelet/logs/log-reader.ts';
import { KubeletMetrics } from '../../src/kubelet/metrics/kubelet-metrics.ts';
import { ProbeMetrics } from '../../src/kubelet/probes/probe-metrics.ts';
import { readMachineUsage } from '../../src/kubelet/stats/machine-usage.ts';
import { StorageUsage } from '../../src/kubelet/stats/storage-usage.ts';
import { UsageReader } from '../../src/kubelet/stats/usage-reader.ts';
import { Registry } from '../../src/lib/metrics/registry.ts';
import type { ApiResponse, ClientIdentity } from '../../src/ports/api/http-handler.ts';
import type { KubeletAccess } from '../../src/ports/api/kubelet-access.ts';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import type { Streaming } from '../../src/ports/api/streaming.ts';
import { SimulatedMachine } from '../../src/runtimes/simulated/machine.ts';
import { SimulatedLogSource } from '../../src/runtimes/simulated/simulated-log-source.ts';
import { SimulatedRuntime } from '../../src/runtimes/simulated/simulated-runtime.ts';
import type { ContainerScripts } from '../../src/runtimes/simulated/script.ts';
import { KubeletServer, type KubeletServerOptions } from '../../src/server/kubelet-server.ts';
import { silentLog } from '../support/silent-ports.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { containerConfigOf, sandboxConfigOf } from '../support/runtime-configs.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export const BUILD = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.4-podkeep',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '',
  goVersion: '',
  compiler: 'node',
  platform: 'linux/amd64',
};

export interface HarnessOptions extends Partial<
  Pick<
    KubeletServerOptions,
    'checks' | 'settings' | 'access' | 'query' | 'hostNames' | 'ownLog' | 'flags'
  >
> {
  readonly scripts?: ContainerScripts;
  readonly streaming?: Streaming;
  readonly stats?: Pick<PodRuntime, 'containerStats' | 'sandboxStats'>;
}

const SANDBOX = sandboxConfigOf({
  podUid: '',
  podName: '',
  namespace: 'default',
  hostname: '',
  logFolder: '/logs',
});

const CONTAINER = containerConfigOf({ image: 'app:1', imageRef: 'app@sha256:1' });

/** Clients of this process may do everything, and all others nothing. */
const openAccess: KubeletAccess = {
  identify: (clientIdentity) => Promise.resolve(clientIdentity.user ?? null),
  authorize: () => Promise.resolve({ allowed: true, reason: '' }),
};

export const ADMIN: ClientIdentity = { user: { name: 'admin', groups: ['system:masters'] } };

export function kubeletHarness(options: HarnessOptions = {}) {
  const { scripts, access = openAccess, checks = [], stats = {} } = options;
  const clock = new VirtualClock();
  const machine = new SimulatedMachine({ clock, ...(scripts && { scripts }) });
  const simulated = new SimulatedRuntime({ machine });
  const runtime: PodRuntime = Object.assign(simulated, stats);
  const rootFolder = makeTempFolder();
  const pods: Pod[] = [];
  const probeMetrics = new Registry();
  const probes = new ProbeMetrics(probeMetrics);
  const { registry: metrics } = new KubeletMetrics();
  const files = { logFolder: ({ uid }: { uid: string }) => path.join(rootFolder, 'logs', uid) };
  const never: Streaming = { connect: () => Promise.reject(new Error('not expected')) };
  const server = new KubeletServer({
    clock,
    log: silentLog,
    nodeName: 'node1',
    access,
    pods: () => pods,
    findPod: (namespace, name) =>
      pods.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
    runtime,
    logs: new LogReader({
      clock,
      log: silentLog,
      source: new SimulatedLogSource(machine),
      runtime,
    }),
    usage: new UsageReader({ runtime, pods: () => pods, machine: () => readMachineUsage(clock) }),
    storage: new StorageUsage({ clock, rootFolder, files, images: runtime.images }),
    metrics,
    probeMetrics,
    build: BUILD,
    configz: () => ({ kind: 'KubeletConfiguration', maxPods: 110 }),
    checks,
    streaming: options.streaming ?? never,
    ...(options.query && { query: options.query }),
    ...(options.hostNames && { hostNames: options.hostNames }),
    ...(options.settings && { settings: options.settings }),
    ...(options.ownLog && { ownLog: options.ownLog }),
    ...(options.flags && { flags: options.flags }),
  });
  const ask = (path: string, clientIdentity: ClientIdentity = ADMIN, method = 'GET') =>
    server.answer(request(path, method), clientIdentity);
  return { server, ask, clock, machine, runtime, pods, probes, rootFolder };
}

export function request(path: string, method = 'GET', headers: Record<string, string> = {}) {
  return { method, url: `https://node${path}`, headers: new Headers(headers), body: null };
}

export async function bodyOf({ body }: ApiResponse): Promise<string> {
  if (body instanceof ReadableStream) return new Response(body).text();
  return Buffer.from(body ?? '').toString();
}

export function headerOf({ headers }: ApiResponse, name: string): string | undefined {
  return [...headers].find(([each]) => each === name)?.[1];
}

/** Runs a pod of one container, and gives it the status that the kubelet would. */
export async function startPod(harness: ReturnType<typeof kubeletHarness>, name: string) {
  const { runtime, pods } = harness;
  const { signal } = new AbortController();
  const sandbox = await runtime.runSandbox({ ...SANDBOX, podUid: name, podName: name }, signal);
  const start = async (attempt: number): Promise<string> => {
    const id = await runtime.createContainer(sandbox, { ...CONTAINER, attempt }, signal);
    await runtime.startContainer(id);
    return id;
  };
  const id = await start(0);
  const state = { running: { startedAt: '2030-01-02T03:04:05Z' } };
  pods.push({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [{ name: 'main' }] },
    status: {
      phase: 'Running',
      startTime: '2030-01-02T03:04:05Z',
      containerStatuses: [{ name: 'main', state, containerID: id }],
    },
  });
  return { id, start };
}
