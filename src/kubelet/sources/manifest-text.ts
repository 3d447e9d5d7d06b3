/**
 * Parses the text of a manifest, YAML or JSON, into objects.
 *
 * YAML is read as Kubernetes reads it: `yes` and `on` are true, 0644 is octal. Values of types that JSON does
 * not have stay text: times, and base-sixty numbers such as 22:22, which are meant as ports.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { manifestInvalid } from './manifest-errors.ts';

/** Every Pod of the text, those in lists too, in order. Throws MANIFEST_INVALID. */
export async function parseManifest(text: string, file: string): Promise<readonly JsonObject[]> {
  const documents = await parseDocuments(text, file);
  const pods = documents.flatMap((document) => podsOf(document, file));
  if (pods.length === 0) throw manifestInvalid({ file, problem: 'it is empty' });
  for (const pod of pods) checkNumbers(pod, file);
  return pods;
}

async function parseDocuments(text: string, file: string): Promise<readonly unknown[]> {
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, {
    version: '1.1',
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || !isNoJson(tag)),
  });
  return [...documents].flatMap((document) => {
    const [error] = document.errors;
    if (error) throw manifestInvalid({ file, problem: error.message }, error);
    if (document.contents === null) return []; // nothing but comments
    try {
      const value: unknown = document.toJS();
      return value === null ? [] : [value];
    } catch (error) {
      // Such as aliases that expand to too many nodes.
      const problem = error instanceof Error ? error.message : String(error);
      throw manifestInvalid({ file, problem }, error);
    }
  });
}

interface Tag {
  readonly tag: string;
  readonly format?: string;
}

const NO_JSON: ReadonlySet<string> = new Set(['timestamp', 'omap', 'set', 'pairs', 'binary']);

function isNoJson({ tag, format }: Tag): boolean {
  return format === 'TIME' || NO_JSON.has(tag.replace('tag:yaml.org,2002:', ''));
}

function podsOf(value: unknown, file: string): readonly JsonObject[] {
  if (!isJsonObject(value)) throw manifestInvalid({ file, problem: 'it does not hold an object' });
  const { apiVersion, kind, items } = value;
  if (apiVersion === 'v1' && kind === 'Pod') return [value];
  if (apiVersion === 'v1' && (kind === 'PodList' || kind === 'List') && Array.isArray(items)) {
    const list: readonly Json[] = items;
    // Items of a PodList may omit apiVersion and kind.
    const implied = kind === 'PodList' ? { apiVersion, kind: 'Pod' } : {};
    return list.flatMap((item) =>
      podsOf(isJsonObject(item) ? { ...implied, ...item } : item, file),
    );
  }
  const found = [apiVersion, kind].map((word) => JSON.stringify(word ?? '')).join(' ');
  throw manifestInvalid({ file, problem: `it holds ${found}, not a v1 Pod` });
}

/** An integer that JavaScript cannot represent exactly would reach the API as another number. */
function checkNumbers(value: Json | undefined, file: string, path = ''): void {
  if (typeof value === 'number') {
    if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) return;
    throw manifestInvalid({
      file,
      problem: `${path} is a number that cannot be represented exactly`,
    });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    checkNumbers(inner, file, path === '' ? key : `${path}.${key}`);
  }
}
