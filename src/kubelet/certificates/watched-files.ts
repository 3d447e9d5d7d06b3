/**
 * Files that are replaced while podkeep runs: certificates, keys, authorities. They are looked at every
 * few seconds, because watches miss what links and mounts do. What cannot be read, or cannot be used,
 * leaves things as they are: it is being replaced, or somebody made a mistake that must not end our
 * service.
 */
import { readFile } from 'node:fs/promises';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface WatchedFilesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly files: readonly string[];
  /** What was read before, in the same order. */
  readonly texts: readonly string[];
  /** Told what they say now. If it throws, the old ones stay in use. */
  readonly changed: (texts: readonly string[]) => void;
}

const LOOK_MS = 10_000;

export class WatchedFiles {
  readonly #options: WatchedFilesOptions;
  #texts: readonly string[];
  #cancel: Cancel = () => {};
  #isStopped = false;
  #hasComplained = false;

  constructor(options: WatchedFilesOptions) {
    this.#options = options;
    this.#texts = options.texts;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => void this.#look());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { files, changed, log } = this.#options;
    try {
      const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
      if (this.#isStopped) return;
      if (texts.some((text, index) => text !== this.#texts[index])) {
        changed(texts);
        this.#texts = texts;
        log.info('files were replaced, and are in use', { files });
      }
      this.#hasComplained = false;
    } catch (error) {
      if (!this.#hasComplained) {
        log.warn('files cannot be used; going on with what they said before', { files, error });
      }
      this.#hasComplained = true;
    }
    if (!this.#isStopped) this.start();
  }
}
