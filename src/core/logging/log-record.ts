/** One line of the log, before it has a format. */
export interface LogRecord {
  readonly severity: Severity;
  /** Of an info line: it is printed if the verbosity is at least this. Of the others: zero. */
  readonly v: number;
  readonly timeMs: number;
  readonly pid: number;
  /** The part of podkeep that logs: `kubelet` or `kube-apiserver`. */
  readonly component: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export type Severity = 'info' | 'warn' | 'error';
