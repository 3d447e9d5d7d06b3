/** The dependencies of the code that creates volumes. */
import type { ClaimLookup } from '../../ports/api/claim-lookup.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { StorageObserver } from '../../ports/observe/storage-observer.ts';
import type { Log } from '../../ports/log.ts';
import type { NodeFacts } from '../../ports/node-facts.ts';
import type { ObjectLookup } from '../../ports/api/object-lookup.ts';
import type { Mounter } from './mounts/mounter.ts';
import type { TokenManager } from './payload/token-manager.ts';
import type { VolumeLayout } from './volume-layout.ts';
import type { VolumeMemory } from './volume-memory.ts';

export interface VolumeDeps {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
  /** Holds Secrets and tokens if podkeep may not mount. */
  readonly memory: VolumeMemory;
  readonly objects: ObjectLookup;
  readonly tokens: TokenManager;
  /** Absent: this node has no API server, and so no claims. */
  readonly claims?: ClaimLookup | undefined;
  /** Containers are simulated: the objects of their volumes are read, but no files are written. */
  readonly isSimulated?: boolean | undefined;
  /** Whether the runtime mounts images. Absent: it does not. */
  readonly mountsImages?: (() => boolean) | undefined;
  readonly node: NodeFacts;
  readonly events: EventRecorder;
  /** Absent: operations are not measured. */
  readonly observer?: StorageObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}
