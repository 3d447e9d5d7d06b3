/**
 * Validates a pod's spec, in kube-apiserver's order. Each part has its rules in a separate file, which this
 * one calls.
 */
import { checkDns1123Subdomain } from '../validation-names.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  tooLong,
  type FieldErrors,
} from '../validation/field-errors.ts';
import { validateIp } from '../validation/ip-addresses.ts';
import {
  isGiven,
  readFlag,
  readNumber,
  readObject,
  readObjects,
  readStruct,
  readText,
  readTexts,
} from '../validation/json-reading.ts';
import { validateLabels } from '../validation/labels.ts';
import {
  checkInRange,
  validateDnsLabel,
  validateDnsSubdomain,
  validateQualifiedName,
} from '../validation/names.ts';
import {
  validateEphemeralContainers,
  validateInitContainers,
  validateRegularContainers,
  type ContainerContext,
} from './containers/containers.ts';
import { validateDnsConfig } from './dns.ts';
import { validateFileKeyVolumes } from './containers/env.ts';
import { validateNodeAffinity } from './scheduling/node-affinity.ts';
import { validateOperatingSystem } from './operating-system.ts';
import { validatePodAffinity } from './scheduling/pod-affinity.ts';
import { validatePodLevelResources } from './pod-level-rules.ts';
import { validateHostUsers, validatePodSecurity } from './security/pod-security.ts';
import { validateHostNetworkPorts } from './containers/ports.ts';
import { claimNamesOf, validateResourceClaims } from './containers/resource-claims.ts';
import { validateContainerResources } from './containers/resources.ts';
import { hasOwnUsers, usesHostNetwork, type SpecOptions } from './spec-options.ts';
import { validateTolerations } from './scheduling/tolerations.ts';
import { validateTopologySpread } from './scheduling/topology-spread.ts';
import { validateVolumes } from './volumes/volumes.ts';
import { validateHostProcesses } from './security/windows-options.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const DEADLINE_MAX = 2 ** 31 - 1;
const HOSTNAME_LENGTH_MAX = 64;

/** `metadata`: the pod's, or a template's, which has no name yet. */
export function* validatePodSpec(
  spec: JsonObject,
  metadata: JsonObject,
  path: string,
  options: SpecOptions,
): FieldErrors {
  if (!isGiven(spec['terminationGracePeriodSeconds'])) {
    yield required(`${path}.terminationGracePeriodSeconds`);
  }
  const podName = readText(metadata['name']);
  const { volumes, errors } = validateVolumes(spec, `${path}.volumes`, options, podName);
  yield* errors;
  yield* validateResourceClaims(spec, metadata, `${path}.resourceClaims`);
  const context = contextOf(spec, volumes, options);
  yield* validateRegularContainers(spec, `${path}.containers`, context);
  yield* validateInitContainers(spec, `${path}.initContainers`, context);
  yield* validateEphemeralContainers(spec, `${path}.ephemeralContainers`, context);
  yield* validatePodLevelResources(spec, path, context);
  yield* validateHostNetworkPorts(spec, path, options.isPod);
  yield* requireOneOf(`${path}.restartPolicy`, readText(spec['restartPolicy']), RESTART_POLICIES);
  yield* requireOneOf(`${path}.dnsPolicy`, readText(spec['dnsPolicy']), DNS_POLICIES);
  yield* validateLabels(spec['nodeSelector'], `${path}.nodeSelector`);
  yield* validatePodSecurity(spec, `${path}.securityContext`, options);
  yield* validateAffinity(spec, `${path}.affinity`, options);
  yield* validateDnsConfig(spec, `${path}.dnsConfig`);
  yield* validateGates(spec, path);
  const spread = spec['topologySpreadConstraints'];
  yield* validateTopologySpread(spread, `${path}.topologySpreadConstraints`, options);
  yield* validateHostProcesses(spec, path);
  yield* validateHostUsers(spec, path, options);
  yield* validateNamesAndTimes(spec, path);
  const { allowsComparisons } = options;
  yield* validateTolerations(spec['tolerations'], `${path}.tolerations`, allowsComparisons);
  yield* validateHostAliases(spec, `${path}.hostAliases`);
  yield* validateClasses(spec, path, context);
  yield* validateOperatingSystem(spec, path);
  yield* validateSchedulingGroup(spec, `${path}.schedulingGroup`);
  yield* validateFileKeyVolumes(spec, path);
}

function contextOf(
  spec: JsonObject,
  volumes: ContainerContext['volumes'],
  options: SpecOptions,
): ContainerContext {
  const os = readObject(spec['os']);
  return {
    options,
    volumes,
    claimNames: claimNamesOf(spec),
    graceSeconds: readNumber(spec['terminationGracePeriodSeconds']),
    restartPolicy: readText(spec['restartPolicy']),
    hasOwnUsers: hasOwnUsers(spec),
    os: os && readText(os['name']),
  };
}

function* validateAffinity(spec: JsonObject, path: string, options: SpecOptions): FieldErrors {
  const { nodeAffinity, podAffinity, podAntiAffinity } = readStruct(spec['affinity']);
  const { allowsBadNodeAffinityValues, allowsBadAffinityValues } = options;
  const byNode = readStruct(nodeAffinity);
  yield* validateNodeAffinity(byNode, `${path}.nodeAffinity`, allowsBadNodeAffinityValues);
  const [near, far] = [readStruct(podAffinity), readStruct(podAntiAffinity)];
  yield* validatePodAffinity(near, `${path}.podAffinity`, allowsBadAffinityValues);
  yield* validatePodAffinity(far, `${path}.podAntiAffinity`, allowsBadAffinityValues);
}

/** Readiness gates and scheduling gates. */
function* validateGates(spec: JsonObject, path: string): FieldErrors {
  for (const [index, gate] of readObjects(spec['readinessGates']).entries()) {
    const field = `${path}.readinessGates[${index}].conditionType`;
    yield* validateQualifiedName(readText(gate['conditionType']), field);
  }
  const seen = new Set<string>();
  for (const [index, gate] of readObjects(spec['schedulingGates']).entries()) {
    const name = readText(gate['name']);
    const field = `${path}.schedulingGates[${index}]`;
    yield* validateQualifiedName(name, field);
    if (seen.has(name)) yield duplicate(field, name);
    seen.add(name);
  }
}

function* validateNamesAndTimes(spec: JsonObject, path: string): FieldErrors {
  yield* validateHostnameOverride(spec, `${path}.hostnameOverride`);
  for (const name of ['serviceAccountName', 'nodeName']) {
    const value = readText(spec[name]);
    if (value !== '') yield* validateDnsSubdomain(value, `${path}.${name}`);
  }
  if (isGiven(spec['activeDeadlineSeconds'])) {
    const seconds = readNumber(spec['activeDeadlineSeconds']);
    const sentences = checkInRange(seconds, 1, DEADLINE_MAX);
    yield* invalidFor(`${path}.activeDeadlineSeconds`, spec['activeDeadlineSeconds'], sentences);
  }
  for (const name of ['hostname', 'subdomain']) {
    const value = readText(spec[name]);
    if (value !== '') yield* validateDnsLabel(value, `${path}.${name}`);
  }
}

function* validateHostnameOverride(spec: JsonObject, field: string): FieldErrors {
  if (!isGiven(spec['hostnameOverride'])) return;
  const name = readText(spec['hostnameOverride']);
  if (readFlag(spec['setHostnameAsFQDN'])) {
    yield forbiddenField(field, 'may not be specified when setHostnameAsFQDN is true');
  }
  if (usesHostNetwork(spec)) {
    yield forbiddenField(field, 'may not be specified when hostNetwork is true');
  }
  if (Buffer.byteLength(name) > HOSTNAME_LENGTH_MAX) yield tooLong(field, HOSTNAME_LENGTH_MAX);
  yield* validateDnsSubdomain(name, field);
}

function* validateHostAliases(spec: JsonObject, path: string): FieldErrors {
  for (const [index, alias] of readObjects(spec['hostAliases']).entries()) {
    yield* validateIp(readText(alias['ip']), `${path}[${index}].ip`);
    for (const [at, hostname] of readTexts(alias['hostnames']).entries()) {
      yield* validateDnsSubdomain(hostname, `${path}[${index}].hostnames[${at}]`);
    }
  }
}

/** Priority, runtime class and overhead. */
function* validateClasses(spec: JsonObject, path: string, context: ContainerContext): FieldErrors {
  const priority = readText(spec['priorityClassName']);
  if (priority !== '') {
    yield* invalidFor(`${path}.priorityClassName`, priority, checkDns1123Subdomain(priority));
  }
  if (isGiven(spec['runtimeClassName'])) {
    yield* validateDnsSubdomain(readText(spec['runtimeClassName']), `${path}.runtimeClassName`);
  }
  if (isGiven(spec['preemptionPolicy'])) {
    const policy = readText(spec['preemptionPolicy']);
    yield* requireOneOf(`${path}.preemptionPolicy`, policy, PREEMPTION_POLICIES);
  }
  const overhead = readObject(spec['overhead']);
  if (!overhead) return;
  const nothingElse = { ...context, claimNames: new Set<string>() };
  yield* validateContainerResources({ limits: overhead }, `${path}.overhead`, nothingElse);
}

function* validateSchedulingGroup(spec: JsonObject, path: string): FieldErrors {
  const group = readObject(spec['schedulingGroup']);
  if (!group) return;
  const { podGroupName } = group;
  const field = `${path}.podGroupName`;
  if (isGiven(podGroupName)) yield* validateDnsSubdomain(readText(podGroupName), field);
  else yield invalidField(field, null, 'must specify one of: `podGroupName`');
}
