/**
 * What `podkeep up` says while it works: sentences for people, or one JSON object a line for programs.
 * A program finds everything, errors too, in one stream.
 */
import { PodkeepError } from '../lib/errors.ts';
import type { Log, LogFacts } from '../ports/log.ts';

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
  /** The cluster is asked to sign; somebody may have to approve that. */
  | { readonly event: 'certificate'; readonly request: string; readonly signer: string }
  | { readonly event: 'running'; readonly command: readonly string[] }
  | { readonly event: 'exited'; readonly code: number }
  | { readonly event: 'stopping'; readonly signal: string | null }
  | { readonly event: 'stopped' };

export interface Narrator {
  readonly log: Log;
  readonly tell: (event: UpEvent) => void;
  readonly fail: (error: PodkeepError) => void;
}

export interface NarratorStreams {
  /** For results. */
  readonly out: (text: string) => void;
  /** For talk. */
  readonly err: (text: string) => void;
}

/** `isAlone`: no command follows, so people need to be told how to go on. */
export function narrateText({ out, err }: NarratorStreams, isAlone: boolean): Narrator {
  const say = (level: string) => (message: string, facts?: LogFacts) =>
    err(`${level} ${message}${printFacts(facts)}\n`);
  return {
    log: { debug: () => {}, info: () => {}, warn: say('warning'), error: say('error') },
    tell(event) {
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
    fail: (error) => err(printError(error)),
  };
}

export function narrateJson({ out }: NarratorStreams): Narrator {
  const line = (facts: Readonly<Record<string, unknown>>): void =>
    out(`${JSON.stringify(facts, printable)}\n`);
  const say = (level: string) => (message: string, facts?: LogFacts) =>
    line({ event: 'log', level, message, ...facts });
  return {
    log: { debug: () => {}, info: () => {}, warn: say('warn'), error: say('error') },
    tell: line,
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
      return `  asks     for a certificate of ${event.signer}, as ${event.request}`;
    case 'running':
      return `  running  ${event.command.join(' ')}`;
    case 'exited':
      return `  exited   with ${event.code}`;
    case 'stopping':
      return event.signal === null ? '' : `${event.signal}: stopping; once more to stop at once`;
    case 'stopped':
      return 'stopped';
  }
}

export function printError({ code, message, hint }: PodkeepError): string {
  return `error ${code}: ${message}\n  hint   ${hint}\n`;
}

function printFacts(facts: LogFacts = {}): string {
  return Object.entries(facts)
    .map(([name, value]) => ` ${name}=${JSON.stringify(value, printable)}`)
    .join('');
}

/** An Error has nothing that JSON would print. Where one of the world's came from helps nobody. */
function printable(_key: string, value: unknown): unknown {
  if (value instanceof PodkeepError) return `${value.code}: ${value.message}`;
  return value instanceof Error ? (value.stack ?? value.message) : value;
}

/** For a shell, if it needs to be. */
function quote(word: string): string {
  return /^[\w./:@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
