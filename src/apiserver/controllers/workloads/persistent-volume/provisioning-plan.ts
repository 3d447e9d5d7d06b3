/**
 * Decides how a volume is provisioned for a claim: by the local provisioner, or by another one, which runs
 * elsewhere and waits for the annotation storage-provisioner on the claim.
 *
 * The local provisioner refuses what a folder cannot be: a block device, a copy of another volume, a volume with
 * mount options. It creates volumes on one node only; a claim for which the scheduler has selected another node is
 * given back to the scheduler.
 */
import { LOCAL_PROVISIONER } from '../../../../api/local-provisioner.ts';
import {
  isGiven,
  readEntries,
  readText,
  readTexts,
} from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { LocalVolumes } from '../../../../ports/local-volumes.ts';
import { valueAt } from '../../../objects/field-path.ts';
import { nameOf } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { annotationOf, SELECTED_NODE, volumeModeOf } from '../../scheduler/storage/claim-facts.ts';
import { isAllowedTopology } from '../../scheduler/storage/volume-binding.ts';
import { hostnameOf } from './provisioned-volume.ts';

export type ProvisioningPlan =
  | { readonly type: 'create'; readonly hostname: string }
  | { readonly type: 'external'; readonly provisioner: string }
  /** A change of the claim or the class may help. */
  | { readonly type: 'refuse'; readonly message: string }
  /** Another node may help. */
  | { readonly type: 'reschedule'; readonly message: string };

export interface ProvisioningFacts {
  readonly claim: JsonObject;
  readonly className: string;
  /** Undefined: it does not exist. */
  readonly storageClass: JsonObject | undefined;
  /** Undefined: the local provisioner does not run. */
  readonly local: LocalVolumes | undefined;
  /** The node of the local provisioner; undefined: it is not registered. */
  readonly node: JsonObject | undefined;
}

const IN_TREE = 'kubernetes.io/';

export function planProvisioning(facts: ProvisioningFacts): ProvisioningPlan {
  const { claim, className, storageClass, local, node } = facts;
  if (!storageClass) {
    return refuse(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  }
  const provisioner = readText(storageClass['provisioner']);
  if (provisioner !== LOCAL_PROVISIONER || !local) {
    if (!provisioner.startsWith(IN_TREE)) return { type: 'external', provisioner };
    return refuse(`no volume plugin matched name: ${provisioner}`);
  }
  const fault = faultOfClaim(claim) ?? faultOfClass(storageClass);
  if (fault !== null) return refuse(fault);
  const selected = annotationOf(claim, SELECTED_NODE);
  if (selected !== undefined && selected !== local.nodeName) {
    const which = `${LOCAL_PROVISIONER} creates volumes on node ${JSON.stringify(local.nodeName)}`;
    return failed(className, `${which} only, and not on ${JSON.stringify(selected)}`);
  }
  const hostname = node && hostnameOf(node);
  if (!node || hostname === undefined) {
    const why = node ? 'has no label kubernetes.io/hostname' : 'not found';
    return failed(className, `node ${JSON.stringify(local.nodeName)} ${why}`);
  }
  if (!isAllowedTopology(storageClass, labelsOf(node))) {
    return failed(className, `allowedTopologies do not match node ${JSON.stringify(nameOf(node))}`);
  }
  return { type: 'create', hostname };
}

function faultOfClaim(claim: JsonObject): string | null {
  if (isGiven(valueAt(claim, 'spec.dataSource')) || isGiven(valueAt(claim, 'spec.dataSourceRef'))) {
    return `plugin ${JSON.stringify(LOCAL_PROVISIONER)} is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`;
  }
  if (isGiven(valueAt(claim, 'spec.selector'))) return 'claim.Spec.Selector is not supported';
  if (readText(valueAt(claim, 'spec.volumeAttributesClassName')) !== '') {
    return `${LOCAL_PROVISIONER} does not support volumeAttributesClassName`;
  }
  const mode = volumeModeOf(claim);
  return mode === 'Filesystem' ? null : `${LOCAL_PROVISIONER} does not support volumeMode ${mode}`;
}

function faultOfClass(storageClass: JsonObject): string | null {
  const options = readTexts(storageClass['mountOptions']);
  if (options.length > 0) {
    const which = `StorageClass ${JSON.stringify(nameOf(storageClass))} has mount options`;
    return `Mount options are not supported by the provisioner but ${which} [${options.join(' ')}]`;
  }
  const [parameter] = readEntries(storageClass['parameters']);
  if (!parameter) return null;
  return `invalid option ${JSON.stringify(parameter[0])} for volume plugin ${LOCAL_PROVISIONER}`;
}

function refuse(message: string): ProvisioningPlan {
  return { type: 'refuse', message };
}

function failed(className: string, why: string): ProvisioningPlan {
  return { type: 'reschedule', message: provisioningFailure(className, why) };
}

export function provisioningFailure(className: string, why: string): string {
  return `Failed to provision volume with StorageClass ${JSON.stringify(className)}: ${why}`;
}
