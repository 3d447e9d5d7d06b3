/** The records of sandboxes and containers, one JSON file each. */
import type { ContainerConfig } from '../../../ports/runtime/container-config.ts';
import type { SandboxConfig } from '../../../ports/runtime/sandbox-config.ts';

export interface SandboxRecord {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly createdAtMs: number;
  /** Of the machine's boot: nothing survives the next one. */
  readonly bootId: string;
  readonly network: SandboxNetwork;
  /** The prefix of the files on which its namespaces are mounted; absent: it has none. */
  readonly files?: string;
  /** Absent: its users are the machine's, or those of the ordinary user who runs podkeep. */
  readonly users?: SandboxUsers;
  /** False once it was stopped. */
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

/** The IDs of a pod: from zero inside, from `first` on the machine. */
export interface SandboxUsers {
  readonly first: number;
  readonly count: number;
  /** Its user namespace is mounted there. */
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
  /** The command in full, and everything that it is started with. */
  readonly argv: readonly string[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly workingDir: string;
  /** Its root folder; absent: a private view of the machine's root. */
  readonly imageRoot?: string;
  /** Folders of the machine that its image shows it, read-only; absent: none. */
  readonly shown?: readonly string[];
  /** The processes that it sees: its own, which end with its init, those of another, or all. */
  readonly processes: 'own' | 'joined' | 'host';
  /** Folders of control groups that it is in. */
  readonly cgroups: readonly string[];
  /** How it is set up. Absent: by the version before `pivot`, which left it a way out. */
  readonly setup?: 'pivot' | 'plain' | 'shell';
  /** Where its command, environment and mounts are (record-file.ts). Absent: in this record. */
  readonly privatePart?: 'memory' | 'lost';
}

export interface RunAs {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** How it ended. Written once, and never changed. */
export interface ContainerResult {
  readonly exitCode: number;
  readonly finishedAtMs: number;
  /** Absent: it never ran. */
  readonly startedAtMs?: number;
  readonly reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError';
  readonly message?: string;
}

/** Its output goes through a monitor, not into plain files. */
export function hasMonitor({ setup }: ContainerRecord): boolean {
  return setup === 'pivot' || setup === 'plain';
}

/** It was made by the version before `pivot`, which left it a way out. */
export function isOld({ setup }: ContainerRecord): boolean {
  return setup === undefined;
}
