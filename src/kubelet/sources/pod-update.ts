/** News of pods, as sources tell them (KL-57). */
import type { Pod } from '../../api/pod.ts';

export type SourceName = 'api' | 'file';

export type PodOperation =
  | 'ADD' // new to this source
  | 'UPDATE' // should run in another way
  | 'DELETE' // should end: it has a deletion timestamp
  | 'REMOVE' // is not in the source any more
  | 'RECONCILE'; // the API shows another status than before

export interface PodUpdate {
  readonly operation: PodOperation;
  readonly source: SourceName;
  /** Empty only for the first ADD of a source that has no pods: it says that the source has spoken. */
  readonly pods: readonly Pod[];
}
