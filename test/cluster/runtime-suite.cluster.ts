/** The suite of all runtimes on containerd: one without events, and one with them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { CONTAINERD_VERSIONS } from '../../scripts/cluster/cache-folder.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import type { SandboxConfig } from '../../src/ports/runtime/sandbox-config.ts';
import { openCriRuntime } from '../../src/runtimes/cri/cri-runtime.ts';
import { podRuntimeSuite } from '../suites/pod-runtime.ts';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import type { OpenRuntime } from '../suites/pod-runtime/runtime-harness.ts';
import { silentLog } from '../support/silent-ports.ts';
import { startContainerd, type Containerd } from './support/containerd.ts';
import { pullFrom } from './support/images/mirror.ts';
import { Registry } from './support/images/registry.ts';
import { BUSYBOX } from './support/images/test-images.ts';

const NO_SIGNAL = 'this containerd does not heed the stop signal that CRI can carry';
const NO_EVENTS = 'this containerd tells nothing by itself; the kubelet asks it';

const SKIPPED = {
  '1.6': {
    'starts and ends are told as they happen, in order': NO_EVENTS,
    'the end of what is adopted is told, with its code': NO_EVENTS,
    'a change of a sandbox is told at once': NO_EVENTS,
    'the signal that a container asks for is the one it gets': NO_SIGNAL,
  },
  '2.1': { 'the signal that a container asks for is the one it gets': NO_SIGNAL },
} as const;

describe.each(CONTAINERD_VERSIONS)('containerd %s', (version) => {
  let containerd: Containerd;
  let registry: Registry;
  beforeAll(async () => {
    containerd = await startContainerd({ version, name: `suite-${version}` });
    registry = await Registry.start({ layout: containerd.images });
    pullFrom(registry, containerd);
  });
  afterAll(async () => {
    await registry.stop();
    await containerd.remove();
  });

  podRuntimeSuite({
    name: 'containerd',
    open: () => open(containerd),
    skip: SKIPPED[version],
  });
});

async function open(containerd: Containerd): Promise<OpenRuntime> {
  const { endpoint } = containerd;
  const parent = path.join(containerd.folder, 'suite');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(path.join(parent, 'case-'));
  const connect = async (): Promise<PodRuntime> => {
    const opened = await openCriRuntime({ endpoint, clock: systemClock, log: silentLog });
    return inGroupOf(containerd, opened);
  };
  let runtime = await connect();
  return {
    runtime,
    folder,
    image: BUSYBOX,
    commands: shellCommands,
    reopen: async () => {
      await runtime.close();
      runtime = await connect();
      return runtime;
    },
    close: async () => {
      await removeAll(runtime);
      await runtime.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The suite's default would be below a control group that is never removed. */
function inGroupOf({ cgroupRoot }: Containerd, runtime: PodRuntime): PodRuntime {
  const runSandbox = runtime.runSandbox.bind(runtime);
  return Object.assign(runtime, {
    runSandbox: (config: SandboxConfig, signal: AbortSignal) =>
      runSandbox({ ...config, cgroupParent: `${cgroupRoot}/${config.podUid}` }, signal),
  });
}

async function removeAll(runtime: PodRuntime): Promise<void> {
  for (const { pod } of await runtime.list()) {
    for (const { id } of pod.sandboxes) await runtime.removeSandbox(id);
    for (const { id } of pod.containers) await runtime.removeContainer(id);
  }
}
