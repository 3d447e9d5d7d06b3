/**
 * Reloads certificate, key and CA files that are replaced while podkeep runs. It polls the files, because
 * watches miss changes through links and mounts. If the files cannot be read or used, the old content stays
 * in use: they may be in the middle of a replacement, and a mistake must not stop the service.
 */
import { readFile } from 'node:fs/promises';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';

export interface WatchedFilesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly files: readonly string[];
  /** The earlier content, in the same order. */
  readonly texts: readonly string[];
  /** Called with the new content. If it throws, the old one stays in use. */
  readonly changed: (texts: readonly string[]) => void;
}

const LOOK_MS = 10_000;

export class WatchedFiles {
  readonly #options: WatchedFilesOptions;
  #texts: readonly string[];
  #cancel: Cancel = () => {};
  #isStopped = false;
  #hasReported = false;

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
        log.info('Reloaded TLS certificate files', { files });
      }
      this.#hasReported = false;
    } catch (error) {
      if (!this.#hasReported) {
        log.warn('Failed to reload TLS certificate files; using the previous ones', {
          files,
          error,
        });
      }
      this.#hasReported = true;
    }
    if (!this.#isStopped) this.start();
  }
}
