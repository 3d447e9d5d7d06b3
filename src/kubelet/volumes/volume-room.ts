/** What the making of volumes needs of the world. */
import type { ClaimLookup } from '../../ports/claim-lookup.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { NodeFacts } from '../../ports/node-facts.ts';
import type { ObjectLookup } from '../../ports/object-lookup.ts';
import type { Mounter } from './mounter.ts';
import type { TokenManager } from './token-manager.ts';
import type { VolumeLayout } from './volume-layout.ts';

export interface VolumeRoom {
  readonly layout: VolumeLayout;
  readonly mounter: Mounter;
  readonly objects: ObjectLookup;
  readonly tokens: TokenManager;
  /** Absent: this node has no API server, and so no claims. */
  readonly claims?: ClaimLookup | undefined;
  /** Containers are simulated: what they mount is looked for, and nothing is written. */
  readonly isImagined?: boolean | undefined;
  readonly node: NodeFacts;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly log: Log;
}
