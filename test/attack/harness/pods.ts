/**
 * The pods of attackers. By default they satisfy the restricted Pod Security Standard and have no token:
 * what such a pod gets, every pod gets.
 */
import type { JsonObject } from '../../../src/lib/json.ts';

/** The user and group ID of attackers. */
export const ATTACKER = 10_001;

export type Rights = 'restricted' | 'root' | 'default';

export interface PodShape {
  /** restricted; root: user 0 with the usual capabilities; default: no securityContext. */
  readonly as?: Rights;
  /** Added to those of `as`. */
  readonly capabilities?: readonly string[];
  readonly seccomp?: 'RuntimeDefault' | 'Unconfined';
  /** By default sh, found by the container's PATH. */
  readonly shell?: string;
  /** Joins the fields of the attacking container. */
  readonly container?: JsonObject;
  /** Joins the fields of the spec. */
  readonly spec?: JsonObject;
  /** Names of emptyDirs, and where all containers of `podOf` mount them. */
  readonly volumes?: Readonly<Record<string, string>>;
  /** Containers beside the attacking one; each gets its security context, variables and volumes. */
  readonly others?: readonly JsonObject[];
  readonly inits?: readonly JsonObject[];
}

export interface PodRequest {
  readonly name: string;
  readonly shape: PodShape;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
}

export function podOf({ name, shape, script, env }: PodRequest): JsonObject {
  const { as = 'restricted', volumes = {}, others = [], inits = [] } = shape;
  const mounts = Object.entries(volumes).map(([volume, mountPath]) => ({
    name: volume,
    mountPath,
  }));
  const variables = Object.entries(env).map(([key, value]) => ({ name: key, value }));
  const complete = (container: JsonObject): JsonObject => {
    const { volumeMounts = [], env: own = [], ...rest } = container;
    return {
      image: 'sh',
      ...(as === 'default' ? {} : { securityContext: containerSecurity(shape) }),
      ...rest,
      env: [...variables, ...(own as JsonObject[])],
      volumeMounts: [...mounts, ...(volumeMounts as JsonObject[])],
    };
  };
  const { volumes: more = [], ...spec } = shape.spec ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { 'podkeep-attack': 'yes' } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(as === 'default' ? {} : { securityContext: podSecurity(shape) }),
      ...(inits.length > 0 ? { initContainers: inits.map(complete) } : {}),
      containers: [
        complete({ name: 'main', command: shellOf(script, shape.shell), ...shape.container }),
        ...others.map(complete),
      ],
      volumes: [
        ...Object.keys(volumes).map((volume) => ({ name: volume, emptyDir: {} })),
        ...(more as JsonObject[]),
      ],
      ...spec,
    },
  };
}

/** A shell with a script. The kubelet expands `$(NAME)` and `$$` in commands, so both are escaped here. */
export function shellOf(script: string, shell = 'sh'): string[] {
  return [shell, '-c', script.replaceAll('$', '$$$$')];
}

/** The command of an exec probe, in which the kubelet expands the same. */
export function probeOf(script: string, more: JsonObject = {}): JsonObject {
  return { exec: { command: shellOf(script) }, periodSeconds: 1, timeoutSeconds: 5, ...more };
}

/** The command of a lifecycle hook, in which the kubelet expands nothing. */
export function hookOf(script: string): JsonObject {
  return { exec: { command: ['sh', '-c', script] } };
}

/** A container that runs a script. */
export function shellContainer(name: string, script: string, more: JsonObject = {}): JsonObject {
  return { name, command: shellOf(script), ...more };
}

export function podSecurity({ as = 'restricted', seccomp }: PodShape): JsonObject {
  const type = seccomp ?? 'RuntimeDefault';
  const ids = as === 'root' ? { runAsUser: 0, runAsGroup: 0 } : restrictedIds;
  return { ...ids, seccompProfile: { type } };
}

const restrictedIds = { runAsNonRoot: true, runAsUser: ATTACKER, runAsGroup: ATTACKER };

export function containerSecurity({ as = 'restricted', capabilities = [] }: PodShape): JsonObject {
  const add = capabilities.length > 0 ? { add: [...capabilities] } : {};
  if (as === 'root') return { capabilities: { ...add } };
  return { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], ...add } };
}
