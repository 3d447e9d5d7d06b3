/**
 * Compiles and renders the labels and annotations of alert rules: `{{ container.name }} restarted {{
 * container.restartCount }} times`. Between the braces is a CEL expression over the variables of the rule. An
 * expression that fails is rendered as `<error>`: a mistake in a text must not prevent the alert.
 */
import {
  Budget,
  CelError,
  compileProgram,
  type CelType,
  type CelValue,
  type Program,
} from '../../cel/cel.ts';
import { safeText } from './alert-text.ts';

export interface Template {
  readonly uses: ReadonlySet<string>;
  readonly render: (values: readonly (CelValue | undefined)[], charactersMax: number) => string;
}

/** The expression at `at` in the text of a template is wrong; `cause` is an error of compileProgram. */
export class TemplateFault extends Error {
  readonly at: number;
  constructor(at: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.at = at;
  }
}

const COST_MAX = 10_000;
const EXPRESSIONS_MAX = 20;

/** Throws TemplateFault. */
export function compileTemplate(text: string, variables: ReadonlyMap<string, CelType>): Template {
  const parts = partsOf(text, variables);
  const programs = parts.filter((part) => typeof part !== 'string');
  return {
    uses: new Set(programs.flatMap(({ uses }) => [...uses])),
    render: (values, charactersMax) =>
      safeText(
        parts.map((part) => (typeof part === 'string' ? part : print(part, values))).join(''),
        charactersMax,
      ),
  };
}

function partsOf(text: string, variables: ReadonlyMap<string, CelType>) {
  const parts: (string | Program)[] = [];
  let from = 0;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const close = text.indexOf('}}', open);
    if (close === -1) throw new TemplateFault(open, 'there is no }} after {{');
    if (parts.length > 2 * EXPRESSIONS_MAX) {
      throw new TemplateFault(open, `a text has at most ${EXPRESSIONS_MAX} expressions`);
    }
    parts.push(text.slice(from, open), compileAt(text, open + 2, close, variables));
    from = close + 2;
  }
  parts.push(text.slice(from));
  return parts;
}

function compileAt(
  text: string,
  from: number,
  to: number,
  variables: ReadonlyMap<string, CelType>,
): Program {
  try {
    return compileProgram(text.slice(from, to), variables);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const at = 'at' in error && typeof error.at === 'number' ? error.at : 0;
    throw new TemplateFault(from + at, error.message, error);
  }
}

function print(program: Program, values: readonly (CelValue | undefined)[]): string {
  try {
    const value = program.run(values, new Budget(COST_MAX));
    if (typeof value === 'number') return String(Math.round(value * 100) / 100);
    return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean'
      ? String(value)
      : '<no text>';
  } catch (error) {
    if (error instanceof CelError) return '<error>';
    throw error;
  }
}
