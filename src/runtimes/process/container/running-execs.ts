/**
 * Tracks commands that exec, probes and lifecycle hooks run in containers, so that their memory counts for
 * the container. These commands descend from processes outside of the container
 * (lib/syscall-helper/program/exec.pl), not from its init.
 */
import { familyOf, type ProcessEntry } from '../machine/proc-table.ts';

export class RunningExecs {
  readonly #waiters = new Map<string, Set<number>>();

  /**
   * `waiter`: the PID of the process that waits for the command. Returns a function to call when it has
   * exited.
   */
  add(containerId: string, waiter: number): () => void {
    const waiters = this.#waiters.get(containerId) ?? new Set<number>();
    this.#waiters.set(containerId, waiters.add(waiter));
    return () => {
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiters.delete(containerId);
    };
  }

  /** The commands and their descendants, without the two helper processes that started them. */
  processesOf(containerId: string, table: readonly ProcessEntry[]): readonly ProcessEntry[] {
    const waiters = [...(this.#waiters.get(containerId) ?? [])];
    return waiters.flatMap((pid) => {
      const root = table.find((entry) => entry.pid === pid);
      const family = root ? familyOf(root, table) : [];
      return family.filter((entry) => entry.pid !== pid && entry.parent !== pid);
    });
  }
}
