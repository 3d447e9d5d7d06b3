/** Settings and collaborators of the process runtime. */
import type { Clock } from '../../ports/clock.ts';
import type { EventRecorder } from '../../ports/observe/event-recorder.ts';
import type { Log } from '../../ports/log.ts';
import type { IdentityRandom } from '../../ports/random.ts';
import type { PodNetworks } from './sandbox/pod-networks.ts';

export interface ProcessRuntimeOptions {
  /** The folder for records of sandboxes and containers: an absolute path. Created if it is missing. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: IdentityRandom;
  readonly log: Log;
  /** Records Events about features that containers lack on this machine. */
  readonly events: EventRecorder;
  /** The PATH of containers. Absent: the usual folders. */
  readonly path?: string;
  /** The PATH of the user who started podkeep, for hints about commands that containers do not see. */
  readonly machinePath?: string;
  /** podkeep's version, which the runtime reports as its own. */
  readonly version?: string;
  /** What runs for an image name. */
  readonly images?: Readonly<Record<string, ImageMapping>>;
  /** More folders that no container may see, such as the one with podkeep's keys. */
  readonly hiddenFolders?: readonly string[];
  /**
   * Called before the first pod starts, with the address under which pods reach this machine. No other
   * runtime has this address, and it stays the same after a restart. The pod starts when this has resolved.
   */
  readonly reachable?: (address: string) => Promise<void>;
  /**
   * `auto`: a network namespace per pod if podkeep may create one, otherwise the machine's network. `host`:
   * the machine's network.
   */
  readonly network?: 'auto' | 'host';
  /** Pods with a network namespace reach other networks; their addresses are masqueraded as the machine's. */
  readonly masquerade?: boolean;
  /** The node's name servers. Masqueraded pods may use them even at link-local addresses. */
  readonly resolvers?: readonly string[];
  /** Of the other nodes of this process, whose pods are reached directly; absent: there are none. */
  readonly podNetworks?: PodNetworks;
  /** `auto`: namespaces where the system allows them; `none`: containers see the machine as it is. */
  readonly isolation?: 'auto' | 'none';
  /** `auto`: control groups if podkeep may create them. */
  readonly cgroups?: 'auto' | 'none';
  /**
   * `auto`: the syscall helper starts containers; without it, containers fail to start. `none`: a shell
   * starts them, without any isolation.
   */
  readonly helper?: 'auto' | 'none';
  /** Folders of the machine that containers without an image see, read-only, besides programs and libraries. */
  readonly tree?: readonly string[];
  /** How many processes a pod may have. Absent, zero or less: no limit. */
  readonly podPidsLimit?: number;
  /** The size at which a log is rotated, and the number of its files, including the current one. */
  readonly logs?: { readonly maxBytes: number; readonly maxFiles: number };
  /** The user of containers that set none, if podkeep runs as root. */
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

/** Defaults of a container, which its spec can override. */
export interface ImageDefaults {
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** A number or a name, with a group after a colon if there is one. */
  readonly user?: string;
  readonly stopSignal?: string;
}

/** What an image name resolved to. */
export interface ResolvedImage {
  readonly defaults: ImageDefaults;
  /** Absent: the machine's own root. */
  readonly root?: string;
  /** Folders of the machine that its containers see, read-only, besides programs and libraries. */
  readonly shown?: readonly string[];
}
