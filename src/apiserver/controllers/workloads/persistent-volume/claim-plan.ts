/**
 * Decides what happens to a claim.
 *
 *     not bound ──> a volume fits ─────────────────────────> bind
 *               ──> none: no class, a default one exists ──> assign it, and decide again
 *               ──> none: the class waits for a pod ───────> pending, until the scheduler has selected a node
 *               ──> none: it has a class ──────────────────> provision
 *     bound ────> its volume is gone, or another claim's ──> lost, for good
 *               ──> otherwise ─────────────────────────────> bind: repairs whatever is missing on either side
 *
 * The annotation bind-completed makes the difference: a claim that had a volume never gets another one.
 */
import { isGiven } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { textAt, valueAt } from '../../../objects/field-path.ts';
import type { EventText } from '../../event-recorder.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import {
  annotationOf,
  BIND_COMPLETED,
  CLASS_ANNOTATION,
  classOf,
  isReservedFor,
  SELECTED_NODE,
} from '../../scheduler/storage/claim-facts.ts';
import { bestVolumeFor, mismatchOf } from './volume-match.ts';

/** What the decision reads of the cluster. */
export interface ClaimSurroundings {
  volume(name: string): JsonObject | undefined;
  volumes(): readonly JsonObject[];
  storageClass(name: string): JsonObject | undefined;
  /** The name of the default class. */
  defaultClass(): string | undefined;
  /** Names of pods that use the claim and have no node yet. */
  unscheduledPods(): readonly string[];
}

export type ClaimPlan =
  | { readonly type: 'bind'; readonly volume: JsonObject }
  | { readonly type: 'assignClass'; readonly name: string }
  | { readonly type: 'provision' }
  | { readonly type: 'pending'; readonly event: EventText | null }
  | { readonly type: 'lost'; readonly event: EventText };

const NO_CLASS = 'no persistent volumes available for this claim and no storage class is set';
const LOST_REFERENCE =
  'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!';
const LOST_VOLUME = 'Bound claim has lost its PersistentVolume. Data on the volume is lost!';
const MISBOUND = 'Two claims are bound to the same volume, this one is bound incorrectly';

export function planClaim(claim: JsonObject, around: ClaimSurroundings): ClaimPlan {
  const name = textAt(claim, 'spec.volumeName');
  if (annotationOf(claim, BIND_COMPLETED) !== undefined) return planBound(claim, name, around);
  return name === '' ? planUnbound(claim, around) : planNamed(claim, name, around);
}

function planBound(claim: JsonObject, name: string, around: ClaimSurroundings): ClaimPlan {
  if (name === '') return lost('ClaimLost', LOST_REFERENCE);
  const volume = around.volume(name);
  if (!volume) return lost('ClaimLost', LOST_VOLUME);
  const isOurs =
    !isGiven(valueAt(volume, 'spec.claimRef')) ||
    textAt(volume, 'spec.claimRef.uid') === uidOf(claim);
  return isOurs ? { type: 'bind', volume } : lost('ClaimMisbound', MISBOUND);
}

/** The client left the choice of the volume to the controller. */
function planUnbound(claim: JsonObject, around: ClaimSurroundings): ClaimPlan {
  const className = classOf(claim);
  const storageClass = className === '' ? undefined : around.storageClass(className);
  const waitsForPod = storageClass?.['volumeBindingMode'] === 'WaitForFirstConsumer';
  const volume = bestVolumeFor(claim, around.volumes(), waitsForPod);
  if (volume) return { type: 'bind', volume };
  const assigned = namesClass(claim) ? undefined : around.defaultClass();
  if (assigned !== undefined) return { type: 'assignClass', name: assigned };
  if (waitsForPod && annotationOf(claim, SELECTED_NODE) === undefined) {
    return { type: 'pending', event: waitingEvent(around.unscheduledPods()) };
  }
  if (className !== '') return { type: 'provision' };
  return pending('Normal', 'FailedBinding', NO_CLASS);
}

function planNamed(claim: JsonObject, name: string, around: ClaimSurroundings): ClaimPlan {
  const volume = around.volume(name);
  if (!volume) return { type: 'pending', event: null };
  const quoted = JSON.stringify(name);
  if (!isGiven(valueAt(volume, 'spec.claimRef'))) {
    const mismatch = mismatchOf(volume, claim);
    if (mismatch === null) return { type: 'bind', volume };
    const message = `Cannot bind to requested volume ${quoted}: ${mismatch}`;
    return pending('Warning', 'VolumeMismatch', message);
  }
  if (isReservedFor(volume, claim)) return { type: 'bind', volume };
  const message = `volume ${quoted} already bound to a different claim.`;
  return pending('Warning', 'FailedBinding', message);
}

/** An empty name counts: the client wants no class. */
function namesClass(claim: JsonObject): boolean {
  const isAnnotated = annotationOf(claim, CLASS_ANNOTATION) !== undefined;
  return isAnnotated || isGiven(valueAt(claim, 'spec.storageClassName'));
}

function waitingEvent(pods: readonly string[]): EventText {
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return { type: 'Normal', reason: 'WaitForFirstConsumer', message };
  }
  const which = pods.length === 1 ? 'pod' : 'pods';
  const message = `waiting for ${which} ${pods.join(',')} to be scheduled`;
  return { type: 'Normal', reason: 'WaitForPodScheduled', message };
}

function pending(type: EventText['type'], reason: string, message: string): ClaimPlan {
  return { type: 'pending', event: { type, reason, message } };
}

function lost(reason: string, message: string): ClaimPlan {
  return { type: 'lost', event: { type: 'Warning', reason, message } };
}
