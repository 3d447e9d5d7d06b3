/** A log record, before it is formatted as a line. */
export interface LogRecord {
  readonly severity: Severity;
  /** The verbosity at which an info line is printed; zero for warnings and errors. */
  readonly v: number;
  readonly timeMs: number;
  readonly pid: number;
  /** The part of podkeep that logs: `kubelet` or `kube-apiserver`. */
  readonly component: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export type Severity = 'info' | 'warn' | 'error';
