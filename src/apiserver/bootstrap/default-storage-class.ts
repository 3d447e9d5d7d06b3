/**
 * The StorageClass `standard` of the local provisioner, so that a claim gets a volume without any preparation.
 *
 * It is created once in the life of a cluster, which an annotation of the namespace kube-system records: a class
 * that an administrator has deleted stays deleted. If a class of this name exists already, it is not changed.
 * If another class is the default, `standard` does not become a second default.
 */
import { LOCAL_PROVISIONER } from '../../api/local-provisioner.ts';
import type { JsonObject } from '../../lib/json.ts';
import { nameOfDefaultClass } from '../admission/classes/default-class.ts';
import { namespaces } from '../kinds/core/namespace.ts';
import { storageClasses } from '../kinds/storage/storage-class.ts';
import { structAt } from '../objects/field-path.ts';
import { withMetadata } from '../objects/metadata.ts';
import { keyOf } from '../registry/registry.ts';
import type { ServerParts } from '../registry/server-parts.ts';
import { createMissing } from './namespaces.ts';

const NAME = 'standard';
const RECORD = 'podkeep.dev/default-storage-class';
const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';
const SYSTEM = { definition: namespaces, namespace: '', name: 'kube-system' };

/** The namespace kube-system must exist. */
export async function bootstrapDefaultStorageClass(parts: ServerParts): Promise<void> {
  const { store, registry } = parts;
  const system = store.get(keyOf(SYSTEM))?.value;
  if (!system || structAt(system, 'metadata.annotations')[RECORD] !== undefined) return;
  const isDefault = nameOfDefaultClass(store) === undefined;
  const body: JsonObject = {
    metadata: { name: NAME, ...(isDefault && { annotations: { [IS_DEFAULT]: 'true' } }) },
    provisioner: LOCAL_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  };
  // The record comes second: a process that is killed in between finds the class, and only records it.
  await createMissing(parts, [{ definition: storageClasses, namespace: '', body }]);
  const change = (old: JsonObject): JsonObject => {
    const annotations = structAt(old, 'metadata.annotations');
    return withMetadata(old, { annotations: { ...annotations, [RECORD]: NAME } });
  };
  await registry.update({ ...SYSTEM, change, isExempt: true });
}
