/**
 * Prints /statusz and /flagz in the formats of Kubernetes v1.36: a text for people, and JSON of
 * config.k8s.io/v1beta1 (and v1alpha1, which is deprecated) for clients that request it.
 *
 * Kubernetes picks one of four delimiters at random for each answer, so that no program parses the text.
 * podkeep always uses the same one.
 */
import type { Json, JsonObject } from '../lib/json.ts';

export interface Statusz {
  /** `kubelet` or `kube-apiserver`. */
  readonly component: string;
  readonly startMs: number;
  readonly nowMs: number;
  readonly goVersion: string;
  readonly binaryVersion: string;
  readonly emulationVersion: string;
  /** Every path that is served. */
  readonly paths: readonly string[];
}

export type ZpageForm =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly version: string }
  | { readonly type: 'refused' };

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility ' +
  'guarantees and is for debugging purposes only.';
const GROUP = 'config.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set(['v1alpha1', 'v1beta1']);
/** Path prefixes of the API, which /statusz does not list: they are not debugging endpoints. */
const API_FOLDERS: ReadonlySet<string> = new Set([
  '/apis',
  '/api',
  '/openid',
  '/openapi',
  '/.well-known',
]);
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The form that an Accept header requests. JSON needs all three of `as`, `g` and `v`. */
export function zpageForm(accept: string | null, kind: 'Statusz' | 'Flagz'): ZpageForm {
  if (accept === null || accept.trim() === '') return { type: 'text' };
  for (const clause of accept.split(',')) {
    const [media = '', ...parameters] = clause.split(';').map((part) => part.trim());
    const given = new Map(parameters.map((part): [string, string] => splitOnce(part)));
    const isTarget = given.get('as') === kind && given.get('g') === GROUP;
    const version = given.get('v') ?? '';
    const isJson = media === 'application/json' || media === 'application/*' || media === '*/*';
    if (isJson && isTarget && VERSIONS.has(version)) return { type: 'json', version };
    const isText = media === 'text/plain' || media === 'text/*' || media === '*/*';
    if (isText && !given.has('as')) return { type: 'text' };
  }
  return { type: 'refused' };
}

export function statuszText(statusz: Statusz): string {
  const { component, startMs, goVersion, binaryVersion, emulationVersion } = statusz;
  const paths = debuggingPaths(statusz.paths).join(' ');
  const lines = [
    `Started: ${unixDate(startMs)}`,
    `Up: ${upTime(uptimeSeconds(statusz))}`,
    `Go version: ${goVersion}`,
    `Binary version: ${binaryVersion}`,
    emulationVersion === '' ? '' : `Emulation version: ${emulationVersion}`,
    paths === '' ? '' : `Paths: ${paths}`,
  ];
  return `\n${component} statusz\n${WARNING}\n\n${lines.join('\n')}\n`;
}

export function statuszObject(statusz: Statusz, version: string): JsonObject {
  const { component, startMs, goVersion, binaryVersion, emulationVersion } = statusz;
  return {
    ...headOf('Statusz', version, component),
    startTime: `${new Date(startMs).toISOString().slice(0, -'.000Z'.length)}Z`,
    uptimeSeconds: uptimeSeconds(statusz),
    goVersion,
    binaryVersion,
    ...(emulationVersion !== '' && { emulationVersion }),
    paths: debuggingPaths(statusz.paths),
  };
}

export function flagzText(component: string, flags: Readonly<Record<string, string>>): string {
  const lines = Object.keys(flags)
    .toSorted()
    .map((name) => `${name}=${(flags[name] ?? '').replaceAll(/\s/g, ' ')}\n`);
  return `\n${component} flagz\n${WARNING}\n${lines.join('')}`;
}

export function flagzObject(
  component: string,
  flags: Readonly<Record<string, string>>,
  version: string,
): JsonObject {
  return { ...headOf('Flagz', version, component), flags };
}

function headOf(kind: string, version: string, name: string): Readonly<Record<string, Json>> {
  return { kind, apiVersion: `${GROUP}/${version}`, metadata: { name } };
}

function debuggingPaths(paths: readonly string[]): readonly string[] {
  const folders = paths.map((path) => `/${path.split('/')[1] ?? ''}`);
  const shown = folders.filter((folder) => folder !== '/' && !API_FOLDERS.has(folder));
  return [...new Set(shown)].toSorted();
}

function uptimeSeconds({ startMs, nowMs }: Statusz): number {
  return Math.max(0, Math.floor((nowMs - startMs) / 1000));
}

function upTime(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} hr ${two(minutes % 60)} min ${two(seconds % 60)} sec`;
}

/** Go's time.UnixDate. */
function unixDate(ms: number): string {
  const time = new Date(ms);
  const clock = time.toISOString().slice('2006-01-02T'.length, '2006-01-02T15:04:05'.length);
  const day = String(time.getUTCDate()).padStart(2);
  const names = `${DAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]}`;
  return `${names} ${day} ${clock} UTC ${time.getUTCFullYear()}`;
}

function splitOnce(part: string): [string, string] {
  const [name = '', value = ''] = part.split(/=(.*)/s, 2);
  return [name.trim(), value.trim()];
}
