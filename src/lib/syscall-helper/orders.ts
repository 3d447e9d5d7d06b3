/** The orders of a SyscallHelper that start processes: containers, commands in them, and sandboxes. */
import { packCalls, packArguments, type SystemCall } from './calls.ts';

/** The command at the end of an order, and how it is reached. */
export interface CommandOrder {
  /**
   * In the process that waits for it outside, which stays there: opens what later calls need. For a
   * container also creates the namespaces that only children are in.
   */
  readonly through: readonly SystemCall[];
  /** Of an exec: in the parent of the command, which joins the container's namespaces. */
  readonly join?: readonly SystemCall[];
  /** In the process that becomes the command. */
  readonly enter: readonly SystemCall[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly command: readonly string[];
  /** The error where there is no such command. */
  readonly missing: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** The owner of the terminal. Absent: the user who creates it. */
  readonly terminalOwner?: number | undefined;
  /** Instead of a command: its streams are joined to this port of the loopback interface. */
  readonly dial?: number;
}

export interface ContainerOrder extends CommandOrder {
  /** Holds `state`, which has spare bytes; `claim` and the socket `attach` are created there. */
  readonly folder: string;
  /** The process title of the monitor. */
  readonly title: string;
  readonly bootId: string;
  readonly log: { readonly file: string; readonly maxBytes: number; readonly maxFiles: number };
  /** The namespaces that its first process is created in. */
  readonly namespaces: number;
  /** In the first process: its mounts, its root, its users. */
  readonly setup: readonly SystemCall[];
  /** In the first process when the command has started: drops capabilities. */
  readonly rest: readonly SystemCall[];
  readonly setupSeconds: number;
}

/** Holds the process namespace of a pod. */
export interface HoldOrder {
  readonly title: string;
  /** Where the ID and the start of the process are written. */
  readonly file: string;
  readonly namespaces: number;
  readonly rest: readonly SystemCall[];
}

/** One process creates the namespaces, and another that stays outside finishes them. */
export interface NamespaceOrder {
  /** Inside: creates them. */
  readonly unshare: readonly SystemCall[];
  /** Outside, with the ID of the other process as INSIDE_PID: maps IDs, mounts namespaces on files. */
  readonly outside: readonly SystemCall[];
  /** Inside, when that is done. */
  readonly inside: readonly SystemCall[];
  /** Outside, at the end. */
  readonly after: readonly SystemCall[];
}

type OrderArguments = readonly (string | number | Uint8Array)[];

export function argumentsOfContainer(order: ContainerOrder): OrderArguments {
  const { folder, title, bootId, log, namespaces, setup, rest, setupSeconds } = order;
  return [
    ...argumentsOfCommand(order),
    ...Object.entries({
      dir: folder,
      title,
      boot: bootId,
      log: log.file,
      log_max: log.maxBytes,
      log_files: log.maxFiles,
      flags: namespaces,
      setup: packCalls(setup),
      rest: packCalls(rest),
      deadline: setupSeconds,
    }).flat(),
  ];
}

export function argumentsOfCommand(order: CommandOrder): OrderArguments {
  const { through, join = [], enter, env, command, missing, stdin, tty } = order;
  const { terminalOwner, dial } = order;
  return Object.entries({
    through: packCalls(through),
    join: packCalls(join),
    enter: packCalls(enter),
    env: packArguments(env.flat()),
    command: packArguments(command),
    missing,
    stdin: stdin ? 1 : '',
    tty: tty ? 1 : '',
    owner: terminalOwner ?? '',
    dial: dial ?? '',
  }).flat();
}

export function argumentsOfHold({ title, file, namespaces, rest }: HoldOrder): OrderArguments {
  return Object.entries({ title, file, flags: namespaces, rest: packCalls(rest) }).flat();
}

export function argumentsOfNamespaces({
  unshare,
  outside,
  inside,
  after,
}: NamespaceOrder): OrderArguments {
  return Object.entries({
    unshare: packCalls(unshare),
    outside: packCalls(outside),
    inside: packCalls(inside),
    after: packCalls(after),
  }).flat();
}
