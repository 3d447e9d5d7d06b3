/** What the process runtime is told from outside. */
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';

export interface ProcessRuntimeOptions {
  /** Where sandboxes and containers are written down. Made if it is not there; absolute. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** Where the users of a pod hear what its containers have to do without. */
  readonly events: EventRecorder;
  /** What containers look for commands in; absent: the usual folders. */
  readonly path?: string;
  /** Where the user who started podkeep finds commands, to say which of them containers do not see. */
  readonly machinePath?: string;
  /** Of podkeep, for whoever asks the runtime. */
  readonly version?: string;
  /** What the names of images stand for. */
  readonly images?: Readonly<Record<string, ImageMapping>>;
  /** More folders that no container is to see, such as the one with podkeep's keys. */
  readonly hiddenFolders?: readonly string[];
  /**
   * Told, before the first pod starts, under which address pods reach this machine: it is this
   * runtime's alone, and the same after a restart. A pod waits until this has resolved.
   */
  readonly reachable?: (address: string) => Promise<void>;
  /** `auto`: an address per pod where this user may make one, otherwise the machine's network. */
  readonly network?: 'auto' | 'host';
  /** `auto`: namespaces where the system allows them; `none`: containers see the machine as it is. */
  readonly isolation?: 'auto' | 'none';
  /** `auto`: control groups where they can be written. */
  readonly cgroups?: 'auto' | 'none';
  /**
   * `auto`: containers are started by the syscall helper, or not at all. `none`: a shell starts them, without any
   * boundary.
   */
  readonly helper?: 'auto' | 'none';
  /** Folders of the machine that containers without an image see, read-only, besides programs and libraries. */
  readonly tree?: readonly string[];
  /** How many processes a pod may have; absent or not positive: as many as the machine. */
  readonly podPidsLimit?: number;
  /** How large a log may get, and how many files of it stay, the one that is written included. */
  readonly logs?: { readonly maxBytes: number; readonly maxFiles: number };
  /** Who runs the containers that do not say, if podkeep is root. */
  readonly defaultUser?: { readonly uid: number; readonly gid: number };
}

/** A command of this machine, a folder that holds a root file system, or an OCI image layout. */
export type ImageMapping = CommandImage | FolderImage | OciImage;

export interface CommandImage extends ImageDefaults {
  readonly command: readonly string[];
}

export interface FolderImage extends ImageDefaults {
  readonly folder: string;
}

export interface OciImage {
  readonly ociLayout: string;
}

/** What a container made from the image does unless its spec says otherwise. */
export interface ImageDefaults {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** A number or a name, with a group after a colon if there is one. */
  readonly user?: string;
  readonly stopSignal?: string;
}

/** What a name turned out to be. */
export interface ResolvedImage {
  readonly defaults: ImageDefaults;
  /** Absent: the machine's own root. */
  readonly root?: string;
}
