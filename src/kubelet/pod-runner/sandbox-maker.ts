/** Makes the sandbox of a pod, and tells its users what it lacks. */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodCgroups } from '../../ports/pod-cgroups.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import { podDns, type DnsSettings } from './pod-dns.ts';
import { podReferenceOf } from './run-spec.ts';
import { sandboxConfig } from './sandbox-config.ts';
import { messageOf } from './start-failure.ts';

export interface SandboxRoom {
  readonly runtime: Pick<PodRuntime, 'runSandbox' | 'inspect'>;
  readonly events: EventRecorder;
  readonly files: PodFiles;
  readonly dns: DnsSettings;
  readonly cgroups?: PodCgroups | undefined;
}

export interface MadeSandbox {
  readonly id: string;
  /** Empty with the host's network. */
  readonly podIPs: readonly string[];
}

export const sandboxNotMade = defineError<{ pod: string; reason: string }>({
  code: 'SANDBOX_NOT_MADE',
  retry: 'backoff',
  message: ({ pod, reason }) => `the sandbox of ${pod} could not be made: ${reason}`,
  hint: () => 'It is tried again by itself. If this lasts, look at the network and the runtime.',
});

/** Throws the signal's reason if that was aborted: then nobody wants the sandbox any more. */
export async function makeSandbox(
  room: SandboxRoom,
  pod: Pod,
  attempt: number,
  signal: AbortSignal,
): Promise<MadeSandbox> {
  const reference = podReferenceOf(pod);
  const refuse = (reason: string, words: string, error: unknown): never => {
    if (signal.aborted) throw signal.reason;
    const message = messageOf(error);
    room.events.record(reference, 'Warning', reason, `${words}: ${message}`);
    throw sandboxNotMade(
      { pod: `${reference.namespace}/${reference.name}`, reason: message },
      error,
    );
  };
  const id = await run(room, pod, attempt, signal).catch((error: unknown) =>
    refuse('FailedCreatePodSandBox', 'Failed to create pod sandbox', error),
  );
  if (pod.spec.hostNetwork) return { id, podIPs: [] };
  const { ips } = await room.runtime
    .inspect(reference.uid)
    .catch((error: unknown) =>
      refuse('FailedPodSandBoxStatus', 'Unable to get pod sandbox status', error),
    );
  return { id, podIPs: ips };
}

async function run(
  { runtime, events, files, dns, cgroups }: SandboxRoom,
  pod: Pod,
  attempt: number,
  signal: AbortSignal,
): Promise<string> {
  const reference = podReferenceOf(pod);
  const found = podDns(pod, dns);
  for (const { reason, message } of found.warnings) {
    events.record(reference, 'Warning', reason, message);
  }
  const config = sandboxConfig(pod, {
    attempt,
    dns: found.dns,
    logFolder: files.logFolder(reference),
    cgroupParent: cgroups?.parentOf(pod) ?? '',
    clusterDomain: dns.clusterDomain,
  });
  return runtime.runSandbox(config, signal);
}
