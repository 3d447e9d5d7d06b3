/**
 * Collects the audit annotations of validating policies for one request: those of their expressions, and the
 * first failed validation of a binding with the action Audit.
 */
import type { AdmissionRequest } from '../../registry/admission.ts';
import type { Binding } from './policy-source.ts';
import type { Denial } from './validating-policy.ts';

const FAILURE_KEY = 'validation.policy.admission.k8s.io/validation_failure';
const VALUE_BYTES_MAX = 10 * 1024;

export class AuditAnnotations {
  readonly #request: AdmissionRequest;
  readonly #values = new Map<string, Set<string>>();
  #hasFailure = false;

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** Equal values of several bindings are listed once. */
  add(policy: string, key: string, value: string): void {
    const name = `${policy}/${key}`;
    const values = this.#values.get(name) ?? new Set();
    values.add(Buffer.from(value).subarray(0, VALUE_BYTES_MAX).toString());
    this.#values.set(name, values);
  }

  /** An annotation has one value, so only the first failure is recorded. */
  failed(policy: string, { name: binding, actions }: Binding, { index, message }: Denial): void {
    if (this.#hasFailure) return;
    this.#hasFailure = true;
    const failure = {
      message,
      policy,
      binding,
      expressionIndex: index,
      validationActions: actions,
    };
    this.#request.annotate?.(FAILURE_KEY, JSON.stringify([failure]));
  }

  publish(): void {
    for (const [key, values] of this.#values) {
      this.#request.annotate?.(key, [...values].join(', '));
    }
  }
}
