/**
 * Where podkeep is known to break one of its invariants, until somebody mends it.
 *
 * A gap is counted and shown instead of failing every history that steps into it. Whoever closes one
 * deletes its line here and the place that names it, and the invariant is whole again.
 */
export const KNOWN_GAPS = {
  'start that outlived podkeep':
    'a container that was to be replaced starts after podkeep crashed; its status is refused for ever (12)',
  'end of a pod that may not restart':
    'a pod that may not restart, stopped before it ran and not yet written down as over, is Pending for ever after a restart (12)',
} as const;

export type KnownGap = keyof typeof KNOWN_GAPS;
