/**
 * Metrics that are made at the moment somebody asks, with the time of each measurement behind it. What
 * comes and goes with containers is not kept in a registry: there it would have to be forgotten again.
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

/** In the order of their names; one without a sample is left out. */
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
