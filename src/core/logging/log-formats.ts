/**
 * Formats log records as lines, in klog's text format or in the JSON format of Kubernetes' kubelet.
 *
 * `text` is klog's format, with podkeep's component instead of the source file and line:
 *
 *     I1118 04:52:49.123000   12345 kubelet] "Successfully registered node" node="a"
 *     │└ month, day, local time     └ component
 *     └ I info, W warning, E error; then the process ID
 *
 * `json` is the format of Kubernetes' kubelet, one object a line, but with `logger` instead of `caller`, and
 * with `level`:
 *
 *     {"ts":1700000000000,"level":"info","logger":"kubelet","msg":"…","v":0,"pod":{"name":"a",…}}
 *
 * Invariants:
 *   1. A record is one line: line ends and control characters in it are escaped (klog prints texts of several
 *      lines as they are).
 *   2. An info line has `v`, an error has none, as in the JSON of Kubernetes' kubelet.
 */
import { quoteAsGo } from '../environment/go-quote.ts';
import { boundedText, kubeletFacts, type LogFact } from './log-facts.ts';
import type { LogRecord } from './log-record.ts';

export type LogFormat = 'text' | 'json';

const LETTERS = { info: 'I', warn: 'W', error: 'E' } as const;
const PID_WIDTH = 7;
const RESERVED: ReadonlySet<string> = new Set(['ts', 'level', 'logger', 'msg', 'v', 'caller']);
/**
 * Control characters that JSON.stringify does not escape (it escapes those below U+0020), but that terminals
 * interpret.
 */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u007f-\u009f\u2028\u2029]/g;

/** Without a line end. */
export function formatLogRecord(record: LogRecord, format: LogFormat): string {
  return format === 'json' ? jsonLine(record) : textLine(record);
}

function textLine(record: LogRecord): string {
  const { severity, timeMs, pid, component, message } = record;
  const head = `${LETTERS[severity]}${klogTime(timeMs)} ${String(pid).padStart(PID_WIDTH)} ${component}]`;
  const facts = kubeletFacts(record.facts).map((fact) => ` ${fact.key}=${factText(fact)}`);
  return `${head} ${quoteAsGo(boundedText(message))}${facts.join('')}`;
}

function factText({ value }: LogFact): string {
  if (value.type === 'text') return quoteAsGo(value.text);
  if (value.type === 'json') return escapeControl(value.json);
  const { namespace, name } = value;
  return quoteAsGo(namespace === '' ? name : `${namespace}/${name}`);
}

/** The clock has milliseconds; klog prints microseconds. */
function klogTime(timeMs: number): string {
  const time = new Date(timeMs);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(time.getMonth() + 1)}${two(time.getDate())}`;
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
  return `${day} ${clock}.${String(time.getMilliseconds()).padStart(3, '0')}000`;
}

function jsonLine(record: LogRecord): string {
  const { severity, timeMs, component, message, v } = record;
  const head = { ts: timeMs, level: severity, logger: component, msg: boundedText(message) };
  const start = JSON.stringify(severity === 'error' ? head : { ...head, v });
  const facts = kubeletFacts(record.facts).map((fact) => {
    const key = RESERVED.has(fact.key) ? `${fact.key}_` : fact.key;
    return `,${JSON.stringify(key)}:${factJson(fact)}`;
  });
  return escapeControl(`${start.slice(0, -1)}${facts.join('')}}`);
}

function factJson({ value }: LogFact): string {
  if (value.type === 'json') return value.json;
  if (value.type === 'text') return JSON.stringify(value.text);
  const { namespace, name } = value;
  return JSON.stringify(namespace === '' ? { name } : { name, namespace });
}

function escapeControl(json: string): string {
  return json.replaceAll(
    CONTROL,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}
