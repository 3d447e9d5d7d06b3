/**
 * Puts the values of variables in the place of `$(NAME)`.
 *
 *     $(NAME)   the value; what nobody knows stays as it is written
 *     $$        one dollar, so `$$(NAME)` is the text `$(NAME)`
 *     $x, $(…   left as they are when no reference comes of them
 */

/** What is known of a name. Undefined: nothing. */
export type ValueOf = (name: string) => string | undefined;

export function expand(text: string, valueOf: ValueOf): string {
  let expanded = '';
  let from = 0;
  // A name that no other closes is looked for once: without that, a text of openers costs its square.
  const lastCloser = text.lastIndexOf(')');
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', from)) {
    expanded += text.slice(from, at);
    const next = text[at + 1];
    if (next === '$') {
      expanded += '$';
      from = at + 2;
    } else if (next === '(' && lastCloser > at + 1) {
      const end = text.indexOf(')', at + 2);
      const name = text.slice(at + 2, end);
      expanded += valueOf(name) ?? `$(${name})`;
      from = end + 1;
    } else {
      expanded += '$';
      from = at + 1;
    }
  }
  return expanded + text.slice(from);
}

/** The first of these tables that knows a name. */
export function valuesFrom(...tables: readonly ReadonlyMap<string, string>[]): ValueOf {
  return (name) => {
    for (const table of tables) {
      const value = table.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}
