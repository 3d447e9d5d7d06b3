/**
 * Reads the probes of a pod. Applies the defaults of the API server (KL-71), because static pods have not
 * passed through it.
 */
import type { Container, Pod } from '../../api/pod.ts';
import { isSidecar } from '../../core/pod/pod-facts.ts';
import type { ProbeKind } from '../../core/probes/probe-worker.ts';
import type { HttpGetAction } from '../../api/run-spec.ts';

export interface Probe {
  readonly exec?: { readonly command?: readonly string[] };
  readonly httpGet?: HttpGetAction;
  readonly tcpSocket?: { readonly port: number | string; readonly host?: string };
  readonly grpc?: { readonly port: number; readonly service?: string | null };
  readonly initialDelaySeconds?: number;
  readonly timeoutSeconds?: number;
  readonly periodSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

/** Startup first: that is the order in which they matter to a container. */
const KINDS: readonly ProbeKind[] = ['startup', 'readiness', 'liveness'];

/** Go reads zero when a field is absent, so zero means the default, too. */
const DEFAULTS = {
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
} as const;

/** All probes of this pod (KL-70). */
export function probesOf(
  pod: Pod,
): readonly { readonly container: Container; readonly kind: ProbeKind; readonly probe: Probe }[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(isSidecar);
  return [...pod.spec.containers, ...sidecars].flatMap((container) =>
    KINDS.flatMap((kind) => {
      const probe = probeOf(container, kind);
      return probe ? [{ container, kind, probe }] : [];
    }),
  );
}

function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  const probe: Probe | null | undefined = container[`${kind}Probe`];
  return probe ?? undefined;
}

export function settingOf(probe: Probe, field: keyof typeof DEFAULTS): number {
  return probe[field] || DEFAULTS[field];
}
