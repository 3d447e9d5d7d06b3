/** An update of pods from one source, for the sync loop (KL-57). */
import type { Pod } from '../../api/pod.ts';

export type SourceName = 'api' | 'file';

export type PodOperation =
  | 'ADD' // new to this source
  | 'UPDATE' // its desired state has changed
  | 'DELETE' // should end: it has a deletion timestamp
  | 'REMOVE' // is not in the source any more
  | 'RECONCILE'; // the status in the API has changed

export interface PodUpdate {
  readonly operation: PodOperation;
  readonly source: SourceName;
  /** Empty only for the first ADD of a source that has no pods: it marks the source as ready. */
  readonly pods: readonly Pod[];
}
