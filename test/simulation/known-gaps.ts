/**
 * Where podkeep is known to break one of its invariants, until somebody mends it.
 *
 * A gap is counted and shown instead of failing every history that steps into it. Whoever closes one
 * deletes its line here and the place that names it, and the invariant is whole again.
 */
export const KNOWN_GAPS = {
  'status refused after a restart':
    'after a crash a container runs again that the API says ended for good: its status is refused (12)',
  'end of a pod that may not restart':
    'a pod that may not restart and was stopped, but not written down as over, stays Pending (12)',
} as const;

export type KnownGap = keyof typeof KNOWN_GAPS;
