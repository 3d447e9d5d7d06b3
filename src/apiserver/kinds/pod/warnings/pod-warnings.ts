/**
 * Warnings about pods that are valid but probably not intended, or use deprecated features. Each topic has
 * its own file.
 */
import { checkDns1123Label } from '../../../../api/validation-names.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { allContainers } from '../../../../api/pod-validation/container-lists.ts';
import { warnAboutContainers } from './container-warnings.ts';
import { warnAboutPorts } from './port-warnings.ts';
import { warnAboutScheduling, warnAboutPodAffinity } from './scheduling-warnings.ts';
import { warnAboutVolumes } from './volume-warnings.ts';
import { warnAboutIp } from '../../../../api/validation/ip-addresses.ts';
import {
  readNumber,
  readObjects,
  readStruct,
  readText,
  readTextMap,
  readTexts,
} from '../../../../api/validation/json-reading.ts';
import { isWhole, printAmount, readAmount } from '../../../../api/validation/quantities.ts';
import {
  SECCOMP_CONTAINER_PREFIX,
  SECCOMP_POD,
} from '../../../../api/pod-validation/annotations.ts';

type Warnings = Generator<string, void>;

const OLD_ANNOTATIONS: readonly (readonly [key: string, advice: string])[] = [
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  [
    'security.alpha.kubernetes.io/sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
];

export function podWarnings(pod: JsonObject): readonly string[] {
  return [...warnAboutName(pod), ...warnAboutPod(pod)];
}

/** For a pod, or for a pod template. */
export function* warnAboutPod(pod: JsonObject): Warnings {
  const [metadata, spec] = [readStruct(pod['metadata']), readStruct(pod['spec'])];
  const annotations = readTextMap(metadata['annotations']);
  yield* warnAboutScheduling(spec);
  for (const [key, advice] of OLD_ANNOTATIONS) {
    if (annotations.has(key)) yield `metadata.annotations[${key}]: ${advice}`;
  }
  yield* warnAboutVolumes(spec);
  yield* warnAboutDuplicates(spec);
  yield* warnAboutOverhead(spec);
  if (!hasSeccomp(spec) && annotations.has(SECCOMP_POD)) yield seccompAdvice(SECCOMP_POD);
  for (const { container, path } of allContainers(spec)) {
    const key = `${SECCOMP_CONTAINER_PREFIX}${readText(container['name'])}`;
    if (!hasSeccomp(container) && annotations.has(key)) yield seccompAdvice(key);
    yield* warnAboutContainers(container, path);
  }
  yield* warnAboutPorts(spec);
  if (readNumber(spec['terminationGracePeriodSeconds']) < 0) {
    yield 'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1';
  }
  yield* warnAboutPodAffinity(spec);
  yield* warnAboutAddresses(spec);
}

/** A pod's name becomes its hostname, in which dots have a meaning. */
function* warnAboutName(pod: JsonObject): Warnings {
  const sentences = checkDns1123Label(readText(readStruct(pod['metadata'])['name']));
  if (sentences.length === 0) return;
  yield `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${sentences.join(' ')}]`;
}

function* warnAboutDuplicates(spec: JsonObject): Warnings {
  const aliases = readObjects(spec['hostAliases']).map(({ ip }) => readText(ip));
  for (const [index, ip] of aliases.entries()) {
    if (aliases.indexOf(ip) === index) continue;
    yield `spec.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`;
  }
  const secrets = readObjects(spec['imagePullSecrets']).map(({ name }) => readText(name));
  for (const [index, name] of secrets.entries()) {
    if (secrets.indexOf(name) === index) continue;
    yield `spec.imagePullSecrets[${index}].name: duplicate name ${JSON.stringify(name)}`;
  }
  for (const [index, name] of secrets.entries()) {
    if (name === '') yield `spec.imagePullSecrets[${index}].name: invalid empty name ""`;
  }
}

function* warnAboutOverhead(spec: JsonObject): Warnings {
  const overhead = readStruct(spec['overhead']);
  for (const name of ['memory', 'ephemeral-storage']) {
    if (isWhole(readAmount(overhead[name]))) continue;
    const shown = JSON.stringify(printAmount(overhead[name]));
    yield `spec.overhead[${name}]: fractional byte value ${shown} is invalid, must be an integer`;
  }
}

function* warnAboutAddresses(spec: JsonObject): Warnings {
  const servers = readTexts(readStruct(spec['dnsConfig'])['nameservers']);
  for (const [index, server] of servers.entries()) {
    yield* warnAboutIp(server, `spec.dnsConfig.nameservers[${index}]`);
  }
  for (const [index, alias] of readObjects(spec['hostAliases']).entries()) {
    yield* warnAboutIp(readText(alias['ip']), `spec.hostAliases[${index}].ip`);
  }
}

function hasSeccomp(holder: JsonObject): boolean {
  return readStruct(holder['securityContext'])['seccompProfile'] !== undefined;
}

function seccompAdvice(key: string): string {
  return `metadata.annotations[${key}]: non-functional in v1.27+; use the "seccompProfile" field instead`;
}
