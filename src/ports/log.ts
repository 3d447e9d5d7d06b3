/** Words for the people who run podkeep, with the facts beside them. It never throws. */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}
