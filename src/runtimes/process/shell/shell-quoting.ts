/** Quotes words for a POSIX shell: whatever is in them, the shell reads exactly one word. */
const PLAIN = /^[A-Za-z0-9_/.:=@%+,-]+$/;

export function quoteArgument(argument: string): string {
  if (PLAIN.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

export function quoteArguments(args: readonly string[]): string {
  return args.map(quoteArgument).join(' ');
}
