/** Nodes: machines that run pods. The kubelet registers its own and keeps its status true. */
import { checkLabelValue } from '../../api/validation-names.ts';
import type { JsonObject } from '../../lib/json.ts';
import { metadataOf } from '../metadata.ts';
import { textColumn, wide } from './columns.ts';
import { changeGivenAt, objectsAt, textAt, valueAt } from './field-path.ts';
import { AGE, NAME, plainKind, proxySubresource, statusSubresource } from './plain-kind.ts';
import { internalForm } from './pod-template/internal-form.ts';
import {
  duplicate,
  forbidden,
  invalid,
  requireOneOf,
  type Complaints,
} from './validation/complaint.ts';
import { withField } from './validation/json-changes.ts';
import { isGiven, readEntries, readFlag, readText, readTexts } from './validation/json-reading.ts';
import { validateQualifiedName } from './validation/names.ts';
import { readAmounts, validateNotNegative } from './validation/quantities.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ROLE_PREFIX = 'node-role.kubernetes.io/';
const OLD_ROLE = 'kubernetes.io/role';

export const nodes = plainKind('v1', {
  kind: 'Node',
  resource: 'nodes',
  shortNames: ['no'],
  subresources: [proxySubresource('NodeProxyOptions'), statusSubresource('Node')],
  rules: {
    applyDefaults: (object) => changeGivenAt(object, 'status', defaultStatus),
    validate: (object) => [...checkTaints(object), ...checkResources(object)],
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

/** Until somebody says otherwise, all that there is may be used. */
function defaultStatus(status: JsonObject): JsonObject {
  const { capacity, allocatable } = status;
  if (isGiven(allocatable) || !isGiven(capacity)) return status;
  return withField(status, 'allocatable', capacity);
}

function* checkTaints(object: JsonObject): Complaints {
  const seen = new Set<string>();
  for (const [index, taint] of objectsAt(object, 'spec.taints').entries()) {
    // The API looks for taints among metadata, and nobody dares to change it.
    const path = `metadata.taints[${index}]`;
    const [key, value, effect] = [taint['key'], taint['value'], taint['effect']].map(readText);
    yield* validateQualifiedName(key ?? '', `${path}.key`);
    const sentences = checkLabelValue(value ?? '');
    if (sentences.length > 0) yield invalid(`${path}.value`, value, sentences.join(';'));
    yield* requireOneOf(`${path}.effect`, effect ?? '', EFFECTS);
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const shown = internalForm(taint, 'core/v1.Taint');
      yield { ...duplicate(path, shown), detail: 'taints must be unique by key and effect pair' };
    }
    seen.add(pair);
  }
}

function* checkResources(object: JsonObject): Complaints {
  for (const list of ['status.capacity', 'status.allocatable'] as const) {
    for (const [name, amount] of readAmounts(valueAt(object, list))) {
      yield* validateNotNegative(amount, `${list}.${name}`);
    }
  }
}

function* checkUpdate(object: JsonObject, old: JsonObject): Complaints {
  yield* checkResources(object);
  yield* checkAddresses(object);
  const [cidrs, before] = [object, old].map((of) => readTexts(valueAt(of, 'spec.podCIDRs')));
  if (before && before.length > 0 && before.join() !== cidrs?.join()) {
    const detail = 'node updates may not change podCIDR except from "" to valid';
    yield forbidden('spec.podCIDRs', detail);
  }
  const provider = textAt(old, 'spec.providerID');
  if (provider !== '' && provider !== textAt(object, 'spec.providerID')) {
    const detail = 'node updates may not change providerID except from "" to valid';
    yield forbidden('spec.providerID', detail);
  }
  yield* checkTaints(object);
}

function* checkAddresses(object: JsonObject): Complaints {
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
