/**
 * Replaces `$(NAME)` by the value of the variable.
 *
 *     $(NAME)   the value; an unknown name stays as it is written
 *     $$        one dollar, so `$$(NAME)` is the text `$(NAME)`
 *     $x, $(…   stay as they are: they are no references
 */

/** The value of a name. Undefined: it is unknown. */
export type ValueOf = (name: string) => string | undefined;

export function expand(text: string, valueOf: ValueOf): string {
  let expanded = '';
  let from = 0;
  // An unclosed reference is searched for once: otherwise a text of openers takes quadratic time.
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

/** The value in the first of these tables that has the name. */
export function valuesFrom(...tables: readonly ReadonlyMap<string, string>[]): ValueOf {
  return (name) => {
    for (const table of tables) {
      const value = table.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}
