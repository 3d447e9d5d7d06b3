/** What keeps a pod from every node because of its claims: they are not there, or not bound. */
import type { JsonObject } from '../../../lib/json.ts';
import type { ObjectStore } from '../../../ports/object-store.ts';
import { objectsAt, textAt } from '../../kinds/field-path.ts';
import { persistentVolumeClaims } from '../../kinds/persistent-volume-claim.ts';
import { readText } from '../../kinds/validation/json-reading.ts';
import { metadataOf, nameOf, textOf } from '../../metadata.ts';
import { keyOf } from '../../registry.ts';

export function volumeObstacle(store: ObjectStore, pod: JsonObject): string | null {
  const namespace = textOf(metadataOf(pod)['namespace']);
  for (const volume of objectsAt(pod, 'spec.volumes')) {
    const isEphemeral = volume['ephemeral'] !== undefined;
    const name = isEphemeral
      ? `${nameOf(pod)}-${readText(volume['name'])}`
      : textAt(volume, 'persistentVolumeClaim.claimName');
    if (name === '') continue;
    const claim = store.get(keyOf({ definition: persistentVolumeClaims, namespace, name }))?.value;
    const quoted = JSON.stringify(name);
    if (!claim && isEphemeral) {
      return `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`;
    }
    if (!claim) return `persistentvolumeclaim ${quoted} not found`;
    if (metadataOf(claim)['deletionTimestamp'] !== undefined) {
      return `persistentvolumeclaim ${quoted} is being deleted`;
    }
    if (textAt(claim, 'spec.volumeName') === '') {
      return 'pod has unbound immediate PersistentVolumeClaims';
    }
  }
  return null;
}
