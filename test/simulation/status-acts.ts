/** Writes of others to the status of a pod: their own conditions, and sometimes over ours. */
import type { PodCondition, PodStatus } from '../../src/api/pod.ts';
import { replaceOrAppendCondition } from '../../src/api/condition.ts';
import type { Act, Scene } from './acts.ts';
import { GATE } from './pod-templates.ts';

export const STATUS_ACTS: readonly Act[] = [
  { name: 'other writer: sets a condition', weight: 5, play: setCondition },
  { name: 'other writer: removes its condition', weight: 2, play: removeCondition },
  { name: 'other writer: turns a readiness gate', weight: 4, play: turnGate },
  { name: 'other writer: says the pod is not ready', weight: 2, play: denyReadiness },
  { name: 'other writer: writes an old status', weight: 2, play: writeOldStatus },
  { name: 'other writer: empties the status', weight: 1, play: emptyStatus },
  { name: 'other writer: ends the pod', weight: 1, play: endPod },
];

function pickUid({ world, dice }: Scene): string | undefined {
  return dice.pick(world.api.pods())?.metadata.uid;
}

function edit(scene: Scene, change: (status: PodStatus) => PodStatus, what = ''): string | null {
  const uid = pickUid(scene);
  if (uid === undefined) return null;
  scene.world.api.changeStatus(uid, change);
  return `${uid} ${what}`.trim();
}

function setCondition(scene: Scene): string | null {
  const { dice } = scene;
  const condition: PodCondition = {
    type: dice.oneOf('example.com/a', 'example.com/b', 'example.com/c'),
    status: dice.oneOf('True', 'False', 'Unknown'),
    reason: `Turn${dice.between(0, 99)}`,
  };
  return edit(scene, (status) => withCondition(status, condition), condition.type);
}

function removeCondition(scene: Scene): string | null {
  const { dice, world } = scene;
  const marked = world.api.pods().filter(({ status }) => status?.conditions?.some(isExample));
  const uid = dice.pick(marked)?.metadata.uid;
  if (uid === undefined) return null;
  world.api.changeStatus(uid, (status) => ({
    ...status,
    conditions: (status.conditions ?? []).filter((condition) => !isExample(condition)),
  }));
  return uid;
}

function turnGate(scene: Scene): string | null {
  const { dice, world } = scene;
  const gated = world.api.pods().filter(({ spec }) => (spec.readinessGates ?? []).length > 0);
  const uid = dice.pick(gated)?.metadata.uid;
  if (uid === undefined) return null;
  openGate(scene, uid, dice.chance(0.6));
  return uid;
}

/** Sets whether the pod may be ready. */
export function openGate({ world }: Scene, uid: string, isOpen: boolean): void {
  const condition: PodCondition = { type: GATE, status: isOpen ? 'True' : 'False' };
  world.api.changeStatus(uid, (status) => withCondition(status, condition));
}

/** As the node controller does when it has not heard from the node for a while. */
function denyReadiness(scene: Scene): string | null {
  return edit(scene, (status) => withCondition(status, { type: 'Ready', status: 'False' }));
}

function emptyStatus(scene: Scene): string | null {
  return edit(scene, (status) => ({ conditions: (status.conditions ?? []).filter(isExample) }));
}

function endPod(scene: Scene): string | null {
  const ended = { phase: 'Failed', reason: 'NodeLost', message: 'as another sees it' } as const;
  return edit(scene, (status) => ({ ...status, ...ended }));
}

/** A controller read a status, and wrote it back whole after a while. */
function writeOldStatus(scene: Scene): string | null {
  const { dice, world } = scene;
  const uid = pickUid(scene);
  const status = uid === undefined ? undefined : world.api.findByUid(uid)?.status;
  if (uid === undefined || !status) return null;
  const delayMs = dice.between(100, 8000);
  world.clock.after(delayMs, () => world.api.changeStatus(uid, () => status));
  return `${uid} in ${delayMs} ms`;
}

function withCondition(status: PodStatus, condition: PodCondition): PodStatus {
  return { ...status, conditions: replaceOrAppendCondition(status.conditions, condition) };
}

function isExample({ type }: PodCondition): boolean {
  return type.startsWith('example.com/');
}
