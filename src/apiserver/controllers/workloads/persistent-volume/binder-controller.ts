/**
 * `persistentvolume-binder`: binds claims and volumes, provisions volumes and reclaims them.
 *
 *     change ──> index ──> queue of claims and volumes ──> decision ──> writes
 *                                                             └──> operations: provision, reclaim
 *
 * Claims and volumes are decided one after the other, so that two claims never get the same volume. Work that
 * takes longer, because it uses a disk, is an operation: it runs beside the decisions, reads the newest state
 * and decides again before it acts.
 *
 * Kubernetes' binder checks all claims and volumes every 15 seconds. Here the index finds those that a change
 * may affect.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { pods } from '../../../kinds/core/pods.ts';
import { persistentVolumeClaims } from '../../../kinds/storage/persistent-volume-claim.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { volumeClaimNamesOf } from '../../../kinds/storage/protection.ts';
import { storageClasses } from '../../../kinds/storage/storage-class.ts';
import { structAt, textAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, textOf } from '../../../objects/metadata.ts';
import { follow } from '../../../registry/object-feed.ts';
import { keyOf, prefixOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import type { Controller } from '../../controller.ts';
import { isBeingDeleted } from '../../garbage/owner-reference.ts';
import { readKey } from '../../object-key.ts';
import { WorkQueue } from '../../work-queue.ts';
import { WorkloadEvents } from '../shared/workload-events.ts';
import { BindingIndex, claimKeyOf } from './binding-index.ts';
import { BindingWriter } from './binding-writer.ts';
import { planClaim, type ClaimPlan } from './claim-plan.ts';
import { isOwnVolume, withDeletionFinalizer } from './provisioned-volume.ts';
import { StoredSurroundings } from './stored-surroundings.ts';
import { planVolume, type VolumePlan } from './volume-plan.ts';
import { VolumeProvisioner } from './volume-provisioner.ts';
import { VolumeReclaimer } from './volume-reclaimer.ts';

export interface BinderDeps {
  readonly parts: ServerParts;
  /** Absent: there is no local provisioner. */
  readonly localVolumes?: LocalVolumes | undefined;
}

const REPORTER = 'persistentvolume-controller';

export function startVolumeBinder(deps: BinderDeps): Controller {
  return new BinderController(deps);
}

class BinderController implements Controller {
  readonly #parts: ServerParts;
  readonly #local: LocalVolumes | undefined;
  readonly #events: WorkloadEvents;
  readonly #writer: BindingWriter;
  readonly #provisioner: VolumeProvisioner;
  readonly #reclaimer: VolumeReclaimer;
  readonly #index = new BindingIndex();
  readonly #queue: WorkQueue;
  readonly #operations: WorkQueue;
  readonly #leave: readonly (() => void)[];

  constructor({ parts, localVolumes: local }: BinderDeps) {
    this.#parts = parts;
    this.#local = local;
    this.#events = new WorkloadEvents(parts, REPORTER);
    this.#writer = new BindingWriter(parts, this.#events);
    const deps = { parts, events: this.#events, writer: this.#writer, local };
    this.#provisioner = new VolumeProvisioner(deps);
    this.#reclaimer = new VolumeReclaimer(deps);
    const { clock, random, log } = parts;
    const common = { clock, random, log };
    const name = 'persistentvolume-binder';
    const work = (key: string): Promise<void> => this.#decide(key);
    this.#queue = new WorkQueue({ ...common, name, work, workersMax: 1 });
    const operate = (key: string): Promise<void> => this.#operate(key);
    this.#operations = new WorkQueue({ ...common, name: `${name} operations`, work: operate });
    this.#leave = this.#follow();
  }

  async stop(): Promise<void> {
    for (const leave of this.#leave) leave();
    await Promise.all([this.#queue.stop(), this.#operations.stop()]);
    await this.#events.drained();
  }

  #follow(): readonly (() => void)[] {
    const { store } = this.#parts;
    return [
      follow(store, prefixOf(persistentVolumeClaims, ''), (event) => {
        this.#wake([event.key, ...this.#index.takeClaim(event)]);
      }),
      follow(store, prefixOf(persistentVolumes, ''), (event) => {
        this.#wake([event.key, ...this.#index.takeVolume(event)]);
      }),
      follow(store, prefixOf(storageClasses, ''), () => this.#wake(this.#index.unbound)),
      follow(store, prefixOf(pods, ''), ({ type, value, before }) => {
        if (type === 'put' && !before) this.#wake(this.#unboundOf(value));
      }),
    ];
  }

  /** The Events of a claim say which pods it waits for. */
  #unboundOf(pod: JsonObject): readonly string[] {
    if (this.#index.unbound.size === 0) return [];
    const namespace = textOf(metadataOf(pod)['namespace']);
    return volumeClaimNamesOf(pod)
      .map((name) => keyOf({ definition: persistentVolumeClaims, namespace, name }))
      .filter((key) => this.#index.unbound.has(key));
  }

  #wake(keys: Iterable<string>): void {
    for (const key of keys) this.#queue.add(key);
  }

  async #decide(key: string): Promise<void> {
    const object = this.#parts.store.get(key)?.value;
    if (!object) return;
    if (isClaimKey(key)) await this.#performClaim(key, object, this.#planClaim(object));
    else await this.#decideVolume(key, object);
  }

  #planClaim(claim: JsonObject): ClaimPlan {
    return planClaim(claim, new StoredSurroundings(this.#parts.store, claim));
  }

  async #performClaim(key: string, claim: JsonObject, plan: ClaimPlan): Promise<void> {
    switch (plan.type) {
      case 'bind':
        return this.#writer.bind(plan.volume, claim);
      case 'assignClass': {
        const spec = { ...structAt(claim, 'spec'), storageClassName: plan.name };
        await this.#writer.changeClaim(claim, (old) => ({ ...old, spec }));
        return;
      }
      case 'provision':
        this.#operations.add(key);
        return;
      case 'pending':
        if (plan.event) this.#events.record(claim, plan.event);
        return this.#writer.setPending(claim);
      case 'lost':
        return this.#writer.setLost(claim, plan.event);
    }
  }

  async #decideVolume(key: string, stored: JsonObject): Promise<void> {
    const isOwn = this.#local !== undefined && isOwnVolume(stored, this.#local);
    const volume = isOwn ? await this.#writer.changeVolume(stored, withDeletionFinalizer) : stored;
    await this.#performVolume(key, volume, this.#planVolume(volume));
  }

  #planVolume(volume: JsonObject): VolumePlan {
    const key = claimKeyOf(volume);
    return planVolume(volume, key === null ? undefined : this.#parts.store.get(key)?.value);
  }

  async #performVolume(key: string, volume: JsonObject, plan: VolumePlan): Promise<void> {
    switch (plan.type) {
      case 'phase':
        await this.#writer.setPhase(volume, plan.phase);
        return;
      case 'reclaim':
        // A failure stays visible while reclaiming is tried again.
        if (textAt(volume, 'status.phase') !== 'Failed') {
          await this.#writer.setPhase(volume, 'Released');
        }
        this.#operations.add(key);
        return;
      case 'claim':
        this.#queue.add(claimKeyOf(volume) ?? key);
        return;
      case 'mismatch':
        this.#reportMismatch(volume, plan.claim);
        return;
      case 'unbind':
        return this.#writer.unbind(volume);
    }
  }

  #reportMismatch(volume: JsonObject, claim: JsonObject): void {
    const why = 'due to incompatible volumeMode.';
    const [volumeName, claimName] = [nameOf(volume), nameOf(claim)].map((one) =>
      JSON.stringify(one),
    );
    const ofVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} ${why}`;
    const ofClaim = `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim ${why}`;
    this.#events.warning(volume, 'VolumeMismatch', ofVolume);
    this.#events.warning(claim, 'VolumeMismatch', ofClaim);
  }

  /** The decision may be older than the newest state. */
  async #operate(key: string): Promise<void> {
    const object = this.#parts.store.get(key)?.value;
    if (!object) return;
    if (isClaimKey(key)) {
      const isWanted = !isBeingDeleted(object) && this.#planClaim(object).type === 'provision';
      if (isWanted) await this.#provisioner.provision(object);
    } else if (this.#planVolume(object).type === 'reclaim') {
      await this.#reclaimer.reclaim(object);
    }
  }
}

function isClaimKey(key: string): boolean {
  return readKey(key).resource === persistentVolumeClaims.resource;
}
