/**
 * Reads the rule files of a folder, and reads them again when they change.
 *
 * The folder is read at the start, when the file system reports a change, and every 20 seconds in case it
 * reported none. A file with a mistake is refused as a whole: its previous rules stay in force, and the
 * mistake is logged and recorded as an Event on the node, once.
 *
 * Rules decide what podkeep sends and does, so every file must belong to the user that podkeep runs as, or to
 * root, and must not be writable by any other user (lib/trusted-file.ts).
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { defineError, PodkeepError } from '../../lib/errors.ts';
import { isUntrusted, readTrustedFile } from '../../lib/trusted-file.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { NodeEvents } from '../node/node-events.ts';
import { watchFolder, type WatchFolder } from '../sources/folder-watch.ts';

export interface RuleFolderOptions<Content> {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: NodeEvents;
  /** Throws a PodkeepError that says where the mistake is. */
  readonly parse: (file: string, text: string) => Content;
  /** Called when the content of a file changed. */
  readonly loaded: (contents: readonly Content[]) => void;
  readonly watch?: WatchFolder;
}

interface KnownFile<Content> {
  readonly text: string;
  readonly content: Content;
}

const RESCAN_MS = 20_000;
const SETTLE_MS = 100;
const FILES_MAX = 100;
const BYTES_MAX = 2 ** 20;

export const alertRulesUnreadable = defineError<{ file: string; reason: string }>({
  code: 'ALERT_RULES_UNREADABLE',
  retry: 'backoff',
  message: ({ file, reason }) => `alert rules cannot be read from ${file}: ${reason}`,
  hint: () => 'Check the path of --alert-rules and its permissions.',
});

export class RuleFolder<Content> {
  readonly #options: RuleFolderOptions<Content>;
  #known: ReadonlyMap<string, KnownFile<Content>> = new Map();
  #problems: ReadonlyMap<string, string> = new Map();
  #cancelTimer: Cancel = () => {};
  #closeWatch: (() => void) | null = null;
  #isFirst = true;

  constructor(options: RuleFolderOptions<Content>) {
    this.#options = options;
  }

  /** Reads the folder before it returns. */
  start(): void {
    this.#scan();
  }

  stop(): void {
    this.#cancelTimer();
    this.#closeWatch?.();
  }

  #scan(): void {
    // Watched before it is read, so that a change in between is noticed.
    this.#watch();
    const problems = new Map<string, string>();
    const next = new Map<string, KnownFile<Content>>();
    for (const file of this.#files(problems)) {
      const before = this.#known.get(file);
      try {
        const text = readText(file);
        next.set(
          file,
          before?.text === text ? before : { text, content: this.#options.parse(file, text) },
        );
      } catch (error) {
        if (!(error instanceof PodkeepError)) throw error;
        if (before) next.set(file, before);
        this.#report(problems, file, error);
      }
    }
    const isChanged = this.#isFirst || !isSame(this.#known, next);
    this.#isFirst = false;
    this.#known = next;
    this.#problems = problems;
    if (isChanged) this.#options.loaded([...next.values()].map(({ content }) => content));
    this.#scanAfter(RESCAN_MS);
  }

  /** If the folder cannot be read, the previous list of files is used. */
  #files(problems: Map<string, string>): readonly string[] {
    const { folder } = this.#options;
    try {
      const names = readdirSync(folder).filter((name) => /^[^.].*\.(?:yaml|yml|json)$/.test(name));
      if (names.length > FILES_MAX) throw new Error(`it has more than ${FILES_MAX} rule files`);
      return names.toSorted().map((name) => path.join(folder, name));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#report(problems, folder, alertRulesUnreadable({ file: folder, reason }, error));
      return [...this.#known.keys()];
    }
  }

  #watch(): void {
    const { folder, watch = watchFolder } = this.#options;
    const forget = (): void => {
      this.#closeWatch?.();
      this.#closeWatch = null;
    };
    try {
      // An editor writes in several steps.
      this.#closeWatch ??= watch(folder, () => this.#scanAfter(SETTLE_MS), forget);
    } catch {
      // The folder does not exist yet, or cannot be watched: the next scan tries again.
      this.#closeWatch = null;
    }
  }

  #scanAfter(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#options.clock.after(delayMs, () => this.#scan());
  }

  #report(problems: Map<string, string>, file: string, error: PodkeepError): void {
    problems.set(file, error.message);
    if (this.#problems.get(file) === error.message) return;
    const { log, events } = this.#options;
    log.warn('Alert rules refused', { file, problem: error.message, hint: error.hint });
    events.recordNode('Warning', 'AlertRulesRefused', `${error.message}. ${error.hint}`);
  }
}

/** Throws ALERT_RULES_UNREADABLE and UNTRUSTED_FILE. */
function readText(file: string): string {
  try {
    const found = statSync(file);
    // A named pipe would block.
    if (!found.isFile()) throw new Error('it is no file');
    if (found.size > BYTES_MAX) throw new Error(`it is larger than ${BYTES_MAX} bytes`);
    return readTrustedFile(file);
  } catch (error) {
    if (isUntrusted(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw alertRulesUnreadable({ file, reason }, error);
  }
}

function isSame<Content>(
  a: ReadonlyMap<string, KnownFile<Content>>,
  b: ReadonlyMap<string, KnownFile<Content>>,
): boolean {
  return a.size === b.size && [...a].every(([file, known]) => b.get(file) === known);
}
