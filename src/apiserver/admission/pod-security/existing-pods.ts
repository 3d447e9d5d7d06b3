/**
 * Warns about existing pods that violate the new level of their namespace. Pods of one controller are alike,
 * so one pod of each controller is checked first; at most 3,000 pods are checked.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { structAt } from '../../objects/field-path.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { listOf, metadataOf, nameOf } from '../../objects/metadata.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { printLevel, type LevelVersion } from './level.ts';
import { describeReasons, violationsOf } from './standards.ts';

const PODS_MAX = 3000;

export function warnAboutPods(
  namespace: string,
  pods: readonly JsonObject[],
  enforce: LevelVersion,
): readonly string[] {
  const checked = oneOfEachFirst(pods).slice(0, PODS_MAX);
  const found = new Map<string, string[]>();
  for (const pod of checked) {
    const violations = violationsOf(
      { metadata: metadataOf(pod), spec: structAt(pod, 'spec') },
      enforce,
    );
    if (violations.length === 0) continue;
    const reasons = describeReasons(violations);
    found.set(reasons, [...(found.get(reasons) ?? []), nameOf(pod)]);
  }
  const warnings = [...found].map(([reasons, names]) => `${nameSome(names)}: ${reasons}`);
  const { length } = checked;
  const some = `new PodSecurity enforce level only checked against the first ${length} of ${pods.length} existing pods`;
  const title = `existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${printLevel(enforce)}"`;
  return [
    ...(length < pods.length ? [some] : []),
    ...(warnings.length > 0 ? [title] : []),
    ...warnings.toSorted((a, b) => (a < b ? -1 : 1)),
  ];
}

function oneOfEachFirst(pods: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<string>();
  const others: JsonObject[] = [];
  const first = pods.filter((pod) => {
    const controller = controllerOf(pod);
    if (controller === undefined || !seen.has(controller)) {
      if (controller !== undefined) seen.add(controller);
      return true;
    }
    others.push(pod);
    return false;
  });
  return [...first, ...others];
}

function controllerOf(pod: JsonObject): string | undefined {
  const owners = listOf(metadataOf(pod)['ownerReferences']).filter(isJsonObject);
  const owner = owners.find(({ controller }) => controller === true);
  return owner && readText(owner['uid']);
}

function nameSome(names: readonly string[]): string {
  const [first = ''] = names.toSorted((a, b) => (a < b ? -1 : 1));
  const others = names.length - 1;
  if (others === 0) return first;
  return `${first} (and ${others} other ${others === 1 ? 'pod' : 'pods'})`;
}
