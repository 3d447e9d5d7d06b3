/**
 * Finds the tag of an image, which determines the default pull policy.
 *
 * An image without a tag means `latest`, unless it has a digest. A text that is not an image reference has no
 * tag; the kubelet will report what is wrong with it.
 */

const COMPONENT = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const PATH = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const DOMAIN_LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = new RegExp(
  `^(?:${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`,
);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const IMAGE_ID = /^[a-f0-9]{64}$/;
const NAME_LENGTH_MAX = 255;

/**
 * `latest` if there is neither tag nor digest. Undefined: there is only a digest, or the image is invalid.
 */
export function imageTagOf(image: string): string | undefined {
  if (IMAGE_ID.test(image)) return undefined;
  const at = image.indexOf('@');
  const digest = at < 0 ? undefined : image.slice(at + 1);
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  const { name, tag } = splitTag(at < 0 ? image : image.slice(0, at));
  if (!isImageName(name) || (tag !== undefined && !TAG.test(tag))) return undefined;
  return tag ?? (digest === undefined ? 'latest' : undefined);
}

/** A colon after the last slash starts a tag; one before it, a port. */
function splitTag(text: string): { readonly name: string; readonly tag: string | undefined } {
  const colon = text.lastIndexOf(':');
  if (colon < 0 || text.includes('/', colon)) return { name: text, tag: undefined };
  return { name: text.slice(0, colon), tag: text.slice(colon + 1) };
}

function isImageName(name: string): boolean {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(slash, 0));
  const hasDomain =
    slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const path = hasDomain ? name.slice(slash + 1) : name;
  // Names without a domain belong to docker.io, and names without a folder to docker.io/library.
  const full = hasDomain ? name : `docker.io/${path.includes('/') ? path : `library/${path}`}`;
  return (!hasDomain || DOMAIN.test(first)) && PATH.test(path) && full.length <= NAME_LENGTH_MAX;
}
