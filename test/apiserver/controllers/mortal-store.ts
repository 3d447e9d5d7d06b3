/** A store that a test kills at a write: that commit and all later ones never settle, as after SIGKILL. */
import { openMemoryStore } from '../../../src/apiserver/store/memory-store.ts';
import type { Change, ObjectStore } from '../../../src/ports/api/object-store.ts';
import { silentLog } from '../../support/silent-ports.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export class MortalStore implements ObjectStore {
  /** What survives. */
  readonly inner: ObjectStore;
  #resource = '';
  #commitsLeft = Number.POSITIVE_INFINITY;

  constructor(inner = openMemoryStore({ clock: new VirtualClock(), log: silentLog })) {
    this.inner = inner;
  }

  get revision(): number {
    return this.inner.revision;
  }

  get isDead(): boolean {
    return this.#commitsLeft < 0;
  }

  /** `resource`: only commits of objects of this kind are counted, not those of Leases and Events. */
  dieAfter(commits: number, resource = ''): void {
    this.#commitsLeft = commits;
    this.#resource = resource;
  }

  commit(changes: readonly Change[]): Promise<number> {
    if (this.isDead) return new Promise(() => {});
    const isCounted = changes.some(({ key }) => key.includes(this.#resource));
    if (isCounted) this.#commitsLeft -= 1;
    if (this.#commitsLeft < 0) return new Promise(() => {});
    return this.inner.commit(changes);
  }

  get: ObjectStore['get'] = (key) => this.inner.get(key);
  isStale: ObjectStore['isStale'] = (key) => this.inner.isStale(key);
  list: ObjectStore['list'] = (prefix, options) => this.inner.list(prefix, options);
  watch: ObjectStore['watch'] = (prefix, after, listener) =>
    this.inner.watch(prefix, after, (event) => {
      if (!this.isDead) listener(event);
    });
  compact: ObjectStore['compact'] = (revision) => this.inner.compact(revision);
  close: ObjectStore['close'] = () => this.inner.close();
}
