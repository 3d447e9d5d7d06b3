/**
 * Reads a configuration file: one or two YAML documents, or one JSON document.
 *
 *     kubelet.config.k8s.io/v1beta1  KubeletConfiguration   as Kubernetes' kubelet reads it
 *     podkeep.dev/v1alpha1           PodkeepConfiguration   settings that only podkeep has
 *
 * All mistakes of a file are reported together, each with its path.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { configInvalid, configUnreadable } from './config-errors.ts';
import { checkTogether } from './config-relations.ts';
import { suggest } from './did-you-mean.ts';
import { kubeletSection, podkeepSection, type KubeletConfig } from './kubelet-config.ts';
import { ConfigPath } from './config-path.ts';
import { readYamlDocuments } from './yaml-documents.ts';

const KUBELET = 'kubelet.config.k8s.io/v1beta1 KubeletConfiguration';
const PODKEEP = 'podkeep.dev/v1alpha1 PodkeepConfiguration';

/** `defaults`, by the field names of the file, apply to fields that the file does not set or sets to zero. */
export async function readConfigFile(
  file: string,
  defaults: Partial<KubeletConfig>,
): Promise<KubeletConfig> {
  const documents = await readYamlDocuments(await readText(file), file);
  const at = new ConfigPath(path.dirname(path.resolve(file)));
  const parts = sortByKind(documents, at);
  const given = parts.get(KUBELET) ?? {};
  const kubelet = kubeletSection.read(given, at);
  const podkeep = podkeepSection.read(parts.get(PODKEEP) ?? {}, at);
  const unset = Object.entries(defaults).filter(([name]) => !given[name]);
  const whole = { ...kubelet, podkeep, ...Object.fromEntries(unset) };
  const config = checkTogether(whole, given, at);
  const { problems } = at;
  if (problems.length > 0) throw configInvalid({ file, problems });
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

/** The documents by kind, without `apiVersion` and `kind`. */
function sortByKind(
  documents: readonly unknown[],
  at: ConfigPath,
): ReadonlyMap<string, JsonObject> {
  const parts = new Map<string, JsonObject>();
  for (const document of documents) {
    if (!isJsonObject(document)) {
      at.addProblem('it must hold a mapping of fields to values');
      continue;
    }
    const { apiVersion, kind, ...fields } = document;
    const name = `${textOf(apiVersion)} ${textOf(kind)}`;
    if (name !== KUBELET && name !== PODKEEP) at.addProblem(describeStranger(name));
    else if (parts.has(name)) at.addProblem(`it has ${name} twice`);
    parts.set(name, fields);
  }
  if (documents.length === 0) at.addProblem('it is empty');
  return parts;
}

function describeStranger(name: string): string {
  const given = name.trim() === '' ? 'nothing' : name.trim();
  const hint = suggest(name, [KUBELET, PODKEEP]);
  return `apiVersion and kind must be ${KUBELET} or ${PODKEEP}, not ${given}${hint}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
