/** The selector of a target's pods, as its scale has it. */
import type { LabelSelector } from '../../../../api/values/label-selector.ts';
import { parseLabelSelector } from '../../../../api/values/label-selector-text.ts';
import { PodkeepError } from '../../../../lib/errors.ts';

/** A text: why it cannot be read. An empty selector is none. */
export function parsedSelector(text: string): LabelSelector | string {
  if (text === '') return 'empty';
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof PodkeepError) return error.message;
    throw error;
  }
}
