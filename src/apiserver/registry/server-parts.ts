/** The components that all parts of the API server share: one store, one catalog of kinds, one registry. */
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ObjectStore } from '../../ports/api/object-store.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { Catalog } from './catalog.ts';
import type { Registry } from './registry.ts';
import type { RemoteApis } from '../objects/remote-apis.ts';

export interface ServerParts {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** The served kinds; custom kinds may be added and removed. */
  readonly catalog: Catalog;
  readonly registry: Registry;
  /** The versions that other API servers serve. */
  readonly remoteApis: RemoteApis;
}
