/** Opens process runtimes over folders that are removed afterwards, with everything in them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemRandom } from '../../src/platform/system-random.ts';
import type { EventRecorder } from '../../src/ports/observe/event-recorder.ts';
import type { PodRuntime } from '../../src/ports/runtime/pod-runtime.ts';
import type { ProcessRuntimeOptions } from '../../src/runtimes/process/options.ts';
import { openProcessRuntime } from '../../src/runtimes/process/process-runtime.ts';
import { shellCommands } from '../suites/pod-runtime/shell-commands.ts';
import type { OpenRuntime } from '../suites/pod-runtime/runtime-harness.ts';
import { silentLog } from '../support/silent-ports.ts';

export const PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';

export interface OpenProcessRuntime extends OpenRuntime {
  /** The events for the users of pods. */
  readonly warnings: readonly string[];
  readonly runtimeFolder: string;
}

export async function openForTest(
  changes: Partial<ProcessRuntimeOptions> = {},
): Promise<OpenProcessRuntime> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podkeep-runtime-'));
  // The user of the containers needs access to the volumes in it.
  chmodSync(folder, 0o755);
  const warnings: string[] = [];
  const events: EventRecorder = {
    record: (_pod, _type, reason, message) => warnings.push(`${reason}: ${message}`),
  };
  const runtimeFolder = path.join(folder, 'runtime');
  const options = { events, ...changes };
  let runtime = await openAt(runtimeFolder, options);
  return {
    runtime,
    folder,
    runtimeFolder,
    warnings,
    image: 'example.com/anything:1',
    commands: shellCommands,
    reopen: async () => {
      await runtime.close();
      runtime = await openAt(runtimeFolder, options);
      return runtime;
    },
    close: async () => {
      await removeAll(runtime);
      await runtime.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function openAt(
  folder: string,
  changes: Partial<ProcessRuntimeOptions>,
): Promise<PodRuntime> {
  return openProcessRuntime({
    folder,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    events: { record: () => undefined },
    path: PATH,
    ...changes,
  });
}

/** Stops and removes everything. */
export async function removeAll(runtime: PodRuntime): Promise<void> {
  for (const { pod } of await runtime.list()) {
    for (const { id } of pod.sandboxes) await runtime.removeSandbox(id);
    for (const { id } of pod.containers) await runtime.removeContainer(id);
  }
}
