/**
 * Collects the errors of a value, and counts how much of it matched.
 *
 * If several schemas are tried and fail, the one with the most matches is reported. So matches are counted
 * exactly as in kube-apiserver, even where its counting is odd.
 */
import type { FieldError } from '../../../api/validation/field-error.ts';

/** The field of errors that belong to no field. */
export const NOWHERE = '<nil>';

export class Findings {
  /** By message, so that each is reported once. */
  readonly #errors = new Map<string, FieldError>();
  matches = 0;

  get errors(): readonly FieldError[] {
    return [...this.#errors.values()];
  }

  get isValid(): boolean {
    return this.#errors.size === 0;
  }

  /** `sentence`: the identity of the error; by default its detail. */
  add(error: FieldError, sentence = error.detail): void {
    if (!this.#errors.has(sentence)) this.#errors.set(sentence, error);
  }

  /** Adds an error that belongs to no field. */
  addGeneral(detail: string): void {
    this.add({ type: 'Invalid', field: NOWHERE, value: '', detail });
  }

  merge(other: Findings): void {
    for (const [sentence, error] of other.#errors) this.add(error, sentence);
    this.matches += other.matches;
  }

  /** The same matches without errors: for a value that was already invalid before the update. */
  forgiven(): Findings {
    const findings = new Findings();
    findings.matches = this.matches;
    return findings;
  }
}
