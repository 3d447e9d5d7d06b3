/**
 * Builds the environment variables of a container; they are resolved again for each start.
 *
 *     envFrom    all keys of ConfigMaps and Secrets; later sources override earlier ones
 *     env        overrides envFrom, in order; `$(NAME)` refers to variables before it
 *     services   service variables that neither of the two has set
 *
 * A key may be any name: earlier versions of Kubernetes' kubelet skipped invalid names with an Event
 * (InvalidEnvironmentVariableNames); newer versions accept them, and so does podkeep. Objects are read once
 * for each container, so that two variables of one Secret never come from two versions of it.
 */
import type { Container, Pod } from '../../api/pod.ts';
import { isStaticPod } from '../../core/pod/pod-facts.ts';
import { isNotFound } from '../../ports/api/api-client.ts';
import type { NodeFacts } from '../../ports/node-facts.ts';
import type { ObjectLookup } from '../../ports/api/object-lookup.ts';
import type { EnvironmentVariable } from '../../ports/runtime/container-config.ts';
import { readEnvFile } from '../../core/environment/env-file.ts';
import { inputUnresolved } from '../../core/environment/environment-errors.ts';
import { expand, valuesFrom } from '../../core/environment/expansion.ts';
import {
  inputSpecOf,
  type EnvFromSource,
  type EnvVarSource,
  type FileKeyRef,
  type InputContainer,
  type KeyRef,
} from '../../core/environment/input-spec.ts';
import { textDataOf } from '../../core/environment/object-data.ts';
import { envFieldOf } from '../../core/environment/pod-field.ts';
import { resourceFieldOf } from '../../core/environment/resource-field.ts';
import { serviceVariables } from '../../core/environment/service-variables.ts';

export interface EnvironmentLookups {
  readonly objects: ObjectLookup;
  readonly node: NodeFacts;
  /** A file in a volume of the pod; null: the pod has no such volume. Throws if it cannot be read. */
  readonly readVolumeFile: (volume: string, path: string) => Promise<VolumeFile | null>;
}

export interface VolumeFile {
  /** On the host. */
  readonly path: string;
  readonly text: string;
}

export interface EnvironmentRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIPs: readonly string[];
}

type ObjectKind = 'ConfigMap' | 'Secret';

export async function makeEnvironment(
  request: EnvironmentRequest,
  lookups: EnvironmentLookups,
  signal: AbortSignal,
): Promise<readonly EnvironmentVariable[]> {
  const { pod } = request;
  const container: InputContainer = request.container;
  const services = serviceVariablesOf(pod, lookups.node);
  const reader = new ObjectReader(pod.metadata.namespace ?? '', lookups.objects, signal);
  const own = new Map<string, string>();
  for (const source of container.envFrom ?? []) {
    for (const [key, value] of await variablesFrom(source, reader)) own.set(key, value);
  }
  const valueOf = valuesFrom(own, services);
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    const resolved =
      value !== '' || !valueFrom
        ? expand(value, valueOf)
        : await resolveSource(valueFrom, request, lookups, reader);
    if (resolved !== undefined) own.set(name, resolved);
  }
  const all = new Map([...own, ...[...services].filter(([name]) => !own.has(name))]);
  return [...all].map(([name, value]) => ({ name, value }));
}

function serviceVariablesOf(pod: Pod, node: NodeFacts): ReadonlyMap<string, string> {
  const services = node.services();
  // A static pod must not wait for an API server that it may itself run.
  if (services === null && !isStaticPod(pod)) {
    const reason = 'services have not yet been read at least once, cannot construct envvars';
    throw inputUnresolved({ reason });
  }
  const { enableServiceLinks = true } = inputSpecOf(pod);
  return serviceVariables(services ?? [], pod.metadata.namespace ?? '', enableServiceLinks);
}

async function variablesFrom(
  { prefix = '', configMapRef, secretRef }: EnvFromSource,
  reader: ObjectReader,
): Promise<readonly (readonly [string, string])[]> {
  const reference = configMapRef ?? secretRef;
  if (!reference) return [];
  const kind = configMapRef ? 'ConfigMap' : 'Secret';
  const data = await reader.read(kind, reference.name ?? '', reference.optional);
  return [...(data ?? [])].map(([key, value]) => [prefix + key, value] as const);
}

/** Undefined: it is optional, and does not exist. */
async function resolveSource(
  source: EnvVarSource,
  { pod, container, podIPs }: EnvironmentRequest,
  { node, readVolumeFile }: EnvironmentLookups,
  reader: ObjectReader,
): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) return envFieldOf(pod, fieldRef, { podIPs, hostIPs: node.hostIPs() });
  if (resourceFieldRef) {
    return resourceFieldOf(pod, container, resourceFieldRef, node.allocatable());
  }
  if (configMapKeyRef) return readKey('ConfigMap', configMapKeyRef, reader);
  if (secretKeyRef) return readKey('Secret', secretKeyRef, reader);
  if (fileKeyRef) return readFileKey(fileKeyRef, readVolumeFile);
  return '';
}

async function readKey(
  kind: ObjectKind,
  { name = '', key, optional = false }: KeyRef,
  reader: ObjectReader,
): Promise<string | undefined> {
  const data = await reader.read(kind, name, optional);
  const value = data?.get(key);
  if (value !== undefined || optional) return value;
  const reason = `couldn't find key ${key} in ${kind} ${reader.namespace}/${name}`;
  throw inputUnresolved({ reason });
}

async function readFileKey(
  { volumeName, path, key, optional = false }: FileKeyRef,
  readVolumeFile: EnvironmentLookups['readVolumeFile'],
): Promise<string | undefined> {
  let found: VolumeFile | null;
  let value = '';
  try {
    found = await readVolumeFile(volumeName, path);
    if (found) value = readEnvFile(found.text, key);
  } catch (error) {
    // The cause is not reported: it may be a file of the node.
    throw inputUnresolved({ reason: "couldn't parse env file" }, error);
  }
  if (!found) {
    const reason = `cannot find the volume ${JSON.stringify(volumeName)} referenced by FileKeyRef`;
    throw inputUnresolved({ reason });
  }
  if (value !== '') return value;
  if (optional) return undefined;
  const reason =
    `environment variable key ${JSON.stringify(key)} not found in file ` +
    JSON.stringify(found.path);
  throw inputUnresolved({ reason });
}

class ObjectReader {
  readonly namespace: string;
  readonly #objects: ObjectLookup;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  constructor(namespace: string, objects: ObjectLookup, signal: AbortSignal) {
    this.namespace = namespace;
    this.#objects = objects;
    this.#signal = signal;
  }

  /** Undefined: it is optional, and does not exist. */
  async read(
    kind: ObjectKind,
    name: string,
    optional = false,
  ): Promise<ReadonlyMap<string, string> | undefined> {
    const known = this.#known.get(`${kind}/${name}`);
    if (known) return known;
    const { namespace } = this;
    try {
      const object = await this.#objects.get({ kind, namespace, name }, this.#signal);
      const data = textDataOf(kind, object);
      this.#known.set(`${kind}/${name}`, data);
      return data;
    } catch (error) {
      if (optional && isNotFound(error)) return undefined;
      throw error;
    }
  }
}
