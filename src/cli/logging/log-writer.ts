/**
 * Writes podkeep's log: decides which lines are printed, formats them, and keeps the newest in memory.
 *
 *     Log.info ──> verbosity ──> format ──┬──> stderr, or events of --output json
 *                                         └──> ring, for /logs/?query=kubelet
 *
 * Until a verbosity is chosen, `isQuiet` commands print only warnings and errors; the ring gets info lines,
 * too. After a verbosity is chosen, even 0, at start or at run time, info lines are printed as well.
 *
 * Lines are written immediately: there is no buffer to flush.
 */
import { errorStackOf } from './error-stack.ts';
import { formatLogRecord, type LogFormat } from '../../core/logging/log-formats.ts';
import type { LogRecord, Severity } from '../../core/logging/log-record.ts';
import type { Log, LogFacts } from '../../ports/log.ts';
import type { OwnLog, OwnLogLine } from '../../ports/observe/own-log.ts';
import { LogRing } from './log-ring.ts';

export interface LogWriterOptions {
  readonly now: () => number;
  readonly pid: number;
  /** Prints a formatted line, which includes its newline. */
  readonly print: (text: string) => void;
  /**
   * Prints a record as an event of --output json, unless a log format is chosen. Null: records are formatted
   * lines.
   */
  readonly event: ((record: LogRecord) => void) | null;
  readonly isQuiet: boolean;
}

/** Absent or null: not chosen. */
export interface LogSettings {
  readonly format?: LogFormat | null;
  readonly verbosity?: number | null;
}

const DEBUG_VERBOSITY = 4;

export class LogWriter implements OwnLog {
  readonly #options: LogWriterOptions;
  readonly #ring = new LogRing();
  #format: LogFormat | null = null;
  #verbosity: number | null = null;

  constructor(options: LogWriterOptions, settings: LogSettings = {}) {
    this.#options = options;
    this.configure(settings);
  }

  get verbosity(): number {
    return this.#verbosity ?? 0;
  }

  /** Later settings override earlier ones. */
  configure({ format, verbosity }: LogSettings): void {
    this.#format = format ?? this.#format;
    this.#verbosity = verbosity ?? this.#verbosity;
  }

  setVerbosity(v: number): void {
    this.#verbosity = v;
  }

  lines(): readonly OwnLogLine[] {
    return this.#ring.lines();
  }

  /** The log of one component of podkeep. */
  log(component: string): Log {
    const write = (severity: Severity, message: string, facts: LogFacts, v = 0): void =>
      this.#write(component, severity, message, facts, v);
    return {
      debug: (message, facts = {}) => write('info', message, facts, DEBUG_VERBOSITY),
      info: (message, facts = {}, v = 0) => write('info', message, facts, v),
      warn: (message, facts = {}) => write('warn', message, facts),
      error: (message, facts = {}) => write('error', message, facts),
    };
  }

  #write(component: string, severity: Severity, message: string, facts: LogFacts, v: number): void {
    if (severity === 'info' && v > this.verbosity) return;
    const { now, pid, print, event, isQuiet } = this.#options;
    const record = { severity, v, timeMs: now(), pid, component, message, facts };
    const text = this.#textOf(record);
    this.#ring.add({ timeMs: record.timeMs, text });
    if (severity === 'info' && isQuiet && this.#verbosity === null) return;
    if (event && this.#format === null) event(record);
    else print(`${text}\n`);
  }

  #textOf(record: LogRecord): string {
    const stack = record.severity === 'error' ? errorStackOf(record.facts['error']) : null;
    const facts = stack === null ? record.facts : { ...record.facts, stack };
    return formatLogRecord({ ...record, facts }, this.#format ?? 'text');
  }
}
