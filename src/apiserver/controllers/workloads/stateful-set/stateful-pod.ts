/** Builds the pod of a StatefulSet at an ordinal, its identity, and the claims that it mounts. */
import type { JsonObject } from '../../../../lib/json.ts';
import { readStruct } from '../../../../api/validation/json-reading.ts';
import { statefulSets } from '../../../kinds/apps/stateful-set.ts';
import { objectsAt, structAt, textAt } from '../../../objects/field-path.ts';
import { metadataOf, nameOf, withMetadata } from '../../../objects/metadata.ts';
import { labelsOf } from '../../../objects/object-labels.ts';
import { newControllerRef } from '../shared/controller-ref.ts';
import { podFromTemplate } from '../shared/pod-control.ts';
import { REVISION_LABEL, templateOf } from '../shared/revision-data.ts';
import { claimsAt, ordinalOf, podNameAt, type NamedClaim } from './ordinals.ts';

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';

/** `revision`: the ControllerRevision whose template the pod has. */
export function newStatefulPod(set: JsonObject, revision: JsonObject, ordinal: number): JsonObject {
  const reference = newControllerRef(statefulSets, set);
  const pod = podFromTemplate(templateOf(revision), set, reference);
  const { generateName: _prefix, ...metadata } = metadataOf(pod);
  const name = podNameAt(set, ordinal);
  const subdomain = textAt(set, 'spec.serviceName');
  const labels = {
    ...readStruct(metadata['labels']),
    ...identityLabels(name, ordinal),
    [REVISION_LABEL]: nameOf(revision),
  };
  return withClaimedVolumesOf(set, ordinal, {
    metadata: { ...metadata, name, labels },
    spec: { ...structAt(pod, 'spec'), hostname: name, ...(subdomain !== '' && { subdomain }) },
  });
}

/** The name of the ControllerRevision from which the pod was created. Empty: unknown. */
export function revisionOf(pod: JsonObject): string {
  return labelsOf(pod)[REVISION_LABEL] ?? '';
}

export function hasIdentity(set: JsonObject, pod: JsonObject): boolean {
  return labelsOf(pod)[POD_NAME_LABEL] === nameOf(pod) && ordinalOf(set, pod) !== null;
}

/** Whether the pod mounts every claim of its ordinal. */
export function hasStorage(set: JsonObject, pod: JsonObject): boolean {
  const ordinal = ordinalOf(set, pod);
  if (ordinal === null) return false;
  const volumes = objectsAt(pod, 'spec.volumes');
  return claimsAt(set, ordinal).every(({ volume, name }) =>
    volumes.some(
      (one) => one['name'] === volume && textAt(one, 'persistentVolumeClaim.claimName') === name,
    ),
  );
}

/**
 * The pod with the labels and volumes of a member. An adopted pod may lack them; its volumes cannot be
 * changed later.
 */
export function asMember(set: JsonObject, pod: JsonObject, ordinal: number): JsonObject {
  const labels = {
    ...readStruct(metadataOf(pod)['labels']),
    ...identityLabels(nameOf(pod), ordinal),
  };
  const labelled = hasIdentity(set, pod) ? pod : withMetadata(pod, { labels });
  return hasStorage(set, pod) ? labelled : withClaimedVolumesOf(set, ordinal, labelled);
}

/** Has the labels of the StatefulSet's selector, by which users find its claims. */
export function newClaim(set: JsonObject, { name, template }: NamedClaim): JsonObject {
  const metadata = metadataOf(template);
  const labels = {
    ...readStruct(metadata['labels']),
    ...structAt(set, 'spec.selector.matchLabels'),
  };
  return { metadata: { ...metadata, name, labels }, spec: structAt(template, 'spec') };
}

function identityLabels(name: string, ordinal: number): JsonObject {
  return { [POD_NAME_LABEL]: name, [POD_INDEX_LABEL]: String(ordinal) };
}

/** Adds a volume for each claim, which replaces a volume of the same name in the template. */
function withClaimedVolumesOf(set: JsonObject, ordinal: number, pod: JsonObject): JsonObject {
  const claims = claimsAt(set, ordinal);
  if (claims.length === 0) return pod;
  const names = new Set(claims.map(({ volume }) => volume));
  const claimed = claims.map(({ volume, name }) => ({
    name: volume,
    persistentVolumeClaim: { claimName: name },
  }));
  const others = objectsAt(pod, 'spec.volumes').filter((one) => !names.has(textAt(one, 'name')));
  return { ...pod, spec: { ...structAt(pod, 'spec'), volumes: [...claimed, ...others] } };
}
