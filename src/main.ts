/**
 * The program `podkeep`: passes the arguments and the real streams and signals to cli/, and exits with its
 * exit code.
 */
import type { Io, StopSignal } from './cli/io.ts';
import { run } from './cli/run.ts';
import { systemStdin } from './cli/system-stdin.ts';
import { describeCrash } from './cli/crash-report.ts';
import { StopSignals } from './cli/supervision/stop-signals.ts';
import { openSupervisorLink } from './cli/supervision/supervisor-link.ts';
import { systemClock as clock } from './platform/system-clock.ts';
import { version } from './cli/version.ts';

// The reader of stdout may exit (`podkeep up | head -1`); podkeep keeps running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

function crash(error: unknown): void {
  const { version: node, platform, arch } = process;
  process.stderr.write(
    describeCrash(error, `podkeep ${version()}, Node.js ${node}, ${platform} ${arch}`),
  );
  process.exit(1);
}

// A rejected promise that nothing awaits is reported as an uncaught exception, too.
process.on('uncaughtException', crash);

const STOPS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const supervisor = openSupervisorLink(process.env, clock, () => {
  // Shells and service managers know only the supervisor: when it is killed, podkeep must end, too. Pods keep
  // running.
  process.stderr.write('podkeep: the supervisor has ended\n');
  process.exit(1);
});

/** Calls the listener once per stop request, and notifies the supervisor that podkeep stops on request. */
function onStop(listener: (signal: StopSignal) => void): () => void {
  const signals = new StopSignals(clock, (signal) => {
    supervisor?.stopping();
    listener(signal);
  });
  const own = (signal: StopSignal): void => signals.arrived(signal, 'own');
  for (const signal of STOPS) process.on(signal, own);
  const leave = supervisor?.onSignal((signal) => signals.arrived(signal, 'passed on'));
  return () => {
    for (const signal of STOPS) process.off(signal, own);
    leave?.();
  };
}

const io: Io = {
  supervisor,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  write: (stream, bytes) => {
    const target = stream === 'out' ? process.stdout : process.stderr;
    return new Promise((resolve) => void target.write(bytes, () => resolve()));
  },
  // The getter opens stdin: only commands that read it may call it.
  get stdin() {
    return systemStdin(process.stdin, process.stdout);
  },
  env: process.env,
  isOutTerminal: process.stdout.isTTY,
  isTerminal: process.stdin.isTTY,
  onStop,
  exit: (code) => process.exit(code),
};

try {
  process.exitCode = await run(process.argv.slice(2), io);
} catch (error) {
  crash(error);
}
