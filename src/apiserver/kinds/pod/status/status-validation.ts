/**
 * Validates an update of a pod's status. The kubelet of the pod's node writes it; other clients may write it,
 * too.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { FieldError } from '../../../../api/validation/field-error.ts';
import {
  forbiddenField,
  invalidField,
  type FieldErrors,
} from '../../../../api/validation/field-errors.ts';
import { validateIp, validateOnePerFamily } from '../../../../api/validation/ip-addresses.ts';
import {
  readNumber,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';
import { validateDnsSubdomain, validateQualifiedName } from '../../../../api/validation/names.ts';
import { validateClaimStatuses, validateExtendedClaim } from './claim-status.ts';
import { validateContainerStatuses } from './container-status-rules.ts';
import { validateTransitions } from './state-transition.ts';
import { checkAnnotationUpdate } from '../../../../api/pod-validation/pod-validation.ts';

/** All other condition types need a qualified name. */
const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);

export function validatePodStatusUpdate(pod: JsonObject, old: JsonObject): readonly FieldError[] {
  return [...checkStatusUpdate(pod, old)];
}

function* checkStatusUpdate(pod: JsonObject, old: JsonObject): FieldErrors {
  yield* checkAnnotationUpdate(pod, old);
  const [status, before] = [readStruct(pod['status']), readStruct(old['status'])];
  yield* checkConditions(status, 'status.conditions');
  yield* checkNominatedNode(status, before, readStruct(old['spec']));
  yield* checkGeneration(status, 'status.observedGeneration');
  const qosClass = readText(status['qosClass']);
  if (qosClass !== readText(before['qosClass'])) {
    yield invalidField('status.qosClass', qosClass, 'field is immutable');
  }
  yield* validateTransitions(status, before, readStruct(old['spec']));
  yield* validateClaimStatuses(status, readStruct(pod['spec']));
  yield* validateExtendedClaim(status, readStruct(pod['spec']));
  yield* checkAddresses(status, before, 'podIPs');
  yield* checkHostAddresses(status, before);
  yield* validateContainerStatuses(status, readStruct(pod['spec']));
}

function* checkConditions(status: JsonObject, path: string): FieldErrors {
  for (const [index, condition] of readObjects(status['conditions']).entries()) {
    yield* checkGeneration(condition, `${path}[${index}].observedGeneration`);
    const type = readText(condition['type']);
    if (!SYSTEM_CONDITIONS.has(type)) yield* validateQualifiedName(type, `${path}[${index}].Type`);
  }
}

function* checkGeneration(holder: JsonObject, field: string): FieldErrors {
  const generation = readNumber(holder['observedGeneration']);
  if (generation < 0) yield invalidField(field, generation, 'must be a non-negative integer');
}

/** Only a pod without a node can have a nominated node. */
function* checkNominatedNode(
  status: JsonObject,
  before: JsonObject,
  spec: JsonObject,
): FieldErrors {
  const name = readText(status['nominatedNodeName']);
  if (name === '' || name === readText(before['nominatedNodeName'])) return;
  yield* validateDnsSubdomain(name, 'status.nominatedNodeName');
  if (readText(spec['nodeName']) === '') return;
  const detail = 'may not be set on pods that are already bound to a node';
  yield forbiddenField('status.nominatedNodeName', detail);
}

function* checkHostAddresses(status: JsonObject, before: JsonObject): FieldErrors {
  const [first] = readObjects(status['hostIPs']);
  if (!first) return;
  if (readText(first['ip']) !== readText(status['hostIP'])) {
    yield invalidField('status.hostIPs[0].ip', readText(first['ip']), 'must be equal to `hostIP`');
  }
  yield* checkAddresses(status, before, 'hostIPs');
}

/** At most one address of each family. Addresses that the old status had are not validated again. */
function* checkAddresses(
  status: JsonObject,
  before: JsonObject,
  list: 'hostIPs' | 'podIPs',
): FieldErrors {
  const addresses = addressesOf(status, list);
  const known = addressesOf(before, list);
  for (const [index, address] of addresses.entries()) {
    yield* validateIp(address, `status.${list}[${index}]`, known);
  }
  const shown = addresses.map((IP) => ({ IP }));
  yield* validateOnePerFamily(addresses, `status.${list}`, shown);
}

function addressesOf(status: JsonObject, list: 'hostIPs' | 'podIPs'): readonly string[] {
  return readObjects(status[list]).map(({ ip }) => readText(ip));
}
