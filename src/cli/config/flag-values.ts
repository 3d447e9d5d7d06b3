/** Collects the flags of a command with their values, for /flagz. No flag of podkeep is a secret. */
import type { Command } from 'commander';

export function flagValuesOf(command: Command): Readonly<Record<string, string>> {
  const entries = command.options.flatMap((option): [string, string][] => {
    const name = option.long?.replace(/^--(?:no-)?/, '');
    if (name === undefined || name === 'help') return [];
    return [[name, textOf(command.getOptionValue(option.attributeName()))]];
  });
  return Object.fromEntries(entries);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
