/** Validates containers, init containers (which may be sidecars) and ephemeral containers. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  notFoundField,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../validation/json-reading.ts';
import { validateDnsLabel } from '../../validation/names.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validateDevices, validateMounts, type Volumes } from '../volumes/mounts.ts';
import { validateHostPorts, validatePorts } from './ports.ts';
import { validateLifecycle, validateProbes, type ContainerSurroundings } from './probes.ts';
import { validateResizePolicy } from './resize-policy.ts';
import { validateContainerResources, type ResourceContext } from './resources.ts';
import { validateContainerRestartPolicy, validateInitRestartPolicy } from './restart-rules.ts';
import { validateSecurityContext } from '../security/security-context.ts';

export interface ContainerContext extends ResourceContext, ContainerSurroundings {
  readonly volumes: Volumes;
  readonly restartPolicy: string;
  readonly hasOwnUsers: boolean;
}

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const NOT_FOR_INIT = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'];

/** Fields that ephemeral containers may not set, in the order in which the API reports them. */
const NOT_FOR_EPHEMERAL = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

export function* validateRegularContainers(
  spec: JsonObject,
  path: string,
  context: ContainerContext,
): FieldErrors {
  const containers = readObjects(spec['containers']);
  if (containers.length === 0) {
    yield required(path);
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    yield* validateCommon(container, at, context);
    const name = readText(container['name']);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    names.add(name);
    yield* validateHooksAndProbes(container, at, context);
    yield* validateContainerRestartPolicy(container, at);
  }
  yield* validateHostPorts(containers, path);
}

export function* validateInitContainers(
  spec: JsonObject,
  path: string,
  context: ContainerContext,
): FieldErrors {
  const names = namesOf(spec, 'containers');
  for (const [index, container] of readObjects(spec['initContainers']).entries()) {
    const at = `${path}[${index}]`;
    yield* validateCommon(container, at, context);
    yield* validateInitRestartPolicy(container, at);
    const name = readText(container['name']);
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    else if (name !== '') names.add(name);
    // Init containers run one after the other, so each is checked alone (and its error has index 0).
    yield* validateHostPorts([container], path);
    if (container['restartPolicy'] === 'Always') {
      yield* validateHooksAndProbes(container, at, context);
    } else {
      yield* validateRunsOnce(container, at, context);
    }
  }
}

export function* validateEphemeralContainers(
  spec: JsonObject,
  path: string,
  context: ContainerContext,
): FieldErrors {
  const others = new Set([...namesOf(spec, 'containers'), ...namesOf(spec, 'initContainers')]);
  const names = new Set(others);
  for (const [index, container] of readObjects(spec['ephemeralContainers']).entries()) {
    const at = `${path}[${index}]`;
    yield* validateCommon(container, at, context);
    yield* validateImageSpaces(container, at);
    const [name, target] = [
      readText(container['name']),
      readText(container['targetContainerName']),
    ];
    if (names.has(name)) yield duplicate(`${at}.name`, name);
    names.add(name);
    if (target !== '' && !others.has(target))
      yield notFoundField(`${at}.targetContainerName`, target);
    yield* validateOnlyLooks(container, at);
  }
}

/** For pods only: the image of a template may be filled in later. */
export function* validateImageSpaces(container: JsonObject, path: string): FieldErrors {
  const image = readText(container['image']);
  if (image.trim() === image) return;
  yield invalidField(`${path}.image`, image, 'must not have leading or trailing whitespace');
}

function* validateCommon(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): FieldErrors {
  const name = readText(container['name']);
  if (name === '') yield required(`${path}.name`);
  else yield* validateDnsLabel(name, `${path}.name`);
  if (readText(container['image']) === '') yield required(`${path}.image`);
  yield* requireOneOf(
    `${path}.terminationMessagePolicy`,
    readText(container['terminationMessagePolicy']),
    MESSAGE_POLICIES,
  );
  yield* validatePorts(container['ports'], `${path}.ports`);
  yield* validateEnv(container['env'], `${path}.env`);
  yield* validateEnvFrom(container['envFrom'], `${path}.envFrom`);
  yield* validateMounts(container, `${path}.volumeMounts`, context.volumes);
  yield* validateDevices(container, `${path}.volumeDevices`, context.volumes);
  yield* validatePullPolicy(readText(container['imagePullPolicy']), `${path}.imagePullPolicy`);
  yield* validateContainerResources(
    readStruct(container['resources']),
    `${path}.resources`,
    context,
  );
  yield* validateResizePolicy(container, `${path}.resizePolicy`, context.restartPolicy);
  const { securityContext } = container;
  yield* validateSecurityContext(securityContext, `${path}.securityContext`, context.hasOwnUsers);
}

export function* validatePullPolicy(policy: string, field: string): FieldErrors {
  yield* requireOneOf(field, policy, PULL_POLICIES);
}

function* validateHooksAndProbes(
  container: JsonObject,
  path: string,
  context: ContainerContext,
): FieldErrors {
  const lifecycle = readObject(container['lifecycle']);
  if (lifecycle) yield* validateLifecycle(lifecycle, `${path}.lifecycle`, context);
  yield* validateProbes(container, path, context);
}

/** An init container that is not a sidecar has no probes and no lifecycle hooks. */
function* validateRunsOnce(
  container: JsonObject,
  path: string,
  { options }: ContainerContext,
): FieldErrors {
  for (const name of NOT_FOR_INIT) {
    if (!isGiven(container[name])) continue;
    const detail = 'may not be set for init containers without restartPolicy=Always';
    yield forbiddenField(`${path}.${name}`, detail);
  }
  if (options.allowsRestartOnInitResize) return;
  for (const [index, policy] of readObjects(container['resizePolicy']).entries()) {
    if (policy['restartPolicy'] !== 'RestartContainer') continue;
    const detail = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    const field = `${path}.resizePolicy[${index}].restartPolicy`;
    yield invalidField(field, 'RestartContainer', detail);
  }
}

function* validateOnlyLooks(container: JsonObject, path: string): FieldErrors {
  const detail = 'cannot be set for an Ephemeral Container';
  for (const name of NOT_FOR_EPHEMERAL) {
    if (!isEmpty(container, name)) yield forbiddenField(`${path}.${name}`, detail);
  }
  for (const [index, mount] of readObjects(container['volumeMounts']).entries()) {
    for (const name of ['subPath', 'subPathExpr']) {
      if (readText(mount[name]) === '') continue;
      yield forbiddenField(`${path}.volumeMounts[${index}].${name}`, detail);
    }
  }
}

/** Whether the field is nil in Go. An empty list is not nil; empty resources are. */
function isEmpty(container: JsonObject, name: string): boolean {
  const value = container[name];
  if (name !== 'resources') return !isGiven(value);
  return Object.values(readStruct(value)).every((list) => !isGiven(list));
}

function namesOf(spec: JsonObject, list: 'containers' | 'initContainers'): Set<string> {
  return new Set(readObjects(spec[list]).map((container) => readText(container['name'])));
}
