/**
 * Creates links to the logs of containers, with the pod in their names, for log collectors.
 *
 *     /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log ──> /var/log/pods/…/CONTAINER/0.log
 *
 * The container GC removes links whose log is gone. If a link cannot be created, this is logged, and the
 * container starts anyway.
 */
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../ports/log.ts';
import type { ContainerRun, PodFiles } from '../../ports/pod/pod-files.ts';

export interface LogLinksOptions {
  /** Absolute, such as /var/log/containers. */
  readonly folder: string;
  readonly files: Pick<PodFiles, 'logFolder' | 'logPath'>;
  readonly log: Log;
}

const SUFFIX = '.log';
const NAME_LENGTH_MAX = 255 - SUFFIX.length;

export class LogLinks {
  readonly #options: LogLinksOptions;

  constructor(options: LogLinksOptions) {
    this.#options = options;
  }

  /** `containerId` may have its scheme. */
  async link(run: ContainerRun, containerId: string): Promise<void> {
    const { folder, files, log } = this.#options;
    const { pod, container } = run;
    const id = containerId.slice(containerId.lastIndexOf('/') + 1);
    const name = `${pod.name}_${pod.namespace}_${container}-${id}`.slice(0, NAME_LENGTH_MAX);
    const file = path.join(files.logFolder(pod), files.logPath(run));
    try {
      await mkdir(folder, { recursive: true });
      await symlink(file, path.join(folder, `${name}${SUFFIX}`));
    } catch (error) {
      log.warn('Failed to create container log symlink', { file, error });
    }
  }

  /** Removes dangling links. */
  async sweep(): Promise<void> {
    const { folder } = this.#options;
    const names = await readdir(folder).catch((): string[] => []);
    for (const name of names.filter((each) => each.endsWith(SUFFIX))) {
      const link = path.join(folder, name);
      if (await leadsNowhere(link)) await rm(link, { force: true });
    }
  }
}

async function leadsNowhere(link: string): Promise<boolean> {
  return stat(link).then(
    () => false,
    (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT',
  );
}
