/** The folders of the local provisioner, as a set of names. */
import { isProvisionedVolumeName } from '../../src/api/local-provisioner.ts';
import type { LocalVolumes } from '../../src/ports/local-volumes.ts';

export class MemoryVolumes implements LocalVolumes {
  readonly nodeName: string;
  readonly folders = new Set<string>();
  /** How often a folder was created that did not exist. */
  made = 0;
  /** The next calls fail with this message; null: they succeed. */
  fault: string | null = null;

  constructor(nodeName = 'a') {
    this.nodeName = nodeName;
  }

  pathOf(name: string): string {
    if (!isProvisionedVolumeName(name)) throw new Error(`${name} must not reach the disk`);
    return `/volumes/${name}`;
  }

  make(name: string): Promise<void> {
    return this.#change(() => {
      if (!this.folders.has(this.pathOf(name))) this.made += 1;
      this.folders.add(this.pathOf(name));
    });
  }

  remove(name: string): Promise<void> {
    return this.#change(() => this.folders.delete(this.pathOf(name)));
  }

  async #change(act: () => void): Promise<void> {
    if (this.fault !== null) throw new Error(this.fault);
    act();
  }
}
