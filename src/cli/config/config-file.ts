/**
 * A configuration file: one or two YAML documents, or one of JSON.
 *
 *     kubelet.config.k8s.io/v1beta1  KubeletConfiguration   as the kubelet reads it
 *     podkeep.dev/v1alpha1           PodkeepConfiguration   what only podkeep has
 *
 * Everything that is wrong with it is said at once, each mistake by its path.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { configInvalid, configUnreadable } from './config-errors.ts';
import { checkTogether } from './config-relations.ts';
import { suggest } from './did-you-mean.ts';
import { kubeletSection, podkeepSection, type KubeletConfig } from './kubelet-config.ts';
import { Place } from './place.ts';
import { readYamlDocuments } from './yaml-documents.ts';

const KUBELET = 'kubelet.config.k8s.io/v1beta1 KubeletConfiguration';
const PODKEEP = 'podkeep.dev/v1alpha1 PodkeepConfiguration';

/** `defaults` by the names of the file's own fields, for those that it does not name or sets to zero. */
export async function readConfigFile(
  file: string,
  defaults: Partial<KubeletConfig>,
): Promise<KubeletConfig> {
  const documents = await readYamlDocuments(await readText(file), file);
  const place = new Place(path.dirname(path.resolve(file)));
  const parts = sortByKind(documents, place);
  const said = parts.get(KUBELET) ?? {};
  const kubelet = kubeletSection.read(said, place);
  const podkeep = podkeepSection.read(parts.get(PODKEEP) ?? {}, place);
  const unsaid = Object.entries(defaults).filter(([name]) => !said[name]);
  const whole = { ...kubelet, podkeep, ...Object.fromEntries(unsaid) };
  const config = checkTogether(whole, said, place);
  const { complaints } = place;
  if (complaints.length > 0) throw configInvalid({ file, complaints });
  return config;
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw configUnreadable({ file, reason }, error);
  }
}

/** The documents by what they are, without the two fields that say it. */
function sortByKind(documents: readonly unknown[], place: Place): ReadonlyMap<string, JsonObject> {
  const parts = new Map<string, JsonObject>();
  for (const document of documents) {
    if (!isJsonObject(document)) {
      place.complain('it must hold a mapping of fields to values');
      continue;
    }
    const { apiVersion, kind, ...fields } = document;
    const name = `${textOf(apiVersion)} ${textOf(kind)}`;
    if (name !== KUBELET && name !== PODKEEP) place.complain(describeStranger(name));
    else if (parts.has(name)) place.complain(`${name} stands in it twice`);
    parts.set(name, fields);
  }
  if (documents.length === 0) place.complain('it is empty');
  return parts;
}

function describeStranger(name: string): string {
  const said = name.trim() === '' ? 'nothing' : name.trim();
  const hint = suggest(name, [KUBELET, PODKEEP]);
  return `apiVersion and kind must say ${KUBELET} or ${PODKEEP}, and say ${said}${hint}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
