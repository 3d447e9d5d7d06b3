/**
 * Prints the progress of `podkeep up` and `podkeep kubelet`: sentences for people, or one JSON object per
 * line for programs. Programs find everything, including errors, in one stream.
 */
import { PodkeepError } from '../lib/errors.ts';
import { boundedText } from '../core/logging/log-facts.ts';
import type { LogRecord } from '../core/logging/log-record.ts';
import { isSecretKey, REDACTED } from '../core/logging/redaction.ts';
import { mapStack } from './crash-report.ts';
import { visibleText } from './terminal-text.ts';

const NAMES_MAX = 5;
const RESERVED: ReadonlySet<string> = new Set(['event', 'level', 'message']);

export type UpEvent =
  | { readonly event: 'starting'; readonly version: string; readonly dataDir: string }
  | { readonly event: 'opened'; readonly revision: number; readonly ms: number }
  | {
      readonly event: 'serving';
      readonly url: string;
      readonly kubeconfig: string;
      readonly ms: number;
    }
  | {
      readonly event: 'node';
      readonly name: string;
      readonly runtime: string;
      readonly ms: number;
    }
  /** The node has created a CertificateSigningRequest, which an administrator may have to approve. */
  | { readonly event: 'certificate'; readonly request: string; readonly signer: string }
  | { readonly event: 'running'; readonly command: readonly string[] }
  | { readonly event: 'exited'; readonly code: number }
  | { readonly event: 'stopping'; readonly signal: string | null }
  /** podkeep waits for these pods to stop. */
  | { readonly event: 'waiting'; readonly pods: readonly string[] }
  /** After a second signal: the pods that are left running, and how to stop them. */
  | {
      readonly event: 'left';
      readonly signal: string;
      readonly pods: readonly string[];
      readonly hint: string;
    }
  | { readonly event: 'stopped' };

export interface ConsoleProgress {
  /** Prints a log record as an event. Null: log lines have their own format (cli/logging/). */
  readonly logged: ((record: LogRecord) => void) | null;
  readonly notify: (event: UpEvent) => void;
  readonly fail: (error: PodkeepError) => void;
}

export interface ConsoleStreams {
  /** For results (stdout). */
  readonly out: (text: string) => void;
  /** For progress, warnings and errors (stderr). */
  readonly err: (text: string) => void;
}

/** `isAlone`: no command runs, so the output ends with a hint about how to continue. */
export function textProgress({ out, err }: ConsoleStreams, isAlone: boolean): ConsoleProgress {
  return {
    logged: null,
    notify(event) {
      if (event.event === 'serving') {
        err(`  serving  ${event.url} after ${event.ms} ms\n`);
        if (!isAlone) return;
        err('\n');
        out(`export KUBECONFIG=${quote(event.kubeconfig)}\n`);
        err('\nkubectl and every client library work with that. Ctrl-C stops the server.\n');
        return;
      }
      const line = describe(event);
      if (line !== '') err(`${line}\n`);
    },
    fail: (error) => err(visibleText(printError(error))),
  };
}

export function jsonProgress({ out }: ConsoleStreams): ConsoleProgress {
  const line = (facts: Readonly<Record<string, unknown>>): void =>
    out(`${JSON.stringify(facts)}\n`);
  return {
    logged: (record) => out(`${logEvent(record)}\n`),
    notify: line,
    fail: ({ code, message, hint }) => line({ event: 'failed', code, message, hint }),
  };
}

function describe(event: Exclude<UpEvent, { readonly event: 'serving' }>): string {
  switch (event.event) {
    case 'starting':
      return `podkeep ${event.version}\n  data     ${event.dataDir}`;
    case 'opened':
      return `  store    at revision ${event.revision}, open after ${event.ms} ms`;
    case 'node':
      return `  node     ${event.name} runs pods (${event.runtime}) after ${event.ms} ms`;
    case 'certificate':
      return `  csr      ${event.request} created for ${event.signer}`;
    case 'running':
      return `  running  ${event.command.join(' ')}`;
    case 'exited':
      return `  exited   with ${event.code}`;
    case 'stopping':
      return event.signal === null
        ? ''
        : `${event.signal}: stopping; a second signal ends podkeep immediately and leaves its pods running`;
    case 'waiting':
      return `  waiting  for ${listOf(event.pods)} to stop`;
    case 'left':
      return event.pods.length === 0
        ? `${event.signal}: ended immediately`
        : `${event.signal}: ended immediately; left running: ${listOf(event.pods)}\n  hint   ${event.hint}`;
    case 'stopped':
      return 'stopped';
  }
}

/** Lists only the first few pods: a node may have hundreds. */
function listOf(pods: readonly string[]): string {
  const names = pods.slice(0, NAMES_MAX).join(', ');
  const more = pods.length - NAMES_MAX;
  return more > 0 ? `${names} and ${more} more` : names;
}

export function printError({ code, message, hint }: PodkeepError): string {
  return `error ${code}: ${message}\n  hint   ${hint}\n`;
}

/** If the facts have a cycle, the line is printed without them. */
function logEvent({ severity: level, message, facts }: LogRecord): string {
  const head = { event: 'log', level, message };
  try {
    return JSON.stringify({ ...head, ...withoutReserved(facts) }, printable);
  } catch (error) {
    return JSON.stringify({ ...head, problem: String(error) });
  }
}

/** Renames facts whose names are fields of the event, so that neither is lost. */
function withoutReserved(facts: LogRecord['facts']): LogRecord['facts'] {
  const entries = Object.entries(facts);
  return Object.fromEntries(
    entries.map(([name, value]) => [RESERVED.has(name) ? `${name}_` : name, value]),
  );
}

/** JSON would print an Error as {}. The stack of an expected error is left out. */
function printable(key: string, value: unknown): unknown {
  if (isSecretKey(key)) return REDACTED;
  if (typeof value === 'string') return boundedText(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof PodkeepError) return `${value.code}: ${value.message}`;
  return value instanceof Error ? boundedText(mapStack(value.stack ?? value.message)) : value;
}

/** Quotes a word for a shell, if necessary. */
function quote(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
