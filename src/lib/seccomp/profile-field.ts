/**
 * One value of a seccomp profile that is being parsed, with its JSON path. Readers record faults and
 * continue, so that one error can name all of them.
 */
import { isJsonObject } from '../json.ts';
import type { ProfileFault } from './seccomp-errors.ts';

export class ProfileField {
  readonly #value: unknown;
  readonly #path: string;
  readonly #faults: ProfileFault[];

  constructor(value: unknown, path: string, faults: ProfileFault[]) {
    this.#value = value;
    this.#path = path;
    this.#faults = faults;
  }

  /** Null counts as absent: Go's encoder writes absent lists and pointers as null. */
  get isAbsent(): boolean {
    return this.#value === undefined || this.#value === null;
  }

  fault(reason: string): undefined {
    this.#faults.push({ path: this.#path, reason });
    return undefined;
  }

  /** Records a fault if the value is not an object; its fields are then absent. */
  expectObject(): boolean {
    if (isJsonObject(this.#value)) return true;
    this.fault('must be an object');
    return false;
  }

  field(key: string): ProfileField {
    const value =
      isJsonObject(this.#value) && Object.hasOwn(this.#value, key) ? this.#value[key] : undefined;
    const path = this.#path === '' ? key : `${this.#path}.${key}`;
    return new ProfileField(value, path, this.#faults);
  }

  /** Empty if absent. */
  items(): readonly ProfileField[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.#value)) {
      this.fault('must be a list');
      return [];
    }
    return this.#value.map(
      (item: unknown, index) => new ProfileField(item, `${this.#path}[${index}]`, this.#faults),
    );
  }

  /** A string with at least one character. */
  text(): string | undefined {
    if (typeof this.#value !== 'string') return this.fault('must be a string');
    return this.#value === '' ? this.fault('must not be empty') : this.#value;
  }

  texts(): readonly string[] {
    return this.items().flatMap((item) => item.text() ?? []);
  }

  oneOf<T>(choices: ReadonlyMap<string, T>): T | undefined {
    const text = this.text();
    if (text === undefined) return undefined;
    const choice = choices.get(text);
    if (choice !== undefined) return choice;
    return this.fault(`must be one of ${[...choices.keys()].join(', ')}, not ${quote(text)}`);
  }

  /** From 0 to `max`. */
  integer(max: bigint): bigint | undefined {
    const value = this.#value;
    const exact = typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
    if (typeof exact === 'bigint' && exact >= 0n && exact <= max) return exact;
    return this.fault(`must be an integer from 0 to ${max}`);
  }
}

/** Shortens a long text of a user, so that the error stays readable. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}
