/**
 * Opens the streams of a command that the syscall helper runs in a container.
 *
 * A process of the helper creates the pipes, so that the command has real pipes, and podkeep opens the other
 * ends in /proc. The fourth pipe is for control: podkeep writes `go`, which starts the command, and window
 * sizes into it; closing it kills the command.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';

export interface RunningExec {
  /** The process that waits for the command. */
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<number>;
  resize(columns: number, rows: number): void;
  /** Kills the command, and the processes of its session. */
  kill(): void;
}

/** `numbers`: the PID of the waiting process, and its descriptors of control, stdin, stdout and stderr. */
export function openExec(numbers: string, exited: Promise<number>): RunningExec {
  const [pid = 0, control = 0, stdin = 0, stdout = 0, stderr = 0] = numbers.split(' ').map(Number);
  const opened: number[] = [];
  const open = (number: number, flags: number): number => {
    const fd = openSync(`/proc/${pid}/fd/${number}`, flags | constants.O_NONBLOCK);
    opened.push(fd);
    return fd;
  };
  try {
    const controlFd = open(control, constants.O_WRONLY);
    const input = open(stdin, constants.O_WRONLY);
    const [output, errors] = [open(stdout, constants.O_RDONLY), open(stderr, constants.O_RDONLY)];
    writeSync(controlFd, 'go\n');
    return new ExecPipes(pid, { control: controlFd, input, output, errors }, exited);
  } catch (error) {
    for (const fd of opened) closeSync(fd);
    throw error;
  }
}

class ExecPipes implements RunningExec {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly exited: Promise<number>;
  #control: number | undefined;

  constructor(
    pid: number,
    {
      control,
      input,
      output,
      errors,
    }: Readonly<Record<'control' | 'input' | 'output' | 'errors', number>>,
    exited: Promise<number>,
  ) {
    this.pid = pid;
    this.#control = control;
    const socket = (fd: number, isWritable: boolean): Socket => {
      const made = new Socket({ fd, readable: !isWritable, writable: isWritable });
      // The pipes break when the command has ended.
      made.on('error', () => undefined);
      return made;
    };
    this.stdin = socket(input, true);
    this.stdout = socket(output, false);
    this.stderr = socket(errors, false);
    this.exited = exited.finally(() => this.kill());
    this.exited.catch(() => undefined);
  }

  resize(columns: number, rows: number): void {
    if (this.#control === undefined) return;
    try {
      writeSync(this.#control, `${columns} ${rows}\n`);
    } catch {
      // The command has just ended.
    }
  }

  kill(): void {
    if (this.#control === undefined) return;
    closeSync(this.#control);
    this.#control = undefined;
  }
}
