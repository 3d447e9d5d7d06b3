/**
 * Estimates how many instructions a pattern compiles to, without compiling it, because compiling a large one
 * takes seconds. A short pattern can have a long program: `(a{1,500}){2}`.
 */

/** Counts each letter, class and operator as one, multiplied by its maximum repetition. */
export function estimateProgram(pattern: string): number {
  /** The cost of the open groups so far, outermost first. */
  const open: number[] = [];
  let cost = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '(') {
      open.push(cost);
      cost = 0;
      last = 0;
    } else if (char === ')') {
      last = cost + 2;
      cost = (open.pop() ?? 0) + last;
    } else if (char === '{') {
      const [repeat, , most] = /^\{(\d+,)?(\d*)\}/.exec(pattern.slice(at, at + 12)) ?? [];
      const times = Number(most || repeat?.slice(1, -2) || 1);
      cost += last * Math.max(0, times - 1);
      at += (repeat?.length ?? 1) - 1;
    } else {
      if (char === '\\') at += 1;
      else if (char === '[') at = endOfClass(pattern, at);
      cost += 1;
      last = 1;
    }
  }
  return open.reduce((sum, outer) => sum + outer, cost);
}

function endOfClass(pattern: string, start: number): number {
  // A closing bracket right after the opening one is a character of the class.
  let at = pattern[start + 1] === '^' ? start + 2 : start + 1;
  for (at += 1; at < pattern.length && pattern[at] !== ']'; at += 1)
    if (pattern[at] === '\\') at += 1;
  return at;
}
