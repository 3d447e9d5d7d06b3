/**
 * Negotiates the form of the response from the Accept header: JSON or YAML, and the object itself, only its
 * metadata, or a Table (`application/json;as=Table;v=v1;g=meta.k8s.io`).
 */
import { notAcceptable } from '../objects/status.ts';

export interface AnswerForm {
  readonly encoding: 'json' | 'yaml';
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata';
}

const ACCEPTED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
] as const;

const PLAIN: AnswerForm = { encoding: 'json', as: 'object' };

/** Throws a StatusError if no requested form is available. `hasTable`: the kind has columns. */
export function negotiate(accept: string | null, hasTable = true): AnswerForm {
  if (accept === null || accept === 'application/json' || accept.trim() === '') return PLAIN;
  const wishes = accept
    .split(',')
    .map(readWish)
    .toSorted((a, b) => b.quality - a.quality);
  for (const { type, params } of wishes) {
    const encoding = encodingOf(type);
    const as = formOf(params);
    if (as === 'Table' && !hasTable) continue;
    if (encoding && as) return { encoding, as };
  }
  throw notAcceptable(ACCEPTED);
}

interface Wish {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly quality: number;
}

function readWish(text: string): Wish {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const params = new Map(
    rest.map((part) => {
      const [key = '', value = ''] = part.split('=');
      return [key.toLowerCase(), value] as const;
    }),
  );
  const quality = Number(params.get('q') ?? 1);
  return { type: type.toLowerCase(), params, quality: Number.isNaN(quality) ? 0 : quality };
}

function encodingOf(type: string): AnswerForm['encoding'] | undefined {
  if (type === 'application/json' || type === '*/*' || type === 'application/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

function formOf(params: ReadonlyMap<string, string>): AnswerForm['as'] | undefined {
  const as = params.get('as');
  if (as === undefined) return 'object';
  if (params.get('g') !== 'meta.k8s.io' || params.get('v') !== 'v1') return undefined;
  if (as === 'Table') return 'Table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'
    ? 'PartialObjectMetadata'
    : undefined;
}
