/** Stop signals of containers, in the order of CRI's enum. */

const NAMES =
  'RUNTIME_DEFAULT SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO ' +
  'SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM ' +
  'SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIGRTMIN';

/** SIGRTMIN+1 to SIGRTMIN+15, SIGRTMAX-14 to SIGRTMAX-1, in CRI's spelling. */
const ABOVE_MIN = Array.from({ length: 15 }, (_, index) => `SIGRTMINPLUS${index + 1}`);
const BELOW_MAX = Array.from({ length: 14 }, (_, index) => `SIGRTMAXMINUS${14 - index}`);

export const SIGNALS: readonly string[] = [
  ...NAMES.split(' '),
  ...ABOVE_MIN,
  ...BELOW_MAX,
  'SIGRTMAX',
];

/** Converts the usual spelling, `SIGRTMIN+3`, to CRI's, `SIGRTMINPLUS3`. */
export function criSignal(signal: string): string {
  return signal.replace('+', 'PLUS').replace('-', 'MINUS');
}
