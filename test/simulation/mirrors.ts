/**
 * Maintains the mirror pod of each static pod (KL-60), as the sync of that pod does: a mirror that is
 * being deleted or that shows another manifest is deleted, and a new one is created.
 *
 * Whatever fails here is tried again at the pod's next sync.
 */
import type { Pod } from '../../src/api/pod.ts';
import { isBeingDeleted } from '../../src/core/pod/pod-facts.ts';
import type { PodName } from '../../src/ports/api/api-client.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ApiServer } from './api-server.ts';
import { mirrorOf, sourceUidOf } from './pod-templates.ts';
import { wait } from './waits.ts';
import type { Weather } from './weather.ts';

export interface MirrorsOptions {
  readonly api: ApiServer;
  readonly weather: Weather;
  readonly clock: Clock;
  readonly newUid: (name: string) => string;
  /** What the watch last showed under a name. */
  readonly seen: (name: PodName) => Pod | undefined;
}

export class Mirrors {
  readonly #options: MirrorsOptions;

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  /** Returns whether the mirror is up to date. */
  async keep(pod: Pod): Promise<boolean> {
    const { name = '', namespace = '', uid } = pod.metadata;
    const mirror = this.#options.seen({ name, namespace });
    if (mirror) {
      if (!isBeingDeleted(mirror) && sourceUidOf(mirror) === uid) return true;
      if (!(await this.remove(mirror))) return false;
    }
    return await this.#attempt(() => {
      this.#options.api.createMirror(mirrorOf(pod, this.#options.newUid(name)));
      return true;
    });
  }

  /** Returns whether it existed and is gone now. */
  remove({ metadata }: Pod): Promise<boolean> {
    const { name = '', namespace = '', uid = '' } = metadata;
    return this.#attempt(() => this.#options.api.deleteMirror({ name, namespace }, uid));
  }

  async #attempt(act: () => boolean): Promise<boolean> {
    const { clock, weather } = this.#options;
    await wait(clock, weather.takesMs(1, 20));
    if (weather.strikes('mirror: request fails')) return false;
    try {
      return act();
    } catch {
      return false; // the name is taken by an object that the watch has not shown yet
    }
  }
}
