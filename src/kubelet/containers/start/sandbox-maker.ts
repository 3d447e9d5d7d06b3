/** Creates the sandbox of a pod, and records warnings about its DNS as Events. */
import type { Pod } from '../../../api/pod.ts';
import { defineError } from '../../../lib/errors.ts';
import type { EventRecorder } from '../../../ports/observe/event-recorder.ts';
import type { PodCgroups } from '../../../ports/pod/pod-cgroups.ts';
import type { PodFiles } from '../../../ports/pod/pod-files.ts';
import type { PodRuntime } from '../../../ports/runtime/pod-runtime.ts';
import type { RuntimeClasses } from '../../../ports/api/runtime-classes.ts';
import type { DnsConfig } from '../../../ports/runtime/sandbox-config.ts';
import type { NodeEvents } from '../../node/node-events.ts';
import type { ContainerSettings } from '../config/container-settings.ts';
import { podDns, type DnsSettings } from '../config/pod-dns.ts';
import { podReferenceOf, runSpecOf } from '../../../api/run-spec.ts';
import { sandboxConfig } from '../config/sandbox-config.ts';
import { failureMessageOf } from './start-failure.ts';

export interface SandboxDeps {
  readonly runtime: Pick<PodRuntime, 'runSandbox' | 'inspect' | 'status'>;
  readonly events: EventRecorder;
  readonly files: PodFiles;
  readonly dns: NodeDns;
  readonly cgroups?: PodCgroups | undefined;
  /** Absent: there is no API server, and RuntimeClasses are ignored. */
  readonly runtimeClasses?: RuntimeClasses | undefined;
  readonly containers?: ContainerSettings | undefined;
  /** For warnings that concern the node, not only the pod. */
  readonly nodeEvents?: NodeEvents | undefined;
}

export interface NodeDns extends DnsSettings {
  /** Reads the node's DNS config again: it changes with the network that the node is in. */
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
  message: ({ pod, reason }) => `the sandbox of ${pod} could not be created: ${reason}`,
  hint: () => 'Podkeep retries automatically. If this persists, check the network and the runtime.',
});

/** The pod requests a user namespace, which the runtime does not support. */
export const userNamespacesUnsupported = defineError<{ pod: string }>({
  code: 'USER_NAMESPACES_UNSUPPORTED',
  retry: 'never',
  message: () => "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
  hint: () => 'This runtime runs pods with the users of the host. Remove hostUsers from the pod.',
});

/** Throws the signal's reason if it was aborted: then the sandbox is not needed any more. */
export async function makeSandbox(
  deps: SandboxDeps,
  pod: Pod,
  attempt: number,
  signal: AbortSignal,
): Promise<MadeSandbox> {
  const reference = podReferenceOf(pod);
  const refuse = (reason: string, text: string, error: unknown): never => {
    if (signal.aborted) throw signal.reason;
    const message = failureMessageOf(error);
    deps.events.record(reference, 'Warning', reason, `${text}: ${message}`);
    throw sandboxNotMade(
      { pod: `${reference.namespace}/${reference.name}`, reason: message },
      error,
    );
  };
  const id = await run(deps, pod, attempt, signal).catch((error: unknown) =>
    refuse('FailedCreatePodSandBox', 'Failed to create pod sandbox', error),
  );
  if (pod.spec.hostNetwork) return { id, podIPs: [] };
  const { ips } = await deps.runtime
    .inspect(reference.uid)
    .catch((error: unknown) =>
      refuse('FailedPodSandBoxStatus', 'Unable to get pod sandbox status', error),
    );
  return { id, podIPs: ips };
}

async function run(
  deps: SandboxDeps,
  pod: Pod,
  attempt: number,
  signal: AbortSignal,
): Promise<string> {
  const { runtime, files, cgroups, runtimeClasses, dns } = deps;
  const { runtimeClassName = '', hostUsers = true } = runSpecOf(pod);
  const reference = podReferenceOf(pod);
  if (!hostUsers && !(await hasUserNamespaces(runtime))) {
    throw userNamespacesUnsupported({ pod: reference.uid });
  }
  const config = sandboxConfig(pod, {
    attempt,
    dns: await dnsOf(deps, pod),
    logFolder: files.logFolder(reference),
    cgroupParent: cgroups?.parentOf(pod) ?? '',
    clusterDomain: dns.clusterDomain,
    runtimeHandler:
      runtimeClassName === ''
        ? ''
        : ((await runtimeClasses?.handlerOf(runtimeClassName, signal)) ?? ''),
    containers: deps.containers,
  });
  return runtime.runSandbox(config, signal);
}

async function hasUserNamespaces(runtime: SandboxDeps['runtime']): Promise<boolean> {
  const { features } = await runtime.status();
  return features?.hasUserNamespaces ?? false;
}

async function dnsOf({ dns, events, nodeEvents }: SandboxDeps, pod: Pod): Promise<DnsConfig> {
  const host = (await dns.readHost?.()) ?? dns.host;
  const found = podDns(pod, { ...dns, host });
  for (const { reason, message, ofNode } of found.warnings) {
    if (ofNode !== undefined) nodeEvents?.recordNode('Warning', reason, ofNode);
    if (message !== undefined) events.record(podReferenceOf(pod), 'Warning', reason, message);
  }
  return found.dns;
}
