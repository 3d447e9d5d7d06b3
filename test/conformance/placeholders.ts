/** The placeholders of a recording: filled in on the way out, matched and bound on the way back. */
import type { Difference } from './differences.ts';

const PLACEHOLDER = /<(ns|rv|time|rand|continue|token|age|uid\d+)>/g;
const MATCHES: Readonly<Record<string, string>> = {
  rv: '\\d*',
  time: '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z',
  rand: '[a-z0-9]{5}',
  continue: '[\\w-]+',
  token: '\\S+',
  age: '(?:\\d+[smhdy])+',
};
/** Messages that quote Go's own parsers: their code and reason count, not their words. */
const GO_WORDS =
  /json: |yaml: |strconv\.|unexpected end of|invalid character|illegal base64|in scheme "|cannot unmarshal|parsing time /;

/** A version that was recorded as it was. */
const IN_RECORD = /(?<=ResourceVersion in record \()\d+/;

/** A generated name that was recorded as it was. */
const GENERATED = /^gen-[a-z0-9]{5}$/;

export class Placeholders {
  readonly #bound = new Map<string, string>();

  constructor(namespace: string) {
    this.#bound.set('ns', namespace);
  }

  fill(value: unknown, resourceVersion: string): unknown {
    if (typeof value === 'string') return this.fillText(value, resourceVersion);
    if (Array.isArray(value)) return value.map((item) => this.fill(item, resourceVersion));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        this.fillText(key, resourceVersion),
        this.fill(inner, resourceVersion),
      ]),
    );
  }

  fillText(text: string, resourceVersion: string): string {
    return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
      if (name === 'rv') return resourceVersion;
      if (!name.startsWith('uid')) return this.#bound.get(name) ?? whole;
      // A UID that nothing has yet: somebody else's.
      const uid =
        this.#bound.get(name) ??
        `00000000-0000-4000-8000-0000000000${name.slice(3).padStart(2, '0')}`;
      this.#bound.set(name, uid);
      return uid;
    });
  }

  compare(expected: unknown, actual: unknown, path = ''): readonly Difference[] {
    if (isColumn(path) || isRowObject(path)) return [];
    if (path.endsWith('.causes') && Array.isArray(expected) && Array.isArray(actual)) {
      // The entries of a map are checked in no order that Go would keep.
      return this.#compareItems(sorted(expected), sorted(actual), path);
    }
    if (Array.isArray(expected) && Array.isArray(actual)) {
      return this.#compareItems(expected, actual, path);
    }
    if (isRecord(expected) && isRecord(actual)) {
      const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
      return [...keys].flatMap((key) => this.compare(expected[key], actual[key], `${path}.${key}`));
    }
    if (typeof expected === 'string' && typeof actual === 'string') {
      if (path.endsWith('.message') && IN_RECORD.test(expected)) {
        const [said, found] = [expected, actual].map((text) => text.replace(IN_RECORD, '<rv>'));
        return said === found ? [] : [{ path, expected, actual }];
      }
      if (GENERATED.test(expected) && GENERATED.test(actual)) return [];
      if (path.endsWith('.message') && GO_WORDS.test(expected)) return [];
      if (path.endsWith('.message') && isSameInOtherOrder(expected, actual)) return [];
      return this.#matches(expected, actual) ? [] : [{ path, expected, actual }];
    }
    return Object.is(expected, actual) ? [] : [{ path, expected, actual }];
  }

  #compareItems(
    expected: readonly unknown[],
    actual: readonly unknown[],
    path: string,
  ): readonly Difference[] {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }).flatMap((_, index) =>
      this.compare(expected[index], actual[index], `${path}[${index}]`),
    );
  }

  #matches(expected: string, actual: string): boolean {
    const names: string[] = [];
    let last = 0;
    let pattern = '';
    for (const { 0: whole, 1: name = '', index } of expected.matchAll(PLACEHOLDER)) {
      pattern += escape(expected.slice(last, index));
      const bound = this.#bound.get(name);
      if (bound !== undefined) {
        pattern += escape(bound);
      } else if (name.startsWith('uid')) {
        names.push(name);
        pattern += '([0-9a-f-]{36})';
      } else {
        pattern += MATCHES[name] ?? escape(whole);
      }
      last = index + whole.length;
    }
    const match = new RegExp(`^${pattern}${escape(expected.slice(last))}$`, 's').exec(actual);
    if (!match) return false;
    for (const [index, name] of names.entries()) this.#bound.set(name, match[index + 1] ?? '');
    return true;
  }
}

/** Descriptions are our own words. */
function isColumn(path: string): boolean {
  return /\.columnDefinitions\[\d+\]\.description$/.test(path);
}

/** Left out of the recording. */
function isRowObject(path: string): boolean {
  return /\.rows\[\d+\]\.object$/.test(path);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `… is invalid: [this, that]` */
function isSameInOtherOrder(expected: string, actual: string): boolean {
  const parts = (text: string): string =>
    /\[.*\]$/s.exec(text)?.[0].slice(1, -1).split(', ').toSorted().join() ?? '';
  return parts(expected) !== '' && parts(expected) === parts(actual);
}

function sorted(items: readonly unknown[]): readonly unknown[] {
  const text = (item: unknown): string =>
    JSON.stringify(isRecord(item) ? Object.entries(item).toSorted(byName) : item);
  return items.toSorted((a, b) => (text(a) < text(b) ? -1 : 1));
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
