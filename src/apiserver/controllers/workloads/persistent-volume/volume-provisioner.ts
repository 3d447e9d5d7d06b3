/**
 * Provisions a volume for a claim: the folder first, then the volume that names it.
 *
 * The name of both follows from the UID of the claim. So a process that is killed in between finds its folder
 * again, and creates no second one.
 */
import { LOCAL_PROVISIONER, provisionedVolumeName } from '../../../../api/local-provisioner.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { nodes } from '../../../kinds/core/node.ts';
import { persistentVolumes } from '../../../kinds/storage/persistent-volume.ts';
import { storageClasses } from '../../../kinds/storage/storage-class.ts';
import type { KindDefinition } from '../../../objects/kind.ts';
import { keyOf } from '../../../registry/registry.ts';
import type { ServerParts } from '../../../registry/server-parts.ts';
import { isAlreadyThere } from '../../deletion-request.ts';
import { uidOf } from '../../garbage/owner-reference.ts';
import {
  annotationOf,
  claimKey,
  classOf,
  SELECTED_NODE,
} from '../../scheduler/storage/claim-facts.ts';
import type { WorkloadEvents } from '../shared/workload-events.ts';
import { withAnnotation, withoutAnnotation } from './binding-changes.ts';
import type { BindingWriter } from './binding-writer.ts';
import { describeVolume } from './provisioned-volume.ts';
import { volumeNotProvisioned } from './provisioning-errors.ts';
import { planProvisioning, provisioningFailure } from './provisioning-plan.ts';

export interface ProvisionerDeps {
  readonly parts: ServerParts;
  readonly events: WorkloadEvents;
  readonly writer: BindingWriter;
  /** Undefined: there is no local provisioner. */
  readonly local: LocalVolumes | undefined;
}

const PROVISIONER_ANNOTATIONS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];
const FAILED = 'ProvisioningFailed';

export class VolumeProvisioner {
  readonly #deps: ProvisionerDeps;

  constructor(deps: ProvisionerDeps) {
    this.#deps = deps;
  }

  /** Throws if it should be tried again. */
  async provision(claim: JsonObject): Promise<void> {
    const { local, events } = this.#deps;
    const className = classOf(claim);
    const storageClass = this.#get(storageClasses, className);
    const node = local && this.#get(nodes, local.nodeName);
    const plan = planProvisioning({ claim, className, storageClass, local, node });
    switch (plan.type) {
      case 'refuse':
        events.warning(claim, FAILED, plan.message);
        return;
      case 'reschedule':
        events.warning(claim, FAILED, plan.message);
        await this.#reschedule(claim, plan.message);
        return;
      case 'external':
        await this.#leaveTo(plan.provisioner, claim);
        return;
      case 'create':
        if (local && storageClass) await this.#create(claim, storageClass, local, plan.hostname);
    }
  }

  async #leaveTo(provisioner: string, claim: JsonObject): Promise<void> {
    const { events } = this.#deps;
    const marked = await this.#mark(claim, provisioner);
    const message =
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' ` +
      'or manually by the system administrator. If volume creation is delayed, please verify that ' +
      'the provisioner is running and correctly registered.';
    events.normal(marked, 'ExternalProvisioning', message);
  }

  async #create(
    claim: JsonObject,
    storageClass: JsonObject,
    local: LocalVolumes,
    hostname: string,
  ): Promise<void> {
    const { events } = this.#deps;
    const marked = await this.#mark(claim, LOCAL_PROVISIONER);
    const name = provisionedVolumeName(uidOf(claim));
    if (this.#get(persistentVolumes, name)) return;
    try {
      await local.make(name);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      events.warning(marked, FAILED, provisioningFailure(classOf(claim), why));
      await this.#reschedule(marked, why, error);
      return;
    }
    const body = describeVolume(marked, storageClass, { path: local.pathOf(name), hostname });
    await this.#store(marked, body, local, name);
    const message = `Successfully provisioned volume ${name} using ${LOCAL_PROVISIONER}`;
    events.normal(marked, 'ProvisioningSucceeded', message);
  }

  /** Without the volume nothing would ever remove the folder. */
  async #store(
    claim: JsonObject,
    body: JsonObject,
    local: LocalVolumes,
    name: string,
  ): Promise<void> {
    const { registry } = this.#deps.parts;
    try {
      await registry.create({ definition: persistentVolumes, namespace: '', body });
    } catch (error) {
      if (isAlreadyThere(error)) return;
      const why = error instanceof Error ? error.message : String(error);
      const which = `Error creating provisioned PV object for claim ${claimKey(claim)}: ${why}`;
      this.#deps.events.warning(claim, FAILED, `${which}. Deleting the volume.`);
      if (!this.#get(persistentVolumes, name)) await local.remove(name);
      throw error;
    }
  }

  /** Names the provisioner on the claim, as external provisioners expect it. */
  #mark(claim: JsonObject, provisioner: string): Promise<JsonObject> {
    const [, current = ''] = PROVISIONER_ANNOTATIONS;
    if (annotationOf(claim, current) === provisioner) return Promise.resolve(claim);
    return this.#deps.writer.changeClaim(claim, (old) =>
      PROVISIONER_ANNOTATIONS.reduce(
        (marked, name) => withAnnotation(withoutAnnotation(marked, name), name, provisioner),
        old,
      ),
    );
  }

  /** Asks the scheduler for another node; a claim that no scheduler has seen is tried again later. */
  async #reschedule(claim: JsonObject, why: string, cause?: unknown): Promise<void> {
    if (annotationOf(claim, SELECTED_NODE) === undefined) {
      throw volumeNotProvisioned({ claim: claimKey(claim), why }, cause);
    }
    await this.#deps.writer.changeClaim(claim, (old) => withoutAnnotation(old, SELECTED_NODE));
  }

  #get(definition: KindDefinition, name: string): JsonObject | undefined {
    return this.#deps.parts.store.get(keyOf({ definition, namespace: '', name }))?.value;
  }
}
