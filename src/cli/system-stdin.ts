/** The standard input of this process, and the terminal that it may be. */
import type { ReadStream, WriteStream } from 'node:tty';
import type { Stdin } from './io.ts';

export function systemStdin(input: ReadStream, output: WriteStream): Stdin {
  return {
    isTerminal: input.isTTY && output.isTTY,
    read(take) {
      let isOver = false;
      const onData = (chunk: Buffer): void => {
        input.pause();
        take(chunk).then(() => void (isOver || input.resume()), stop);
      };
      const onEnd = (): void => void take(null).catch(() => {}); // nobody waits for it any more
      const stop = (): void => {
        isOver = true;
        input.off('data', onData).off('end', onEnd).pause();
        input.unref(); // an open terminal would keep the process alive
      };
      input.on('data', onData).on('end', onEnd).on('error', onEnd);
      return stop;
    },
    setRaw: (isRaw) => void (input.isTTY && input.setRawMode(isRaw)),
    size: () => (output.isTTY ? { columns: output.columns, rows: output.rows } : null),
    onResize(listener) {
      output.on('resize', listener);
      return () => output.off('resize', listener);
    },
  };
}
