/**
 * What is wrong with a value, and how much of it was right.
 *
 * The second matters where several schemas are tried: of those that fail, the one that got furthest
 * says what is wrong. So the counting is kube-apiserver's, odd as it is in places.
 */
import type { FieldError } from '../../field-error.ts';

/** Errors that no field can be blamed for are said of the object as a whole. */
export const NOWHERE = '<nil>';

export class Findings {
  /** By their sentence: the same thing is said once. */
  readonly #errors = new Map<string, FieldError>();
  matches = 0;

  get errors(): readonly FieldError[] {
    return [...this.#errors.values()];
  }

  get isValid(): boolean {
    return this.#errors.size === 0;
  }

  /** `sentence`: what tells errors apart; the detail, unless there is none. */
  add(error: FieldError, sentence = error.detail): void {
    if (!this.#errors.has(sentence)) this.#errors.set(sentence, error);
  }

  /** About no field in particular. */
  addGeneral(detail: string): void {
    this.add({ type: 'Invalid', field: NOWHERE, value: '', detail });
  }

  merge(other: Findings): void {
    for (const [sentence, error] of other.#errors) this.add(error, sentence);
    this.matches += other.matches;
  }

  /** The same matches, and nothing wrong: for what was as wrong before. */
  forgiven(): Findings {
    const findings = new Findings();
    findings.matches = this.matches;
    return findings;
  }
}
