/** Finds broken links of a packed page: relative links to files that are not in the package. */
import path from 'node:path';

export function brokenLinks(page: string, packed: readonly string[]): readonly string[] {
  const targets = [...page.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const relative = targets.filter((target) => !/^(?:[a-z]+:|#)/.test(target));
  return relative.filter((target) => {
    const file = path.posix.normalize((target.split('#')[0] ?? '').replace(/\/$/, ''));
    return !packed.some((one) => one === file || one.startsWith(`${file}/`));
  });
}
