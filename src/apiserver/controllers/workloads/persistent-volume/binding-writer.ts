/**
 * Writes bindings and phases, each as an update of the very version that the decision was made on.
 *
 * A binding is four writes: the volume, its phase, the claim, its status. The volume comes first, because it is
 * what two claims could compete for. If podkeep is killed in between, the next decision is to bind again, and
 * only what is missing is written.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { structAt, textAt } from '../../../objects/field-path.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { EventText } from '../../event-recorder.ts';
import { targetTo, updateExactly } from '../shared/exact-update.ts';
import type { WorkloadEvents } from '../shared/workload-events.ts';
import { claimStatus, withClaim, withoutClaim, withVolume } from './binding-changes.ts';

type Change = (object: JsonObject) => JsonObject;
type VolumePhase = 'Available' | 'Bound' | 'Released' | 'Failed';

export class BindingWriter {
  readonly #parts: ServerParts;
  readonly #events: WorkloadEvents;

  constructor(parts: ServerParts, events: WorkloadEvents) {
    this.#parts = parts;
    this.#events = events;
  }

  async bind(volume: JsonObject, claim: JsonObject): Promise<void> {
    const reserved = await this.changeVolume(volume, (old) => withClaim(old, claim));
    const bound = await this.setPhase(reserved, 'Bound');
    const named = await this.changeClaim(claim, (old) => withVolume(old, bound));
    await this.#setStatus(named, claimStatus(named, 'Bound', bound));
  }

  async unbind(volume: JsonObject): Promise<void> {
    await this.setPhase(await this.changeVolume(volume, withoutClaim), 'Available');
  }

  changeVolume(volume: JsonObject, change: Change): Promise<JsonObject> {
    return this.#change(persistentVolumes, volume, change);
  }

  changeClaim(claim: JsonObject, change: Change): Promise<JsonObject> {
    return this.#change(persistentVolumeClaims, claim, change);
  }

  async setPending(claim: JsonObject): Promise<void> {
    await this.#setStatus(claim, claimStatus(claim, 'Pending', null));
  }

  /** The Event is recorded only when the phase changes. */
  async setLost(claim: JsonObject, event: EventText): Promise<void> {
    if (textAt(claim, 'status.phase') === 'Lost') return;
    this.#events.record(await this.#setStatus(claim, claimStatus(claim, 'Lost', null)), event);
  }

  /** The message of an earlier phase goes. */
  async setPhase(volume: JsonObject, phase: VolumePhase, message?: string): Promise<JsonObject> {
    if (textAt(volume, 'status.phase') === phase) return volume;
    const { message: _, ...status } = structAt(volume, 'status');
    const wanted = { ...status, phase, ...(message !== undefined && { message }) };
    const change = (old: JsonObject): JsonObject => ({ ...old, status: wanted });
    return this.#update(persistentVolumes, volume, change, 'status');
  }

  /** The Event is recorded only when the phase changes. */
  async setFailed(volume: JsonObject, reason: string, message: string): Promise<void> {
    if (textAt(volume, 'status.phase') === 'Failed') return;
    this.#events.warning(await this.setPhase(volume, 'Failed', message), reason, message);
  }

  async #setStatus(claim: JsonObject, status: JsonObject): Promise<JsonObject> {
    if (status === structAt(claim, 'status')) return claim;
    const change = (old: JsonObject): JsonObject => ({ ...old, status });
    return this.#update(persistentVolumeClaims, claim, change, 'status');
  }

  async #change(kind: KindDefinition, seen: JsonObject, change: Change): Promise<JsonObject> {
    return change(seen) === seen ? seen : this.#update(kind, seen, change, null);
  }

  #update(
    kind: KindDefinition,
    seen: JsonObject,
    change: Change,
    subresource: string | null,
  ): Promise<JsonObject> {
    return updateExactly(this.#parts, targetTo(kind, seen), seen, change, subresource);
  }
}
