/** The program: hands the arguments and the real world to cli/, and exits with its code. */
import type { StopSignal } from './cli/io.ts';
import { run } from './cli/run.ts';
import { systemStdin } from './cli/system-stdin.ts';

// Whoever listens may leave (`podkeep up | head -1`); that is no reason to stop serving.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const STOPS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  write: (stream, bytes) => {
    const target = stream === 'out' ? process.stdout : process.stderr;
    return new Promise((resolve) => void target.write(bytes, () => resolve()));
  },
  // Asking for it opens it: only whoever reads it may.
  get stdin() {
    return systemStdin(process.stdin, process.stdout);
  },
  env: process.env,
  isTerminal: process.stdin.isTTY,
  onStop: (listener) => {
    for (const signal of STOPS) process.on(signal, listener);
    return () => {
      for (const signal of STOPS) process.off(signal, listener);
    };
  },
  exit: (code) => process.exit(code),
});
