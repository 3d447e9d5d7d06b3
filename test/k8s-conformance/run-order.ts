/**
 * Which test may run now: tests that need the cluster for themselves ([Serial], [Disruptive]) run one by
 * one after all others.
 */

export interface RunOrder {
  readonly together: readonly string[];
  readonly alone: readonly string[];
}

export function orderOf(tests: readonly string[]): RunOrder {
  const isAlone = (test: string): boolean => /\[(?:Serial|Disruptive)\]/.test(test);
  return {
    together: tests.filter((test) => !isAlone(test)),
    alone: tests.filter(isAlone),
  };
}

/** Runs `work` for each item, at most `count` at a time, in order. */
export async function inTurns<T>(
  items: readonly T[],
  count: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const turn = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(count, items.length) }, turn));
}
