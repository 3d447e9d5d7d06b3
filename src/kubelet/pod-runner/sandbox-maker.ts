/** Makes the sandbox of a pod, and tells its users what it lacks. */
import type { Pod } from '../../api/pod.ts';
import { defineError } from '../../lib/errors.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { PodCgroups } from '../../ports/pod-cgroups.ts';
import type { PodFiles } from '../../ports/pod-files.ts';
import type { PodRuntime } from '../../ports/runtime/pod-runtime.ts';
import type { RuntimeClasses } from '../../ports/runtime-classes.ts';
import type { DnsConfig } from '../../ports/runtime/sandbox-config.ts';
import type { NodeEvents } from '../node/node-events.ts';
import type { ContainerSettings } from './container-settings.ts';
import { podDns, type DnsSettings } from './pod-dns.ts';
import { podReferenceOf, runSpecOf } from './run-spec.ts';
import { sandboxConfig } from './sandbox-config.ts';
import { messageOf } from './start-failure.ts';

export interface SandboxRoom {
  readonly runtime: Pick<PodRuntime, 'runSandbox' | 'inspect' | 'status'>;
  readonly events: EventRecorder;
  readonly files: PodFiles;
  readonly dns: NodeDns;
  readonly cgroups?: PodCgroups | undefined;
  /** Absent: there is no API server, and a class means nothing. */
  readonly runtimeClasses?: RuntimeClasses | undefined;
  readonly containers?: ContainerSettings | undefined;
  /** Told to the users of the node what a pod lacks because the node does. */
  readonly nodeEvents?: NodeEvents | undefined;
}

export interface NodeDns extends DnsSettings {
  /** Reads anew what the node asks for names: that changes with the network it is in. */
  readonly readHost?: () => Promise<DnsConfig>;
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

/** What a runtime would need to map the users of a pod to others is not there yet. */
export const userNamespacesUnsupported = defineError<{ pod: string }>({
  code: 'USER_NAMESPACES_UNSUPPORTED',
  retry: 'never',
  message: () => "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
  hint: () => 'This runtime runs pods with the users of the host. Leave hostUsers out of the pod.',
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
  room: SandboxRoom,
  pod: Pod,
  attempt: number,
  signal: AbortSignal,
): Promise<string> {
  const { runtime, files, cgroups, runtimeClasses, dns } = room;
  const { runtimeClassName = '', hostUsers = true } = runSpecOf(pod);
  const reference = podReferenceOf(pod);
  if (!hostUsers && !(await hasUserNamespaces(runtime))) {
    throw userNamespacesUnsupported({ pod: reference.uid });
  }
  const config = sandboxConfig(pod, {
    attempt,
    dns: await dnsOf(room, pod),
    logFolder: files.logFolder(reference),
    cgroupParent: cgroups?.parentOf(pod) ?? '',
    clusterDomain: dns.clusterDomain,
    runtimeHandler:
      runtimeClassName === ''
        ? ''
        : ((await runtimeClasses?.handlerOf(runtimeClassName, signal)) ?? ''),
    containers: room.containers,
  });
  return runtime.runSandbox(config, signal);
}

async function hasUserNamespaces(runtime: SandboxRoom['runtime']): Promise<boolean> {
  const { features } = await runtime.status();
  return features?.hasUserNamespaces ?? false;
}

async function dnsOf({ dns, events, nodeEvents }: SandboxRoom, pod: Pod): Promise<DnsConfig> {
  const host = (await dns.readHost?.()) ?? dns.host;
  const found = podDns(pod, { ...dns, host });
  for (const { reason, message, ofNode } of found.warnings) {
    if (ofNode !== undefined) nodeEvents?.recordNode('Warning', reason, ofNode);
    events.record(podReferenceOf(pod), 'Warning', reason, message);
  }
  return found.dns;
}
