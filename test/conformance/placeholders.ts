/** The placeholders of a recording: filled in requests, matched and bound in answers. */
import type { Difference } from './differences.ts';

const PLACEHOLDER = /<(ns|rv\d*|time\d*|rand|continue|token|age|uid\d+)>/g;
/** Bound when first seen: the same number is the same value. */
const NUMBERED = /^(uid|rv|time)\d+$/;
const MATCHES: Readonly<Record<string, string>> = {
  rv: '\\d*',
  time: '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z',
  rand: '[a-z0-9]{5}',
  continue: '[\\w-]+',
  token: '\\S+',
  age: '(?:\\d+[smhdy])+',
};
/** Messages that quote Go's own parsers: their code and reason are compared, not their text. */
const GO_WORDS =
  /json: |yaml: |strconv\.|unexpected end of|invalid character|illegal base64|in scheme "|cannot unmarshal|parsing time /;

/** The patched object in a message: its fields are in another order. */
const PATCHED = /(?<=Invalid value: ")\{\\".*\}(?=": )/s;

/** A resourceVersion that was recorded literally. */
const IN_RECORD = /(?<=ResourceVersion in record \()\d+/;

/** A generated name that was recorded literally. */
const GENERATED = /^gen-[a-z0-9]{5}$/;

export interface PlaceholderOptions {
  /** Managers were recorded; absent: they were left out. */
  readonly hasManagers?: boolean;
  /** Their order was recorded, too; absent: they were sorted. */
  readonly hasOrder?: boolean;
  /** Versions have numbers; absent: any version matches. */
  readonly hasNumbers?: boolean;
}

export class Placeholders {
  readonly #bound = new Map<string, string>();

  readonly #options: PlaceholderOptions;
  /** The last token that an answer had. */
  #continue = '';

  constructor(namespace: string, options: PlaceholderOptions = {}) {
    this.#bound.set('ns', namespace);
    this.#options = options;
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
      if (name === 'continue') return this.#continue;
      if (!name.startsWith('uid')) return this.#bound.get(name) ?? whole;
      // A UID that is not bound yet: that of no object.
      const uid =
        this.#bound.get(name) ??
        `00000000-0000-4000-8000-0000000000${name.slice(3).padStart(2, '0')}`;
      this.#bound.set(name, uid);
      return uid;
    });
  }

  compare(expected: unknown, actual: unknown, path = ''): readonly Difference[] {
    if (isColumn(path) || isRowObject(path)) return [];
    if (path.endsWith('.metadata.managedFields')) {
      if (!this.#options.hasManagers) return [];
      if (!this.#options.hasOrder && Array.isArray(expected) && Array.isArray(actual)) {
        return this.#compareItems(expected, byManager(actual), path);
      }
    }
    if (path.endsWith('.causes') && Array.isArray(expected) && Array.isArray(actual)) {
      // Go has no stable order for the entries of a map.
      return this.#compareItems(sorted(expected), sorted(actual), path);
    }
    if (Array.isArray(expected) && Array.isArray(actual)) {
      return this.#compareItems(expected, actual, path);
    }
    if (isRecord(expected) && isRecord(actual)) {
      return this.#compareFields(this.#withBoundKeys(expected), actual, path);
    }
    if (typeof expected === 'string' && typeof actual === 'string') {
      return this.#compareText(expected, actual, path);
    }
    return Object.is(expected, actual) ? [] : [{ path, expected, actual }];
  }

  /** Keys of managedFields may name objects by their UID. */
  #withBoundKeys(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return Object.fromEntries(
      Object.entries(record).map(([key, value]) => [
        key.replaceAll(PLACEHOLDER, (whole, name: string) => this.#bound.get(name) ?? whole),
        value,
      ]),
    );
  }

  #compareFields(
    expected: Readonly<Record<string, unknown>>,
    actual: Readonly<Record<string, unknown>>,
    path: string,
  ): readonly Difference[] {
    const keys = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...keys].flatMap((key) => this.compare(expected[key], actual[key], `${path}.${key}`));
  }

  #compareText(expected: string, actual: string, path: string): readonly Difference[] {
    if (path.endsWith('.message') && IN_RECORD.test(expected)) {
      const [lastReported, found] = [expected, actual].map((text) =>
        text.replace(IN_RECORD, '<rv>'),
      );
      return lastReported === found ? [] : [{ path, expected, actual }];
    }
    if (path.endsWith('.message') && PATCHED.test(expected) && PATCHED.test(actual)) {
      const [wanted = '', found = ''] = [expected, actual].map((text) => text.replace(PATCHED, ''));
      if (GO_WORDS.test(wanted)) return [];
      return wanted === found ? [] : [{ path, expected, actual }];
    }
    if (GENERATED.test(expected) && GENERATED.test(actual)) return [];
    if (path.endsWith('.message') && GO_WORDS.test(expected)) return [];
    if (path.endsWith('.message') && isSameInOtherOrder(expected, actual)) return [];
    if (path.endsWith('.metadata.continue')) this.#continue = actual;
    return this.#matches(expected, actual) ? [] : [{ path, expected, actual }];
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
      } else if (NUMBERED.test(name)) {
        names.push(name);
        pattern += name.startsWith('uid') ? '([0-9a-f-]{36})' : `(${MATCHES[kindOf(name)]})`;
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

function kindOf(name: string): string {
  return name.replace(/\d+$/, '');
}

/** As the recording has them: by operation, manager, version and subresource. */
function byManager(entries: readonly unknown[]): readonly unknown[] {
  const key = (entry: unknown): string =>
    isRecord(entry)
      ? ['operation', 'manager', 'apiVersion', 'subresource']
          .map((name) => JSON.stringify(entry[name] ?? ''))
          .join('\u0000')
      : '';
  return entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Descriptions are in our own words. */
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
