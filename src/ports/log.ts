/**
 * Port: writes log messages, with structured facts, for the people who run podkeep. It never throws.
 *
 *     debug   an info message of verbosity 4: printed with `-v 4`
 *     info    printed if the verbosity is at least `v`, which is 0 unless the caller sets it:
 *               0  messages that a person who runs a node always wants to see
 *               2  the pod updates and PLEG events that the sync loop handles, as in Kubernetes' kubelet
 *               4  messages for debugging
 *     warn    always printed: podkeep continues, but something is worse than it should be
 *     error   always printed: something failed
 */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts, v?: number): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}
