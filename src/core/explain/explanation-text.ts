/**
 * Prints an explanation as plain sentences. Times are printed both absolute and relative to the time of the
 * explanation.
 *
 * Text from API objects is printed on one line and shortened, so that it cannot imitate a line of podkeep;
 * the caller escapes control characters for its terminal.
 */
import type { ExplainedCause, Explanation, TimelineEntry } from './explanation.ts';
import { formatSpan } from './time-span.ts';
import { parseTime } from '../../api/values/time.ts';

const TEXT_CHARS_MAX = 1000;
const ENTRIES_SHOWN_MAX = 25;
const MILLISECONDS = /\.\d{3}Z$/;

export function printExplanation(explanation: Explanation): string {
  const { summary, causes, timeline, notes, at } = explanation;
  const nowMs = parseTime(at).ms;
  const lines = [oneLine(summary)];
  for (const [index, cause] of causes.entries()) {
    lines.push('', ...causeLines(cause, causes.length > 1 ? `${index + 1}. ` : '', nowMs));
  }
  if (causes.length === 0) lines.push('', 'Nothing was found that it waits for.');
  if (timeline.length > 0) lines.push('', ...timelineLines(timeline, nowMs));
  if (notes.length > 0) lines.push('', ...notes.map((note) => `Note: ${oneLine(note)}`));
  return `${lines.join('\n')}\n`;
}

function causeLines(cause: ExplainedCause, number: string, nowMs: number): readonly string[] {
  const { what, since, tried, next, nextAt, advice } = cause;
  const indent = ' '.repeat(2 + number.length);
  const lines = [`  ${number}${oneLine(what)}`];
  if (since !== null) {
    lines.push(`${indent}Since: ${clockTime(since)}, for ${formatSpan(nowMs - ms(since))}.`);
  }
  if (tried !== null) lines.push(`${indent}Tried: ${oneLine(tried).replace(/\.$/, '')}.`);
  if (next !== null) lines.push(`${indent}Next:  ${oneLine(next)}${whenIs(nextAt, nowMs)}.`);
  if (advice.length > 0) {
    lines.push(`${indent}What you can do: ${advice.map(oneLine).join(' ')}`);
  }
  return lines;
}

function whenIs(at: string | null, nowMs: number): string {
  if (at === null) return '';
  const leftMs = ms(at) - nowMs;
  return leftMs <= 0
    ? `, now (due ${clockTime(at)})`
    : `, in ${formatSpan(leftMs)} (${clockTime(at)})`;
}

function timelineLines(timeline: readonly TimelineEntry[], nowMs: number): readonly string[] {
  const shown = timeline.slice(-ENTRIES_SHOWN_MAX);
  const hidden = timeline.length - shown.length;
  const more = hidden > 0 ? [`  ${hidden} older entries: -o json prints them.`] : [];
  return [
    'Timeline',
    ...more,
    ...shown.map(({ at, source, text, count, firstAt }) => {
      const times =
        count !== undefined && firstAt !== undefined
          ? ` (x${count} over ${formatSpan(ms(at) - ms(firstAt))})`
          : '';
      const age = `${formatSpan(nowMs - ms(at))} ago`;
      return `  ${clockTime(at)}  ${age.padEnd(AGE_WIDTH)}  ${oneLine(source)}: ${oneLine(text)}${times}`;
    }),
  ];
}

const AGE_WIDTH = 10;

function clockTime(iso: string): string {
  return iso.replace(MILLISECONDS, 'Z');
}

function ms(iso: string): number {
  return parseTime(iso).ms;
}

function oneLine(text: string): string {
  const cut = text.length > TEXT_CHARS_MAX ? `${text.slice(0, TEXT_CHARS_MAX)}…` : text;
  return cut.trim().replaceAll('\n', String.raw`\n`);
}
