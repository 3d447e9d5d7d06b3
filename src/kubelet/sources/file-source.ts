/**
 * The pod source `file`: reads static pods from a manifest file or a folder of manifests (KL-57, KL-60).
 *
 * The folder is read at the start, when the file system reports a change, and every 20 seconds in case it
 * reported none. A manifest that cannot be used, perhaps because it is half written, is logged once for each
 * problem and read again after 1, 2, 4, … up to 20 seconds. Until then the pods that it described before keep
 * running: a half-saved manifest must not take down a control plane.
 *
 *   the file is gone        its pods are removed
 *   the path is gone        all pods are removed
 *   the path is unreadable  all pods stay; before the first success, the source counts as not ready
 */
import type { Pod } from '../../api/pod.ts';
import { PodkeepError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { watchFolder, type WatchFolder } from './folder-watch.ts';
import { readManifests, type FoundManifest } from './manifest-folder.ts';
import { parseManifest } from './manifest-text.ts';
import { toStaticPod } from './static-pod.ts';

export interface FileSourceOptions {
  /** A folder or a file. */
  readonly path: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Log;
  /** See StaticPodOrigin. */
  readonly prepare: (pod: JsonObject) => JsonObject;
  /** Called with all pods, whenever they may have changed. */
  readonly set: (pods: readonly Pod[]) => void;
  /** fileCheckFrequency. */
  readonly rescanMs?: number;
  readonly watch?: WatchFolder;
}

interface KnownManifest {
  /** The last text that could be used, and its pods. */
  readonly text: string;
  readonly pods: readonly Pod[];
}

const RESCAN_MS = 20_000;
const RETRY_MS = 1000;

export class FileSource {
  readonly #options: FileSourceOptions;
  readonly #path: string;
  #known: ReadonlyMap<string, KnownManifest> = new Map();
  /** The last logged problem, by file. */
  #problems = new Map<string, string>();
  #retryMs = RETRY_MS;
  #isScanning = false;
  #isDirty = false;
  #isStopped = false;
  #cancelTimer: Cancel = () => {};
  #closeWatch: (() => void) | null = null;

  constructor(options: FileSourceOptions) {
    this.#options = options;
    this.#path = options.path.length > 1 ? options.path.replace(/\/+$/, '') : options.path;
  }

  start(): void {
    this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#closeWatch?.();
    this.#closeWatch = null;
  }

  /** Scans do not overlap: a change during one causes another. */
  #look(): void {
    this.#isDirty = true;
    if (this.#isScanning || this.#isStopped) return;
    this.#isScanning = true;
    void this.#scanUntilClean().finally(() => {
      this.#isScanning = false;
    });
  }

  async #scanUntilClean(): Promise<void> {
    let isTroubled = false;
    while (this.#isDirty && !this.#isStopped) {
      this.#isDirty = false;
      // Watched before it is read, so that a change in between is noticed.
      this.#watch();
      isTroubled = !(await this.#scan());
    }
    if (this.#isStopped) return;
    const { clock, rescanMs = RESCAN_MS } = this.#options;
    const delayMs = isTroubled ? Math.min(this.#retryMs, rescanMs) : rescanMs;
    this.#retryMs = isTroubled ? this.#retryMs * 2 : RETRY_MS;
    this.#cancelTimer();
    this.#cancelTimer = clock.after(delayMs, () => this.#look());
  }

  #watch(): void {
    const { watch = watchFolder } = this.#options;
    const forget = (): void => {
      this.#closeWatch?.();
      this.#closeWatch = null;
    };
    try {
      this.#closeWatch ??= watch(this.#path, () => this.#look(), forget);
    } catch {
      // The path does not exist yet, or cannot be watched: the next scan tries again.
      this.#closeWatch = null;
    }
  }

  /** Whether everything could be used. */
  async #scan(): Promise<boolean> {
    const problems = new Map<string, string>();
    try {
      const found = await readManifests(this.#path);
      if (found) {
        await this.#take(found, problems);
      } else {
        this.#report(problems, this.#path, new Error('path does not exist, ignoring'));
        this.#known = new Map();
        this.#closeWatch?.();
        this.#closeWatch = null;
      }
      if (!this.#isStopped) {
        this.#options.set([...this.#known.values()].flatMap(({ pods }) => pods));
      }
    } catch (error) {
      this.#report(problems, this.#path, error);
    }
    this.#problems = problems;
    return problems.size === 0;
  }

  async #take(found: readonly FoundManifest[], problems: Map<string, string>): Promise<void> {
    const next = new Map<string, KnownManifest>();
    for (const { file, text } of found) {
      const before = this.#known.get(file);
      try {
        if (text instanceof Error) throw text;
        // Unchanged text yields the same pod objects, so that PodConfig compares them quickly.
        next.set(file, before?.text === text ? before : await this.#parse(file, text));
      } catch (error) {
        if (before) next.set(file, before);
        this.#report(problems, file, error);
      }
    }
    this.#known = next;
  }

  async #parse(file: string, text: string): Promise<KnownManifest> {
    const { nodeName, prepare } = this.#options;
    const manifests = await parseManifest(text, file);
    const origin = { file, nodeName, prepare };
    return { text, pods: manifests.map((manifest) => toStaticPod(manifest, origin)) };
  }

  #report(problems: Map<string, string>, file: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    problems.set(file, message);
    if (this.#problems.get(file) === message) return;
    const hint = error instanceof PodkeepError ? { hint: error.hint } : {};
    this.#options.log.warn('Could not process manifest file', { file, problem: message, ...hint });
  }
}
