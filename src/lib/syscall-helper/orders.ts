/**
 * Defines and encodes the orders to the syscall helper that start processes: containers, commands in them,
 * and sandboxes.
 */
import { packCalls, packArguments, type SystemCall } from './calls.ts';

/** An order to run a command: the calls of each process on the way to it, and the command. */
export interface CommandOrder {
  /**
   * Calls of the process that waits for the command and stays outside of the container: opens what later
   * calls need. For a container, it also creates or joins namespaces that apply only to its children.
   */
  readonly through: readonly SystemCall[];
  /** For an exec: calls of the command's parent, which joins the container's namespaces. */
  readonly join?: readonly SystemCall[];
  /** Calls of the process that becomes the command. */
  readonly enter: readonly SystemCall[];
  readonly env: readonly (readonly [name: string, value: string])[];
  readonly command: readonly string[];
  /** The error message if the command does not exist. */
  readonly missing: string;
  readonly stdin: boolean;
  readonly tty: boolean;
  /** The owner of the terminal. Absent: the user who creates it. */
  readonly terminalOwner?: number | undefined;
  /** Instead of running a command: connects the streams to this port of the loopback interface. */
  readonly dial?: number;
}

export interface ContainerOrder extends CommandOrder {
  /**
   * The folder of the container. It has the file `state` with reserved space; the monitor creates `claim` and
   * the socket `attach` in it.
   */
  readonly folder: string;
  /** The process title of the monitor. */
  readonly title: string;
  readonly bootId: string;
  readonly log: { readonly file: string; readonly maxBytes: number; readonly maxFiles: number };
  /** The new namespaces of the container's first process, as clone(2) flags. */
  readonly namespaces: number;
  /** Calls of the first process: they set up mounts, root and users. */
  readonly setup: readonly SystemCall[];
  /** Calls of the first process after the command has started: they drop all rights. */
  readonly rest: readonly SystemCall[];
  readonly setupSeconds: number;
}

/** An order to start the holder of a pod: a process that keeps namespaces of the pod alive. */
export interface HoldOrder {
  readonly title: string;
  /** The file into which the helper writes PID and start time of the process. */
  readonly file: string;
  readonly namespaces: number;
  readonly rest: readonly SystemCall[];
}

/**
 * An order to create namespaces: one process creates them and is inside, another stays outside and completes
 * them.
 */
export interface NamespaceOrder {
  /** Inside: creates the namespaces. */
  readonly unshare: readonly SystemCall[];
  /** Outside, with the other process's PID as INSIDE_PID: maps IDs, and mounts the namespaces on files. */
  readonly outside: readonly SystemCall[];
  /** Inside, after `outside`. */
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
