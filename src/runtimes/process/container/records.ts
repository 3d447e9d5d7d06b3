/** The types of the records of sandboxes and containers; each record is a JSON file. */
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';

export interface SandboxRecord {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly createdAtMs: number;
  /** The ID of the machine's boot: no process or namespace survives a reboot. */
  readonly bootId: string;
  readonly network: SandboxNetwork;
  /** The prefix of the files on which its namespaces are mounted. Absent: it has no namespaces of its own. */
  readonly files?: string;
  /** Absent: its users are the machine's, or those of the ordinary user who runs podkeep. */
  readonly users?: SandboxUsers;
  /** False: the sandbox was stopped. */
  readonly isReady: boolean;
}

/**
 * `host`: the machine's own. `loopback`: the machine's network, and an address in it that no other pod has.
 * `namespace`: its own network namespace, kept alive by files whose names begin with `files`.
 */
export type SandboxNetwork =
  | { readonly kind: 'host' }
  | { readonly kind: 'loopback'; readonly ip: string }
  | {
      readonly kind: 'namespace';
      readonly ip: string;
      readonly files: string;
      readonly link: string;
    };

/**
 * The user and group IDs of a pod: they start at 0 inside its user namespace, and at `first` on the machine.
 */
export interface SandboxUsers {
  readonly first: number;
  readonly count: number;
  /** The file on which the user namespace is mounted. */
  readonly file: string;
}

export interface ContainerRecord {
  readonly id: string;
  readonly sandboxId: string;
  readonly podUid: string;
  readonly config: ContainerConfig;
  readonly createdAtMs: number;
  readonly logFile: string;
  readonly user: RunAs;
  readonly stopSignal: string;
  /** The command with its arguments, after merging spec and image. */
  readonly argv: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly workingDir: string;
  /** The folder of its image's root. Absent: a private view of the machine's root. */
  readonly imageRoot?: string;
  /** Folders of the machine that its image needs; the container sees them read-only. Absent: none. */
  readonly shown?: readonly string[];
  /** Its process namespace: `own`; `joined`, that of the pod or of another container; or the `host`'s. */
  readonly processes: 'own' | 'joined' | 'host';
  /** The folders of its control groups. */
  readonly cgroups: readonly string[];
  /**
   * How the container is set up. Absent: by a version before `pivot`, whose containers could leave their
   * root.
   */
  readonly setup?: 'pivot' | 'plain' | 'shell';
  /** Where command, environment and mounts are stored (record-file.ts). Absent: in this record. */
  readonly privatePart?: 'memory' | 'lost';
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** How a container ended. Written once, and never changed. */
export interface ContainerResult {
  readonly exitCode: number;
  readonly finishedAtMs: number;
  /** Absent: the container never ran. */
  readonly startedAtMs?: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError';
  readonly message?: string;
}

/** Whether a monitor process reads the container's output. */
export function hasMonitor({ setup }: ContainerRecord): boolean {
  return setup === 'pivot' || setup === 'plain';
}

/** Whether a version before `pivot` created the container; such a container could leave its root. */
export function isOld({ setup }: ContainerRecord): boolean {
  return setup === undefined;
}
