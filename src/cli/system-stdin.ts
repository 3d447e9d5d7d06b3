/** Reads the standard input of this process, which may be a terminal. */
import type { ReadStream as FileStream } from 'node:fs';
import type { ReadStream, WriteStream } from 'node:tty';
import type { Stdin } from './io.ts';

/**
 * A file, such as /dev/null, has another stream type than a terminal or a pipe: it has no `unref`, and needs
 * none.
 */
export function systemStdin(input: ReadStream | FileStream, output: WriteStream): Stdin {
  const isTerminal = 'isTTY' in input && input.isTTY && output.isTTY;
  return {
    isTerminal,
    read(take) {
      let isOver = false;
      const onData = (chunk: Buffer): void => {
        input.pause();
        take(chunk).then(() => void (isOver || input.resume()), stop);
      };
      const onEnd = (): void => void take(null).catch(() => {}); // the command has ended already
      const stop = (): void => {
        isOver = true;
        input.off('data', onData).off('end', onEnd).pause();
        if ('unref' in input) input.unref(); // an open terminal would keep the process alive
      };
      input.on('data', onData).on('end', onEnd).on('error', onEnd);
      return stop;
    },
    setRaw: (isRaw) => {
      if ('setRawMode' in input && input.isTTY) input.setRawMode(isRaw);
    },
    size: () => (output.isTTY ? { columns: output.columns, rows: output.rows } : null),
    onResize(listener) {
      output.on('resize', listener);
      return () => output.off('resize', listener);
    },
  };
}
