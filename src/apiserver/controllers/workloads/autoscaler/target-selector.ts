/** Parses the pod selector in the Scale of an autoscaler's target. */
import type { LabelSelector } from '../../../../api/values/label-selector.ts';
import { parseLabelSelector } from '../../../../api/values/label-selector-text.ts';
import { PodkeepError } from '../../../../lib/errors.ts';

/** A string: the reason why it cannot be used. An empty selector counts as missing. */
export function parsedSelector(text: string): LabelSelector | string {
  if (text === '') return 'empty';
  try {
    return parseLabelSelector(text);
  } catch (error) {
    if (error instanceof PodkeepError) return error.message;
    throw error;
  }
}
