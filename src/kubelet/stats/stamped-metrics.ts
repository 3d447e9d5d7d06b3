/**
 * Prints metrics that are computed at each request, with a timestamp for each measurement. Series of
 * containers are not in a registry, because they would have to be removed from it with their containers.
 */
import { numberText } from '../../lib/metrics/number-text.ts';

export interface StampedFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly samples: readonly StampedSample[];
}

export interface StampedSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Absent: now. */
  readonly timeMs?: number;
}

/** Sorted by name; a family without a sample is omitted. */
export function stampedText(families: readonly StampedFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, type, help, samples }) => {
      const lines = samples.map((sample) => `${name}${sampleText(sample)}\n`).toSorted();
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

function sampleText({ labels, value, timeMs }: StampedSample): string {
  const pairs = Object.entries(labels)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => `${name}="${escapeValue(text)}"`);
  const braces = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  const stamp = timeMs === undefined ? '' : ` ${Math.floor(timeMs)}`;
  return `${braces} ${numberText(value)}${stamp}`;
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
