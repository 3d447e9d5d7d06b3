/**
 * Stores the recent runs of alert actions (those within the window of the action's rate limit), in memory and
 * in a small file, so that a podkeep that restarts repeatedly does not run its actions at every start.
 *
 * The file has wall times, because monotonic time begins with each boot. A time in the future (the clock was
 * set back) counts as now, so a wrong clock can only make actions rarer. If the file cannot be read or
 * written, this is logged, and the runs in memory still count.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ActionRuns } from '../../../core/alerts/action-decision.ts';
import { isJsonObject, type Json } from '../../../lib/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';

export interface ActionLedgerDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly file: string;
}

const ACTIONS_MAX = 10_000;
const OWNER_ONLY = 0o600;

export class ActionLedger {
  readonly #deps: ActionLedgerDeps;
  /** In the order of their last run. */
  readonly #runs = new Map<string, ActionRuns>();

  constructor(deps: ActionLedgerDeps) {
    this.#deps = deps;
    this.#load();
  }

  get(key: string): ActionRuns {
    return this.#runs.get(key) ?? [];
  }

  /** Stored before it returns. */
  set(key: string, runs: ActionRuns): void {
    this.#runs.delete(key);
    this.#runs.set(key, runs);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > ACTIONS_MAX && oldest !== undefined) this.#runs.delete(oldest);
    this.#store();
  }

  #load(): void {
    const { clock, file, log } = this.#deps;
    try {
      const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
      for (const [key, list] of Object.entries(isJsonObject(found) ? found : {})) {
        const runs = (Array.isArray(list) ? list : []).flatMap((run: Json) => {
          const { at, subject } = isJsonObject(run) ? run : {};
          if (typeof at !== 'number' || typeof subject !== 'string') return [];
          return [{ atMs: clock.monotonic() - Math.max(clock.now() - at, 0), subject }];
        });
        this.#runs.set(key, runs);
      }
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
      log.warn('Failed to read the runs of alert actions', { file, error });
    }
  }

  #store(): void {
    const { clock, file, log } = this.#deps;
    const wallOf = (atMs: number): number => clock.now() - (clock.monotonic() - atMs);
    const entries = [...this.#runs].map(
      ([key, runs]) =>
        [key, runs.map(({ atMs, subject }) => ({ at: wallOf(atMs), subject }))] as const,
    );
    try {
      writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(entries)), {
        mode: OWNER_ONLY,
      });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log.warn('Failed to store the runs of alert actions', { file, error });
    }
  }
}
