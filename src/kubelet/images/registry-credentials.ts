/**
 * Finds the credentials of a pull secret that match an image: their registry must be the image's, and their
 * path, if they have one, a prefix of the image's path. The most specific credentials come first.
 *
 *     *.example.com          any registry one level below
 *     example.com:5000/team  only images whose path begins with it
 *
 * `https://index.docker.io/v1/` is Docker's old name of its own registry: it is used for images of docker.io
 * if nothing else matches.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import type { Credentials } from '../../ports/runtime/image-store.ts';
import { parseImageName } from '../../api/values/image-name.ts';

export interface RegistryEntry {
  readonly host: string;
  readonly path: string;
  readonly credentials: Credentials;
}

const DOCKER = 'docker.io';
const DOCKER_INDEX = 'index.docker.io';

/** Reads the JSON of a `.dockerconfigjson`, or of the older `.dockercfg`. Invalid entries are skipped. */
export function readRegistryEntries(text: string): readonly RegistryEntry[] {
  const parsed: unknown = JSON.parse(text);
  if (!isJsonObject(parsed)) return [];
  const auths = parsed['auths'] ?? parsed;
  if (!isJsonObject(auths)) return [];
  return Object.entries(auths).flatMap(([registry, entry]) => {
    const credentials = isJsonObject(entry) ? credentialsFrom(entry) : null;
    return credentials ? [{ ...placeOf(registry), credentials }] : [];
  });
}

export function fittingCredentials(
  entries: readonly RegistryEntry[],
  image: string,
): readonly Credentials[] {
  const { domain, path } = parseImageName(image);
  // The kubelet's order: by their whole text, descending.
  const ordered = entries.toSorted((a, b) => compare(placeText(b), placeText(a)));
  const fitting = ordered.filter(
    (entry) => isHost(entry.host, domain) && path.startsWith(entry.path),
  );
  const others =
    domain === DOCKER ? ordered.filter((entry) => placeText(entry) === DOCKER_INDEX) : [];
  return (fitting.length > 0 ? fitting : others).map(({ credentials }) => credentials);
}

function credentialsFrom(entry: Readonly<Record<string, Json>>): Credentials | null {
  const { username, password, auth, identitytoken, registrytoken } = entry;
  const credentials: Credentials = {
    ...fromAuth(auth),
    ...(typeof username === 'string' && { username }),
    ...(typeof password === 'string' && { password }),
    ...(typeof identitytoken === 'string' && { identityToken: identitytoken }),
    ...(typeof registrytoken === 'string' && { registryToken: registrytoken }),
  };
  return Object.keys(credentials).length > 0 ? credentials : null;
}

/** `name:password` in base64. */
function fromAuth(auth: Json | undefined): Credentials {
  if (typeof auth !== 'string' || auth === '') return {};
  const text = Buffer.from(auth, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return { auth };
  return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/\0+$/, '') };
}

/** A protocol version of Docker at the beginning of a path is not part of it. */
function placeOf(registry: string): { readonly host: string; readonly path: string } {
  const [host = '', ...parts] = registry.replace(/^https?:\/\//, '').split('/');
  const isVersion = parts.length > 1 && (parts[0] === 'v1' || parts[0] === 'v2');
  return { host, path: parts.slice(isVersion ? 1 : 0).join('/') };
}

function placeText({ host, path }: RegistryEntry): string {
  return path === '' ? host : `${host}/${path}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A star matches one level of a name, or a part of it. Ports must be equal. */
function isHost(pattern: string, host: string): boolean {
  const [name = '', port = ''] = splitPort(pattern);
  const [otherName = '', otherPort = ''] = splitPort(host);
  if (port !== otherPort) return false;
  const levels = name.split('.');
  const others = otherName.split('.');
  return levels.length === others.length && levels.every((level, i) => matches(level, others[i]));
}

/** `*` is any text, `?` any character, and `[a-c]` one of these. */
function matches(pattern: string, text = ''): boolean {
  const source = pattern
    .replaceAll(/[^\w\-*?[\]^]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`).test(text);
  } catch {
    return false;
  }
}

function splitPort(host: string): readonly string[] {
  const colon = host.lastIndexOf(':');
  return colon < 0 ? [host] : [host.slice(0, colon), host.slice(colon + 1)];
}
