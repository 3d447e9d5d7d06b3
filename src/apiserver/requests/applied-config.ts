/** Parses the configuration of a server-side apply, which is YAML or JSON. */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { readJson } from '../decode/json-text.ts';
import { checkTextParts } from '../decode/object-limits.ts';
import { readYamlAsJson } from '../decode/yaml-worker.ts';
import { badRequest, StatusError } from '../objects/status.ts';

export interface AppliedConfig {
  readonly config: JsonObject;
  /** A duplicate key, of which the last value counts. Absent: there is none. */
  readonly duplicate?: string;
}

export async function readAppliedConfig(text: string): Promise<AppliedConfig> {
  try {
    return text.trimStart().startsWith('{') ? await readFlow(text) : await readYaml(text);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`error decoding YAML: ${why}`);
  }
}

/** JSON, or YAML in flow style. */
async function readFlow(text: string): Promise<AppliedConfig> {
  checkTextParts(text);
  try {
    const { value, duplicates } = readJson(text);
    const [first] = duplicates;
    const key = JSON.stringify(first?.slice(first.lastIndexOf('.') + 1));
    return {
      config: objectOf(value),
      ...(first !== undefined && { duplicate: `line 1: key ${key} already set in map` }),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return readYaml(text);
  }
}

async function readYaml(text: string): Promise<AppliedConfig> {
  const json = await readYamlAsJson(text, true);
  checkTextParts(json);
  const config = objectOf(readJson(json).value);
  try {
    await readYamlAsJson(text);
    return { config };
  } catch (error) {
    return { config, duplicate: describeDuplicate(text, String(error)) };
  }
}

/** Go's message, with the position that the YAML parser reports. */
function describeDuplicate(text: string, fault: string): string {
  const [, line = '1', column = '1'] = /at line (\d+), column (\d+)/.exec(fault) ?? [];
  const rest = text.split('\n')[Number(line) - 1]?.slice(Number(column) - 1) ?? '';
  const [, key = ''] = /^["']?([^"':\s]*)/.exec(rest) ?? [];
  return `line ${line}: key ${JSON.stringify(key)} already set in map`;
}

function objectOf(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  if (value === null) return {};
  const found = Array.isArray(value) ? 'array' : typeof value;
  throw new Error(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} ` +
      'into Go value of type map[string]interface {}',
  );
}
