/**
 * Replaces what differs from run to run by placeholders: names of namespaces, UIDs, versions, times, random
 * suffixes, tokens and ages. And the other way around for requests, which use what an earlier answer gave.
 */

const PLACEHOLDER = /<(ns|rv\d*|continue|uid\d+)>/g;
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const AGE = /^(?:\d+[smhdy])+$/;
/** Times further from now than this came with a request. */
const NEAR_MS = 3_600_000;
/** Versions that messages quote. */
const QUOTED_VERSION = /(?<=current: |in record \()\d+/g;

/** A longer base of a name is cut. */
const GENERATED_BASE_MAX = 58;

type Fields = Readonly<Record<string, unknown>>;

export class Redaction {
  readonly #namespace: string;
  readonly #isNumbered: boolean;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  /** UIDs of requests: they stay as they are. */
  readonly #literal = new Set<string>();
  /** What generated names begin with. */
  readonly #bases = new Set<string>();
  #continue = '';

  constructor(namespace: string, isNumbered: boolean) {
    this.#namespace = namespace;
    this.#isNumbered = isNumbered;
  }

  fill(value: unknown, version: string): unknown {
    if (typeof value === 'string') return this.fillText(value, version);
    if (Array.isArray(value)) return value.map((item) => this.fill(item, version));
    if (!isFields(value)) return value;
    const { generateName: base } = value;
    if (typeof base === 'string') this.#bases.add(base.slice(0, GENERATED_BASE_MAX));
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, this.fill(inner, version)]),
    );
  }

  fillText(text: string, version: string): string {
    for (const [uid] of text.matchAll(UID)) this.#literal.add(uid);
    return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
      if (name === 'ns') return this.#namespace;
      if (name === 'rv') return version;
      if (name === 'continue') return this.#continue;
      const known = name.startsWith('uid') ? this.#uids : this.#versions;
      return [...known].find(([, given]) => given === whole)?.[0] ?? whole;
    });
  }

  redact(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return this.#redactText(value, key);
    if (Array.isArray(value)) return value.map((item) => this.redact(item, key));
    if (!isFields(value)) return value;
    const whole = value['kind'] === 'Table' ? withoutRowObjects(value) : value;
    return Object.fromEntries(
      Object.entries(whole)
        .filter(([name]) => name !== 'managedFields')
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, inner]) => [name, this.redact(inner, name)]),
    );
  }

  #redactText(text: string, key: string): string {
    if (key === 'resourceVersion' && /^\d+$/.test(text)) return this.#version(text);
    if (key === 'token') return '<token>';
    if (key === 'cells' && AGE.test(text)) return '<age>';
    if (key === 'continue') {
      this.#continue = text;
      return '<continue>';
    }
    let redacted = text.replaceAll(this.#namespace, '<ns>');
    for (const base of this.#bases) {
      const pattern = `(?<=${base.replaceAll('.', String.raw`\.`)})[bcdfghjklmnpqrstvwxz2-9]{5}(?![\\w])`;
      redacted = redacted.replaceAll(new RegExp(pattern, 'g'), '<rand>');
    }
    redacted = redacted.replaceAll(UID, (uid) => this.#uid(uid)).replaceAll(TIME, near);
    return key === 'message' ? redacted.replaceAll(QUOTED_VERSION, '<rv>') : redacted;
  }

  #version(version: string): string {
    if (!this.#isNumbered) return '<rv>';
    const known = this.#versions.get(version) ?? `<rv${this.#versions.size + 1}>`;
    this.#versions.set(version, known);
    return known;
  }

  #uid(uid: string): string {
    if (this.#literal.has(uid) && !this.#uids.has(uid)) return uid;
    const known = this.#uids.get(uid) ?? `<uid${this.#uids.size + 1}>`;
    this.#uids.set(uid, known);
    return known;
  }
}

function near(time: string): string {
  return Math.abs(Date.parse(time) - Date.now()) < NEAR_MS ? '<time>' : time;
}

function withoutRowObjects(table: Fields): Fields {
  const rows = Array.isArray(table['rows']) ? (table['rows'] as readonly Fields[]) : null;
  return { ...table, rows: rows?.map(({ object: _object, ...row }) => row) ?? table['rows'] };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
