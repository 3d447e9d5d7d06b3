/**
 * Computes the status of a node: addresses, system info, resources and conditions, and the Events that belong
 * to it.
 *
 *     what was read of the machine, the runtime and the kubelet ──┐
 *     the status before ─────────────────────────────────────────┴──> the status now, and its Events
 *
 * Fields of other components (attached volumes, extended resources, conditions) are not changed. A part that
 * could not be read keeps its previous value, except for fields that Kubernetes' kubelet reports as zero
 * then. `runtimeHandlers` and `features` are set if the runtime reports them, as containerd does.
 */
import type { Time } from '../../api/meta.ts';
import type { ResourceList } from '../../api/resources.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { addressList } from './node-addresses.ts';
import { nodeConditions, type ConditionFacts } from './node-conditions.ts';
import { nodeImages, type NodeImage } from './node-images.ts';
import { allocatableOf, capacityOf, type MachineSize } from './node-resources.ts';
import type { NodeSettings } from './node-settings.ts';

export interface NodeReading extends MachineSize, ConditionFacts {
  readonly nodeName: string;
  readonly ips: readonly string[];
  readonly kubeletVersion: string;
  readonly kubeletPort: number;
  /** Such as `containerd://1.7.2`. */
  readonly runtimeVersion: string;
  /** Absent: it does not report them. */
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly hasSupplementalGroupsPolicy?: boolean;
  readonly images: readonly NodeImage[];
  /** Null: not known yet. */
  readonly volumesInUse: readonly string[] | null;
}

/** A handler with which the runtime runs sandboxes. */
export interface NodeRuntimeHandler {
  readonly name: string;
  readonly hasRecursiveReadOnly: boolean;
  readonly hasUserNamespaces: boolean;
}

/** An Event to record about the node. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface NodeStatusUpdate {
  readonly status: JsonObject;
  readonly nodeEvents: readonly NodeEvent[];
}

const REQUIRED = ['cpu', 'memory', 'pods'];

export function nodeStatus(
  before: JsonObject,
  reading: NodeReading,
  settings: NodeSettings,
  now: Time,
): NodeStatusUpdate {
  const capacity = capacityOf(reading, settings, resourcesIn(before, 'capacity'));
  const allocatable = allocatableOf(capacity, settings, resourcesIn(before, 'allocatable'));
  const reasons = [...reading.reasons, ...missingCapacity(capacity, settings)];
  const facts = { pressures: reading.pressures, reasons };
  const { conditions, nodeEvents } = nodeConditions(before['conditions'], facts, now);
  const nodeInfo = nodeInfoOf(objectIn(before, 'nodeInfo'), reading);
  const status = {
    ...before,
    addresses: addressList(reading.ips, reading.nodeName),
    capacity,
    allocatable,
    conditions,
    daemonEndpoints: { kubeletEndpoint: { Port: reading.kubeletPort } },
    nodeInfo,
    images: nodeImages(reading.images, settings.statusImagesMax),
    declaredFeatures: settings.declaredFeatures,
    runtimeHandlers: (reading.runtimeHandlers ?? []).map(handlerOf),
    ...featuresOf(reading),
    ...(reading.volumesInUse && { volumesInUse: reading.volumesInUse }),
  };
  const spoken = nodeEvents.map((reason) => statusEvent(reading.nodeName, reason));
  return {
    status: withoutEmpty(status),
    nodeEvents: [...rebootEvents(before, reading), ...spoken],
  };
}

function handlerOf(handler: NodeRuntimeHandler): JsonObject {
  const { name, hasRecursiveReadOnly, hasUserNamespaces } = handler;
  return {
    name,
    features: { recursiveReadOnlyMounts: hasRecursiveReadOnly, userNamespaces: hasUserNamespaces },
  };
}

function featuresOf({ hasSupplementalGroupsPolicy: isThere }: NodeReading): JsonObject {
  return isThere === undefined ? {} : { features: { supplementalGroupsPolicy: isThere } };
}

/** The capacity or allocatable in a status, without malformed amounts. */
export function resourcesIn(status: JsonObject, name: 'capacity' | 'allocatable'): ResourceList {
  const entries = Object.entries(objectIn(status, name));
  return Object.fromEntries(entries.filter(isAmount));
}

function isAmount(entry: [string, Json]): entry is [string, string | number] {
  return typeof entry[1] === 'string' || typeof entry[1] === 'number';
}

function missingCapacity(capacity: ResourceList, settings: NodeSettings): readonly string[] {
  const storage = settings.hasLocalStorageIsolation ? ['ephemeral-storage'] : [];
  const missing = [...REQUIRED, ...storage].filter((name) => !Object.hasOwn(capacity, name));
  if (missing.length === 0) return [];
  return [`missing node capacity for resources: ${missing.join(', ')}`];
}

/** kube-proxy's version is empty: the kubelet never knew it, and the field is deprecated. */
function nodeInfoOf(before: JsonObject, reading: NodeReading): JsonObject {
  const { machine, runtimeVersion, kubeletVersion } = reading;
  const versions = {
    containerRuntimeVersion: runtimeVersion,
    kubeletVersion,
    kubeProxyVersion: '',
  };
  if (!machine) return { ...before, ...versions };
  return {
    ...before,
    machineID: machine.machineID,
    systemUUID: machine.systemUUID,
    bootID: machine.bootID,
    kernelVersion: machine.kernelVersion,
    osImage: machine.osImage,
    ...versions,
    operatingSystem: machine.operatingSystem,
    architecture: machine.architecture,
    ...(machine.swapBytes > 0 && { swap: { capacity: machine.swapBytes } }),
  };
}

function rebootEvents(
  before: JsonObject,
  { nodeName, machine }: NodeReading,
): readonly NodeEvent[] {
  const { bootID } = objectIn(before, 'nodeInfo');
  if (!machine || typeof bootID !== 'string' || bootID === '') return [];
  if (machine.bootID === '' || machine.bootID === bootID) return [];
  const message = `Node ${nodeName} has been rebooted, boot id: ${machine.bootID}`;
  return [{ type: 'Warning', reason: 'NodeRebooted', message }];
}

function statusEvent(nodeName: string, reason: string): NodeEvent {
  return { type: 'Normal', reason, message: `Node ${nodeName} status is now: ${reason}` };
}

/** Empty lists are absent on the wire. */
function withoutEmpty(status: JsonObject): JsonObject {
  const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(Object.entries(status).filter(([, value]) => !isEmpty(value)));
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return isJsonObject(value) ? value : {};
}
