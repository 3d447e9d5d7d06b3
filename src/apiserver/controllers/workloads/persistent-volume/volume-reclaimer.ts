/**
 * Reclaims a released volume (reclaim-plan.ts): the folder is removed, then the object is deleted, then its
 * finalizer goes, and the object with it. A process that is killed in between finds the volume released, and
 * continues. An object that is being deleted gets no finalizer again, so it cannot come back to life.
 */
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { keyOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { removeIfThere } from '../../deletion-request.ts';
import { uidOf, withoutFinalizer } from '../../garbage/owner-reference.ts';
import { targetTo } from '../shared/exact-update.ts';
import type { BindingWriter } from './binding-writer.ts';
import { DELETION_FINALIZER } from './provisioned-volume.ts';
import { planReclaim } from './reclaim-plan.ts';

export interface ReclaimerDeps {
  readonly parts: ServerParts;
  readonly writer: BindingWriter;
  /** Undefined: there is no local provisioner. */
  readonly local: LocalVolumes | undefined;
}

export class VolumeReclaimer {
  readonly #deps: ReclaimerDeps;

  constructor(deps: ReclaimerDeps) {
    this.#deps = deps;
  }

  /** Throws if it should be tried again. */
  async reclaim(volume: JsonObject): Promise<void> {
    const { local, writer } = this.#deps;
    const plan = planReclaim(volume, local);
    if (plan.type === 'fail') await writer.setFailed(volume, plan.reason, plan.message);
    if (plan.type !== 'delete' || !local) return;
    try {
      await local.remove(nameOf(volume));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await writer.setFailed(volume, 'VolumeFailedDelete', why);
      throw error;
    }
    await this.#delete(volume);
  }

  async #delete(volume: JsonObject): Promise<void> {
    const { parts, writer } = this.#deps;
    const target = targetTo(persistentVolumes, volume);
    const uid = uidOf(volume);
    await removeIfThere(parts.registry, target, { uid });
    const left = parts.store.get(keyOf(target))?.value;
    if (!left || uidOf(left) !== uid) return;
    await writer.changeVolume(left, (old) => withoutFinalizer(old, DELETION_FINALIZER));
  }
}
