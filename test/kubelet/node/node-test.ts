/** Short helpers for tests of a whole node. */
import { onTestFinished } from 'vitest';
import type { Pod, PodStatus } from '../../../src/api/pod.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { NAMESPACE, VirtualNode, type VirtualNodeOptions } from './virtual-node.ts';

export const NODE = 'node1';

/** Gone after the test. */
export async function openNode(options: VirtualNodeOptions = {}): Promise<VirtualNode> {
  const node = await VirtualNode.open(options);
  onTestFinished(() => node.close());
  return node;
}

export function podOf(name: string, spec: JsonObject = {}, metadata: JsonObject = {}) {
  const containers = [{ name: 'main', image: 'busy:1' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name, namespace: NAMESPACE },
    spec: { nodeName: NODE, automountServiceAccountToken: false, containers, ...spec },
  };
}

export function at(name: string): string {
  return `${NAMESPACE}/${name}`;
}

export async function statusOf(node: VirtualNode, name: string): Promise<PodStatus | null> {
  return (await node.cluster.findPod(at(name)))?.status ?? null;
}

export function conditionOf(
  status: PodStatus | null | undefined,
  type: string,
): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.status;
}

export async function isReady(node: VirtualNode, name: string): Promise<boolean> {
  return conditionOf(await statusOf(node, name), 'Ready') === 'True';
}

export function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? '';
}

/** Names of the pods that have a running container, in the order of their sandboxes. */
export function runningPods({ machine }: VirtualNode): readonly string[] {
  return machine
    .list()
    .filter(({ pod }) => pod.containers.some(({ state }) => state === 'running'))
    .map(({ name }) => name);
}

/** How many containers of the pod were created, without those that are gone. */
export function containersOf({ machine }: VirtualNode, uid: string): readonly string[] {
  return machine.inspect(uid).containers.map(({ name, state }) => `${name} ${state}`);
}

/** `REASON message`, in the order of their names. */
export async function eventsAbout(node: VirtualNode, name: string): Promise<readonly string[]> {
  const events = (await node.cluster.events(NAMESPACE)) as unknown as readonly RecordedEvent[];
  return events
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason} ${message}`);
}

interface RecordedEvent {
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly name: string };
}

/** An answer that never comes. */
export const NO_ANSWER = new Promise<never>(() => {});
