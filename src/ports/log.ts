/**
 * Messages for the people who run podkeep, with structured facts. It never throws.
 *
 *     debug   an info line of verbosity 4: printed with `-v 4`
 *     info    printed if the verbosity is at least `v`, which is 0 unless it is given:
 *               0  what a person who runs a node always wants to see
 *               2  the steady state: pods that come and go, and what the sync loop does with them
 *               4  for the search of a fault
 *     warn    always printed; podkeep goes on, and something is worse than it could be
 *     error   always printed; something did not happen
 */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts, v?: number): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}
