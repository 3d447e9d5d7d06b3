/** Reads what containers recorded (container-script.ts). */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface ContainerRun {
  readonly attempt: number;
  /** The position of its first line among all lines of the ledger. */
  readonly startedAt: number;
  endedAt: number | undefined;
  code: number | undefined;
  lines: number | undefined;
  /** The position of the line for the signal to stop. */
  askedAt: number | undefined;
}

export class Ledger {
  /** Lines that no container may ever write, or not twice. */
  readonly faults: readonly string[];
  readonly #runs: ReadonlyMap<string, ReadonlyMap<number, ContainerRun>>;
  readonly #configs: ReadonlyMap<string, string>;
  readonly #preStops: ReadonlyMap<string, readonly number[]>;

  constructor(folder: string) {
    const faults: string[] = [];
    const runs = new Map<string, Map<number, ContainerRun>>();
    const configs = new Map<string, string>();
    const preStops = new Map<string, number[]>();
    const lines = readFileSync(path.join(folder, 'lines'), 'utf8').split('\n').slice(0, -1);
    for (const [place, line] of lines.entries()) {
      const [uid = '', container = '', attempt = '', word = '', value = '', count = ''] =
        line.split(' ');
      const key = `${uid}/${container}`;
      const own = runs.get(key) ?? new Map<number, ContainerRun>();
      runs.set(key, own);
      const run = own.get(Number(attempt));
      if (word === 'start') {
        if (run) faults.push(`attempt ${attempt} of ${key} ran twice`);
        own.set(Number(attempt), startedRun(Number(attempt), place));
      } else if (word === 'prestop') {
        preStops.set(key, [...(preStops.get(key) ?? []), place]);
      } else if (word === 'overlap') {
        faults.push(`attempt ${attempt} of ${key} ran while another did`);
      } else if (!run || run.endedAt !== undefined) {
        faults.push(`out of order: ${line}`);
      } else if (word === 'config') {
        configs.set(key, value);
      } else if (word === 'term') {
        run.askedAt = place;
      } else {
        Object.assign(run, { endedAt: place, code: Number(value), lines: Number(count) });
      }
    }
    this.faults = faults;
    this.#runs = runs;
    this.#configs = configs;
    this.#preStops = preStops;
  }

  /** By attempt, the first one first. */
  runs(uid: string, container: string): readonly ContainerRun[] {
    const runs = [...(this.#runs.get(`${uid}/${container}`)?.values() ?? [])];
    return runs.toSorted((a, b) => a.attempt - b.attempt);
  }

  run(uid: string, container: string, attempt: number): ContainerRun | undefined {
    return this.#runs.get(`${uid}/${container}`)?.get(attempt);
  }

  /** Runs that have a start and no end. */
  open(): readonly string[] {
    return [...this.#runs].flatMap(([key, runs]) =>
      [...runs.values()].flatMap((run) =>
        run.endedAt === undefined ? [`${key} attempt ${run.attempt}`] : [],
      ),
    );
  }

  /** How many runs there were. */
  get size(): number {
    return [...this.#runs.values()].reduce((sum, runs) => sum + runs.size, 0);
  }

  /** The newest value of the config map that the container saw. */
  config(uid: string, container: string): string | undefined {
    return this.#configs.get(`${uid}/${container}`);
  }

  /** The positions of its preStop hooks in the ledger. */
  preStops(uid: string, container: string): readonly number[] {
    return this.#preStops.get(`${uid}/${container}`) ?? [];
  }
}

function startedRun(attempt: number, startedAt: number): ContainerRun {
  return {
    attempt,
    startedAt,
    endedAt: undefined,
    code: undefined,
    lines: undefined,
    askedAt: undefined,
  };
}
