/**
 * Stores the newest changes, oldest first, for watchers that resume.
 *
 *                 floor                        newest
 *     ── dropped ──┤ entry  entry  entry  entry │
 *                     after(revision) ────────> │
 *
 * 1. Revisions grow from entry to entry.
 * 2. `after` returns every change since a revision, or null: never only some of them.
 * 3. The number of entries and their bytes are limited; the oldest entries are dropped first.
 */
export interface JournalEntry {
  readonly revision: number;
  readonly bytes: number;
}

export interface JournalLimits {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

/** Dropped entries are removed from the array in batches, because each removal moves the rest. */
const CUT_MIN = 256;

export class ChangeJournal<Entry extends JournalEntry> {
  readonly #limits: JournalLimits;
  #entries: Entry[] = [];
  /** Entries before this index are dropped. */
  #start = 0;
  #bytes = 0;
  /** The revision of the newest dropped change. */
  #floor = 0;

  constructor(limits: JournalLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.bytes;
    const { entriesMax, bytesMax } = this.#limits;
    while (this.#entries.length - this.#start > entriesMax || this.#bytes > bytesMax) {
      const dropped = this.#entries[this.#start];
      if (!dropped) break;
      this.#floor = dropped.revision;
      this.#bytes -= dropped.bytes;
      this.#start += 1;
    }
    if (this.#start < CUT_MIN) return;
    this.#entries = this.#entries.slice(this.#start);
    this.#start = 0;
  }

  /** Records that there was a change which no watcher will ask for: it and all changes before it are dropped. */
  skip(revision: number): void {
    this.#entries = [];
    this.#start = 0;
    this.#bytes = 0;
    this.#floor = revision;
  }

  /** Null: some of the changes since then were dropped. */
  after(revision: number): readonly Entry[] | null {
    if (revision < this.#floor) return null;
    let low = this.#start;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#entries.slice(low);
  }
}
