/**
 * Parses and validates `/logs/?query=…` (node log query) as Kubernetes' kubelet does, with the same messages.
 *
 * podkeep serves only its own log: a query must be for `kubelet` or `podkeep`. For other services and for
 * files, the answer says that podkeep does not serve them; podkeep runs no journalctl and opens no file.
 */
import { parseTime } from '../../api/values/time.ts';

export interface NodeLogQuery {
  readonly services: readonly string[];
  readonly files: readonly string[];
  readonly sinceMs: number | null;
  readonly untilMs: number | null;
  readonly untilText: string;
  readonly boot: number | null;
  readonly tailLines: number | null;
  readonly pattern: string;
}

export type NodeLogQueryReading =
  | { readonly type: 'query'; readonly query: NodeLogQuery }
  /** The request is not a log query. */
  | { readonly type: 'none' }
  | { readonly type: 'invalid'; readonly message: string };

const TAIL_LINES_MAX = 100_000;
const SERVICES_MAX = 4;
const SERVICE_CHARACTERS_MAX = 256;
const PATTERN_CHARACTERS_MAX = 256;
const REPEATS_MAX = 100;

export function readNodeLogQuery(search: URLSearchParams): NodeLogQueryReading {
  const errors: string[] = [];
  const queries = search.getAll('query');
  const files = queries.filter((query) => /[/\\]/.test(query));
  const services = queries.filter((query) => !/[/\\]/.test(query) && query.trim() !== '');
  if (search.has('query') && files.length + services.length === 0) {
    errors.push(invalid('query', queries, 'may not be empty'));
  }
  const sinceMs = readTime(search, 'sinceTime', errors);
  const untilMs = readTime(search, 'untilTime', errors);
  const boot = readInteger(search, 'boot', errors);
  const tailLines = readInteger(search, 'tailLines', errors);
  const pattern = search.get('pattern') ?? '';
  const untilText = search.get('untilTime') ?? '';
  if (errors.length > 0) return { type: 'invalid', message: aggregate(errors) };
  const options = [sinceMs, untilMs, boot, tailLines];
  const isEmpty = options.every((option) => option === null) && pattern === '';
  if (isEmpty && files.length + services.length === 0) return { type: 'none' };
  const query = { services, files, sinceMs, untilMs, untilText, boot, tailLines, pattern };
  return { type: 'query', query };
}

/** Null: the query is valid. `isPattern` returns null, or why the text is not a regular expression. */
export function faultOfNodeLogQuery(
  query: NodeLogQuery,
  faultOfPattern: (pattern: string) => string | null,
): string | null {
  const { sinceMs, untilMs, untilText, boot, tailLines, pattern } = query;
  const errors = [...serviceErrors(query.services), ...fileErrors(query)];
  if (sinceMs !== null && untilMs !== null && sinceMs > untilMs) {
    errors.push(invalid('untilTime', untilText, 'must be after `sinceTime`'));
  }
  if (boot !== null && boot > 0) errors.push(invalid('boot', boot, 'must be less than 1'));
  if (tailLines !== null && (tailLines < 0 || tailLines > TAIL_LINES_MAX)) {
    const range = `must be between 0 and ${TAIL_LINES_MAX}, inclusive`;
    errors.push(invalid('tailLines', tailLines, range));
  }
  const fault = sizeFaultOf(pattern) ?? faultOfPattern(pattern);
  if (fault !== null) errors.push(invalid('pattern', pattern, fault));
  return errors.length === 0 ? null : aggregate(errors);
}

function serviceErrors(services: readonly string[]): readonly string[] {
  const errors = services.flatMap((service) => {
    if (service.length > SERVICE_CHARACTERS_MAX) {
      return [invalid('query', service, `length must be less than ${SERVICE_CHARACTERS_MAX}`)];
    }
    const isSafe = /^[a-zA-Z\-_.:0-9@]+$/.test(service);
    return isSafe ? [] : [invalid('query', service, 'input contains unsupported characters')];
  });
  if (services.length <= SERVICES_MAX) return errors;
  const tooMany = `query: Too many: ${services.length}: must have at most ${SERVICES_MAX} items`;
  return [...errors, tooMany];
}

function fileErrors(query: NodeLogQuery): readonly string[] {
  const { files, services } = query;
  if (files.length === 0 && services.length === 0) {
    return ['query: Required value: cannot be empty with options'];
  }
  if (files.length === 0) return [];
  if (services.length > 0) {
    const given = `[${files.join(' ')}], [${services.join(' ')}]`;
    return [invalid('query', given, 'cannot specify a file and service')];
  }
  if (files.length > 1) return [invalid('query', files, 'cannot specify more than one file')];
  const { sinceMs, untilMs, boot, tailLines, pattern } = query;
  const hasOptions =
    [sinceMs, untilMs, boot, tailLines].some((one) => one !== null) || pattern !== '';
  if (hasOptions) return [invalid('query', files, 'cannot specify file with options')];
  return [invalid('query', files, 'podkeep serves no files; query kubelet for its own log')];
}

/** Limits the size of a pattern: it is matched in linear time, but against thousands of lines. */
function sizeFaultOf(pattern: string): string | null {
  if (pattern.length > PATTERN_CHARACTERS_MAX) {
    return `must have at most ${PATTERN_CHARACTERS_MAX} characters`;
  }
  const repeats = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Math.max(Number(least), Number(most ?? 0)),
  );
  const product = repeats.reduce((all, one) => all * Math.max(one, 1), 1);
  return product > REPEATS_MAX ? `must repeat at most ${REPEATS_MAX} times in all` : null;
}

function readTime(search: URLSearchParams, name: string, errors: string[]): number | null {
  const text = search.get(name) ?? '';
  if (text === '') return null;
  try {
    return parseTime(text).ms;
  } catch {
    errors.push(invalid(name, text, 'invalid time format'));
    return null;
  }
}

function readInteger(search: URLSearchParams, name: string, errors: string[]): number | null {
  const text = search.get(name) ?? '';
  if (text === '') return null;
  const value = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(value)) return value;
  const reason = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  errors.push(invalid(name, text, `strconv.Atoi: parsing ${JSON.stringify(text)}: ${reason}`));
  return null;
}

function invalid(
  field: string,
  value: string | number | readonly string[],
  detail: string,
): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

/** Joins errors as Go's aggregate does: each one once. */
function aggregate(errors: readonly string[]): string {
  const unique = [...new Set(errors)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}
