/** Builds the files of a downward API volume. All errors are reported together. */
import path from 'node:path';
import type { Pod } from '../../../api/pod.ts';
import type { ResourceList } from '../../../api/resources.ts';
import { metadataFieldOf } from '../../../core/environment/pod-field.ts';
import { resourceFieldOf } from '../../../core/environment/resource-field.ts';
import { joinErrors } from '../teardown/joined-errors.ts';
import type { FileProjection, Payload } from './payload.ts';
import type { DownwardFile } from '../volume-spec.ts';

export function downwardPayload(
  pod: Pod,
  items: readonly DownwardFile[],
  allocatable: ResourceList,
  defaultMode: number,
): Payload {
  const files = new Map<string, FileProjection>();
  const errors: unknown[] = [];
  for (const item of items) {
    try {
      const data = Buffer.from(valueOf(pod, item, allocatable));
      files.set(path.posix.normalize(item.path), { data, mode: item.mode ?? defaultMode });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw joinErrors(errors);
  return files;
}

function valueOf(
  pod: Pod,
  { fieldRef, resourceFieldRef }: DownwardFile,
  allocatable: ResourceList,
): string {
  if (fieldRef) return metadataFieldOf(pod, fieldRef.fieldPath);
  return resourceFieldRef ? resourceFieldOf(pod, null, resourceFieldRef, allocatable) : '';
}
