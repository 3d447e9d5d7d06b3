/**
 * What pods hold on the node beside their containers, such as mounted volumes.
 *
 * Mounting is podkeep's own work, so it waits on podkeep's clock: a crash ends it. A mounted volume stays
 * mounted, and must be unmounted exactly when nothing of the pod runs any more.
 */
import type { Clock } from '../../src/ports/clock.ts';
import { wait } from './waits.ts';
import type { Weather } from './weather.ts';

const MOUNT_TIMEOUT_MS = 60_000;

export class Volumes {
  readonly #weather: Weather;
  readonly #mounted = new Set<string>();
  /** A pod's volumes are about to go. */
  onRelease: (uid: string) => void = () => {};

  constructor(weather: Weather) {
    this.#weather = weather;
  }

  holders(): readonly string[] {
    return [...this.#mounted];
  }

  isHeldBy(uid: string): boolean {
    return this.#mounted.has(uid);
  }

  async mount(uid: string, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#mounted.has(uid)) return;
    if (this.#weather.strikes('runtime: mount hangs until aborted')) {
      await wait(clock, MOUNT_TIMEOUT_MS, signal);
      throw new Error('timed out waiting for volumes');
    }
    if (this.#weather.strikes('runtime: mount fails')) throw new Error('mount failed');
    this.#mounted.add(uid);
  }

  async unmount(uid: string, clock: Clock, signal: AbortSignal): Promise<void> {
    if (this.#weather.strikes('runtime: unmount is slow')) {
      await wait(clock, this.#weather.takesMs(200, 5000), signal);
    }
    if (this.#weather.strikes('runtime: unmount fails')) throw new Error('device is busy');
    this.release(uid);
  }

  /** Immediately, for pods that neither source nor worker knows any more. */
  release(uid: string): void {
    this.onRelease(uid);
    this.#mounted.delete(uid);
  }
}
