/**
 * Defines the kind Node: its defaults, validation, columns and subresources. Each kubelet registers its own
 * Node and updates its status.
 */
import { checkLabelValue } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { textColumn, wide } from '../../objects/columns.ts';
import { changeGivenAt, objectsAt, textAt, valueAt } from '../../objects/field-path.ts';
import {
  AGE,
  NAME,
  plainKind,
  proxySubresource,
  statusSubresource,
} from '../../objects/plain-kind.ts';
import { internalForm } from '../../../api/pod-validation/internal-form.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  requireOneOf,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { familyOfCidr, validateCanonicalCidr } from '../../../api/validation/address-forms.ts';
import { withField } from '../../../api/validation/json-changes.ts';
import {
  isGiven,
  readEntries,
  readFlag,
  readText,
  readTexts,
} from '../../../api/validation/json-reading.ts';
import { validateQualifiedName } from '../../../api/validation/names.ts';
import { readAmounts, validateNotNegative } from '../../../api/validation/quantities.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ROLE_PREFIX = 'node-role.kubernetes.io/';
const OLD_ROLE = 'kubernetes.io/role';

export const nodes = plainKind('v1', {
  kind: 'Node',
  resource: 'nodes',
  shortNames: ['no'],
  subresources: [proxySubresource('NodeProxyOptions'), statusSubresource('Node')],
  rules: {
    applyDefaults: (object) =>
      changeGivenAt(changeGivenAt(object, 'status', defaultStatus), 'spec', defaultCidrs),
    validate: (object) => [
      ...checkTaints(object),
      ...checkResources(object),
      ...checkCidrs(object),
    ],
    validateUpdate: (object, old) => [...checkUpdate(object, old)],
    validateStatusUpdate: (object, old) => [...checkUpdate(object, old)],
    selectableFields: (object) => ({
      'spec.unschedulable': String(readFlag(valueAt(object, 'spec.unschedulable'))),
    }),
  },
  columns: [
    NAME,
    textColumn('Status', 'Whether it is ready, and whether new pods may come.', printStatus),
    textColumn('Roles', 'What it is for.', printRoles),
    AGE,
    textColumn('Version', "Its kubelet's version.", (object) =>
      textAt(object, 'status.nodeInfo.kubeletVersion'),
    ),
    wide(textColumn('Internal-IP', 'Its address in the cluster.', addressOf('InternalIP'))),
    wide(textColumn('External-IP', 'Its address in the world.', addressOf('ExternalIP'))),
    wide(textColumn('OS-Image', 'Its operating system.', infoOf('osImage'))),
    wide(textColumn('Kernel-Version', 'Its kernel.', printKernel)),
    wide(textColumn('Container-Runtime', 'What runs its pods.', infoOf('containerRuntimeVersion'))),
  ],
});

/** Allocatable defaults to capacity. */
function defaultStatus(status: JsonObject): JsonObject {
  const { capacity, allocatable } = status;
  if (isGiven(allocatable) || !isGiven(capacity)) return status;
  return withField(status, 'allocatable', capacity);
}

/** The pod CIDR is stored twice: as podCIDR, which wins if both differ, and as the first of podCIDRs. */
function defaultCidrs(spec: JsonObject): JsonObject {
  const [alone, listed] = [readText(spec['podCIDR']), readTexts(spec['podCIDRs'])];
  const [first = ''] = listed;
  if (alone === first) return spec;
  if (alone === '') return withField(spec, 'podCIDR', first);
  return withField(spec, 'podCIDRs', [alone]);
}

function* checkCidrs(object: JsonObject): FieldErrors {
  const field = 'spec.podCIDRs';
  const ranges = readTexts(valueAt(object, field));
  for (const [index, range] of ranges.entries()) {
    yield* validateCanonicalCidr(range, `${field}[${index}]`);
  }
  const families = new Set(ranges.map(familyOfCidr));
  if (ranges.length < 2 || (ranges.length === 2 && families.size === 2)) return;
  yield invalidField(field, ranges, 'may specify no more than one CIDR for each IP family');
}

function* checkTaints(object: JsonObject): FieldErrors {
  const seen = new Set<string>();
  for (const [index, taint] of objectsAt(object, 'spec.taints').entries()) {
    // kube-apiserver reports errors of taints below metadata, although taints are in the spec.
    const path = `metadata.taints[${index}]`;
    const [key, value, effect] = [taint['key'], taint['value'], taint['effect']].map(readText);
    yield* validateQualifiedName(key ?? '', `${path}.key`);
    const sentences = checkLabelValue(value ?? '');
    if (sentences.length > 0) yield invalidField(`${path}.value`, value, sentences.join(';'));
    yield* requireOneOf(`${path}.effect`, effect ?? '', EFFECTS);
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const shown = internalForm(taint, 'core/v1.Taint');
      yield { ...duplicate(path, shown), detail: 'taints must be unique by key and effect pair' };
    }
    seen.add(pair);
  }
}

function* checkResources(object: JsonObject): FieldErrors {
  for (const list of ['status.capacity', 'status.allocatable'] as const) {
    for (const [name, amount] of readAmounts(valueAt(object, list))) {
      yield* validateNotNegative(amount, `${list}.${name}`);
    }
  }
}

function* checkUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  yield* checkResources(object);
  yield* checkCidrs(object);
  yield* checkAddresses(object);
  const [cidrs, before] = [object, old].map((of) => readTexts(valueAt(of, 'spec.podCIDRs')));
  if (before && before.length > 0 && before.join() !== cidrs?.join()) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    yield forbiddenField('spec.podCIDRs', detail);
  }
  const provider = textAt(old, 'spec.providerID');
  if (provider !== '' && provider !== textAt(object, 'spec.providerID')) {
    const detail = 'node updates may not change providerID except from "" to valid';
    yield forbiddenField('spec.providerID', detail);
  }
  yield* checkTaints(object);
}

function* checkAddresses(object: JsonObject): FieldErrors {
  const seen = new Set<string>();
  for (const [index, address] of objectsAt(object, 'status.addresses').entries()) {
    const key = `${readText(address['type'])} ${readText(address['address'])}`;
    if (seen.has(key)) {
      const shown = internalForm(address, 'core/v1.NodeAddress');
      yield duplicate(`status.addresses[${index}]`, shown);
    }
    seen.add(key);
  }
}

function printStatus(object: JsonObject): string {
  const ready = objectsAt(object, 'status.conditions').findLast((one) => one['type'] === 'Ready');
  const state = !ready ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  const isClosed = readFlag(valueAt(object, 'spec.unschedulable'));
  return isClosed ? `${state},SchedulingDisabled` : state;
}

function printRoles(object: JsonObject): string {
  const roles = readEntries(metadataOf(object)['labels']).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === OLD_ROLE ? [readText(value)] : [];
  });
  const named = [...new Set(roles)].filter((role) => role !== '').toSorted();
  return named.length === 0 ? '<none>' : named.join(',');
}

function addressOf(type: string): (object: JsonObject) => string {
  return (object) => {
    const found = objectsAt(object, 'status.addresses').find((one) => one['type'] === type);
    return found ? readText(found['address']) : '<none>';
  };
}

function infoOf(name: string): (object: JsonObject) => string {
  return (object) => textAt(object, `status.nodeInfo.${name}`) || '<unknown>';
}

function printKernel(object: JsonObject): string {
  const kernel = infoOf('kernelVersion')(object);
  const architecture = textAt(object, 'status.nodeInfo.architecture');
  return architecture === '' ? kernel : `${kernel} (${architecture})`;
}
