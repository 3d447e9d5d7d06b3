/**
 * Limits how deep the body of a request may nest.
 *
 * Validation, pruning, patches and printing are recursive, and a body of a few kilobytes can nest deeper than
 * any stack. So the depth is checked before any of them runs: in JSON text before it is parsed, and in values
 * from YAML and patches.
 *
 * kube-apiserver decodes up to 10,000 levels. No object of Kubernetes comes near this limit; a custom object
 * that exceeds it is refused with 400.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';

export const NESTING_MAX = 500;

/** Its message is sent to the client. */
export class NestingError extends Error {
  override readonly name = 'NestingError';

  constructor() {
    super(`the object is nested too deeply: this server takes at most ${NESTING_MAX} levels`);
  }
}

/** Whether JSON text nests deeper than the limit. */
export function isTextTooDeep(text: string): boolean {
  return opensMany(text) && surveyText(text).levels > NESTING_MAX;
}

/** The same for a value. `levels`: how many levels are left. */
export function isValueTooDeep(value: Json, levels = NESTING_MAX): boolean {
  let level: Json[] = [];
  pushOpen([value], level);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    const next: Json[] = [];
    for (const one of level) {
      if (Array.isArray(one)) pushOpen(one, next);
      else if (isJsonObject(one)) pushOpen(Object.values(one), next);
    }
    level = next;
  }
  return false;
}

function pushOpen(parts: readonly Json[], onto: Json[]): void {
  for (const part of parts) if (typeof part === 'object' && part !== null) onto.push(part);
}

/** Most bodies have fewer brackets than the limit, and counting them is faster than scanning the text. */
function opensMany(text: string): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count > NESTING_MAX) return true;
    }
  }
  return false;
}

export interface TextSurvey {
  readonly levels: number;
  /** The approximate number of fields and items. */
  readonly parts: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** The codes of curly and square brackets differ in one bit. */
const CURLY = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** One fast pass over JSON text, which need not be valid. */
export function surveyText(text: string): TextSurvey {
  let depth = 0;
  let levels = 0;
  let parts = 1;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isString = false;
    } else if (code === QUOTE) isString = true;
    else if (code === COMMA) parts += 1;
    else if ((code | CURLY) === OPENING) {
      depth += 1;
      parts += 1;
      if (depth > levels) levels = depth;
    } else if ((code | CURLY) === CLOSING) depth -= 1;
  }
  return { levels, parts };
}
