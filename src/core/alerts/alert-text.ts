/**
 * Makes the texts of alerts safe. The owners of pods choose the names and messages of the pods, and alerts
 * carry these texts into Events, headers, terminals and other programs. So every text is limited in length,
 * and has no control characters and no halves of surrogate pairs.
 */
import { codePoints } from '../../lib/code-points.ts';

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

export const LABEL_CHARACTERS_MAX = 256;
export const ANNOTATION_CHARACTERS_MAX = 1024;

export function safeText(text: string, charactersMax: number): string {
  const clean = text.slice(0, charactersMax * 2).replaceAll(CONTROL, ' ');
  const points = codePoints(clean);
  if (points.length <= charactersMax) return clean;
  return `${points.slice(0, charactersMax - 1).join('')}…`;
}
