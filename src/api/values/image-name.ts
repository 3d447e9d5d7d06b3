/**
 * Parses and compares image names: `[domain/]path[:tag][@digest]`. A name without tag and digest means
 * `:latest`.
 *
 * Two names mean the same image if they are equal once the omitted parts are filled in; runtimes report
 * names in that full form.
 */
import { defineError } from '../../lib/errors.ts';

const DEFAULT_DOMAIN = 'docker.io';
const DEFAULT_FOLDER = 'library';
const DEFAULT_TAG = 'latest';
const NAME_LENGTH_MAX = 255;

const SEPARATOR = '(?:[._]|__|[-]+)';
const COMPONENT = `[a-z0-9]+(?:${SEPARATOR}[a-z0-9]+)*`;
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const TAG = /^[\w][\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

export interface ImageName {
  readonly domain: string;
  readonly path: string;
  readonly tag: string;
  readonly digest: string;
}

export const imageNameInvalid = defineError<{ image: string; reason: string }>({
  code: 'INVALID_IMAGE_NAME',
  retry: 'never',
  message: ({ image, reason }) => `couldn't parse image name ${JSON.stringify(image)}: ${reason}`,
  hint: () => 'Write it like nginx, nginx:1.27 or registry.example.com/team/app@sha256:…',
});

export function parseImageName(image: string): ImageName {
  const [beforeDigest = '', ...digests] = image.split('@');
  const slash = beforeDigest.lastIndexOf('/');
  const colon = beforeDigest.indexOf(':', slash + 1);
  const name = colon < 0 ? beforeDigest : beforeDigest.slice(0, colon);
  const tag = colon < 0 ? '' : beforeDigest.slice(colon + 1);
  const digest = digests.join('@');
  const { domain, path } = splitDomain(name);
  const isValid =
    DOMAIN.test(domain) &&
    PATH.test(path) &&
    name.length <= NAME_LENGTH_MAX &&
    (colon < 0 || TAG.test(tag)) &&
    (digests.length === 0 || DIGEST.test(digest));
  if (!isValid) throw imageNameInvalid({ image, reason: reasonFor(path) });
  return { domain, path, tag: tag || (digest ? '' : DEFAULT_TAG), digest };
}

/** Whether both name the same image. Null: one of them is no valid name. */
export function isSameImage(a: string, b: string): boolean | null {
  if (a === b) return true;
  try {
    return JSON.stringify(parseImageName(a)) === JSON.stringify(parseImageName(b));
  } catch {
    return null;
  }
}

/** The first part is a registry if it looks like a host, or cannot be anything else. */
function splitDomain(name: string): { readonly domain: string; readonly path: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const isDomain =
    slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const domain = isDomain ? first : DEFAULT_DOMAIN;
  const path = isDomain ? name.slice(slash + 1) : name;
  const isShort = domain === DEFAULT_DOMAIN && !path.includes('/');
  return { domain, path: isShort ? `${DEFAULT_FOLDER}/${path}` : path };
}

function reasonFor(path: string): string {
  const isUpper = path !== path.toLowerCase() && PATH.test(path.toLowerCase());
  if (!isUpper) return 'invalid reference format';
  return `invalid reference format: repository name (${path}) must be lowercase`;
}
