/** Listening to a container that runs, and speaking to it. */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import type { StreamRequest, Streams } from '../../ports/runtime/streams.ts';
import type { Container } from './container.ts';
import { containerNotRunning } from './errors.ts';
import type { Machine } from './machine.ts';
import { readProcesses, signalProcess } from './proc-table.ts';
import { resizeTerminal } from './terminal.ts';

export function attachTo(container: Container, machine: Machine, request: StreamRequest): Streams {
  const { record, state } = container;
  if (state !== 'running') throw containerNotRunning({ id: record.id, state });
  const { tty } = record.config;
  const outputs = {
    stdout: request.stdout ? new PassThrough() : null,
    stderr: request.stderr && !tty ? new PassThrough() : null,
  };
  const stopListening = container.listen((stream, bytes) => outputs[stream]?.write(bytes));
  const stdin = request.stdin && record.config.stdin ? openStdin(container, machine) : null;
  const leave = (): void => {
    stopListening();
    stdin?.destroy();
    outputs.stdout?.end();
    outputs.stderr?.end();
  };
  const ended = container
    .ended(request.signal)
    .then(() => container.result?.exitCode ?? 0)
    .finally(leave);
  ended.catch(() => undefined);
  return {
    stdin,
    ...outputs,
    ended,
    resize: (columns, rows) => {
      const { main } = container;
      if (tty && main) resizeTerminal(machine, main.pid, columns, rows);
    },
  };
}

function openStdin(container: Container, machine: Machine): Writable {
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const fd = openSync(path.join(container.folder, 'stdin'), flags);
  const socket = new Socket({ fd, readable: false, writable: true });
  socket.on('error', () => undefined);
  if (container.record.config.stdinOnce) {
    socket.on('finish', () => letStdinEnd(container, machine));
  }
  return socket;
}

/** The pipe ends for its reader when the last writer is gone, and that is init's holder. */
function letStdinEnd({ init, main }: Container, machine: Machine): void {
  for (const entry of readProcesses()) {
    const isHolder = entry.parent === init?.pid && entry.pid !== main?.pid;
    // What the command left behind has come after the holder.
    const isOldest = main === undefined || Number(entry.start) <= Number(main.start);
    if (isHolder && isOldest) signalProcess(entry, 'SIGKILL', machine.isLinux);
  }
}
