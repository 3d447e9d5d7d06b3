/**
 * Warnings about a pod template in another object: those of a pod, under the path of the template. An update
 * repeats them only if it changes the generation, because a client that only sets labels did not write the
 * template.
 */
import { checkDns1123Label } from '../../../../api/validation-names.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { structAt } from '../../../objects/field-path.ts';
import type { KindRules } from '../../../objects/kind.ts';
import { metadataOf, nameOf } from '../../../objects/metadata.ts';
import { warnAboutPod } from './pod-warnings.ts';

/**
 * `path`: the path of the template in the object. `namesPods`: the pods' names and hostnames contain the
 * object's name.
 */
export function templateWarnings(
  path: string,
  namesPods: boolean,
): Required<Pick<KindRules, 'updateWarnings' | 'warnings'>> {
  const ofTemplate = (object: JsonObject): readonly string[] =>
    [...warnAboutPod(structAt(object, path))].map((sentence) => `${path}.${sentence}`);
  return {
    warnings: (object) => [...(namesPods ? nameWarnings(object) : []), ...ofTemplate(object)],
    updateWarnings: (object, old) =>
      metadataOf(object)['generation'] === metadataOf(old)['generation'] ? [] : ofTemplate(object),
  };
}

function nameWarnings(object: JsonObject): readonly string[] {
  const problems = checkDns1123Label(nameOf(object));
  if (problems.length === 0) return [];
  const advice = 'a DNS label is recommended';
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ${advice}: [${problems.join(' ')}]`,
  ];
}
