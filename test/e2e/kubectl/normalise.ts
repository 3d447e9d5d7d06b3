/**
 * Makes two outputs comparable: values that depend on time, chance or the server become placeholders in
 * angle brackets, and the blanks that align a table become a fixed number.
 */

/** What differs between two servers that behave the same. */
export interface ConfigPath {
  readonly address: string;
  readonly folder: string;
}

const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
/** Generated names have no vowels, so that they form no words. */
const SUFFIX = /-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

/** In this order: an earlier pattern may contain a later one. */
const RULES: readonly (readonly [RegExp, string])[] = [
  // kubectl warns about a watch that it gives up within its first second; whether it does is chance.
  [/^W\d{4} .*very short watch.*\n?/gm, ''],
  // Podkeep's own additions: warnings about kinds on which it does not act, and a binding.
  [/^Warning: podkeep .*\n?/gm, ''],
  [/^clusterrolebinding\S*\/podkeep:\S+\n?/gm, ''],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<TOKEN>'],
  [/\b\d{4}-\d\d-\d\d(?:T| )\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| [+-]\d{4})?/g, '<TIME>'],
  [/\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, '<TIME>'],
  [UID, '<UID>'],
  [/\bX509SHA256=[0-9a-f]{64}\b/g, 'X509SHA256=<HASH>'],
  [/(resource ?version(?:\\?")?[:=] *\\?"?)\d+/gi, '$1<VERSION>'],
  [/^[EWI]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]/gm, '<LOG>'],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, '/tmp/$1'],
  [/\/tmp\/kubectl-edit-\d+/g, '/tmp/kubectl-edit'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<CLUSTER-IP>'],
  [/(nodePort(?:")?: ?|\b\d+:|NodePort: +\S+ +)3[0-2]\d{3}\b/g, '$1<NODE-PORT>'],
  [SUFFIX, '-<SUFFIX>'],
];

const AGE = /^(?:\d+[smhdy]){1,2}$|^<invalid>$/;
const EVENT_AGE = /^(?:\d+[smhd]){1,2} \(x(\d+) over (?:\d+[smhd]){1,2}\)$/;

export function normalise(text: string, { address, folder }: ConfigPath): string {
  const placed = text
    .replaceAll(address, '<SERVER>')
    .replaceAll(address.replace('https://', ''), '<HOST>')
    .replaceAll(folder, '<FOLDER>');
  const plain = RULES.reduce((result, [from, to]) => result.replaceAll(from, to), placed);
  return plain.split('\n').map(normaliseLine).join('\n').trimEnd();
}

/** Keeps the indentation, which has a meaning, and evens out the gaps between the columns. */
function normaliseLine(line: string): string {
  const indentation = /^\s*/.exec(line)?.[0] ?? '';
  const cells = line
    .slice(indentation.length)
    .trimEnd()
    .split(/ {2,}|\t+/);
  return indentation + cells.map(normaliseCell).join('  ');
}

function normaliseCell(cell: string): string {
  if (AGE.test(cell)) return '<AGE>';
  return cell.replace(EVENT_AGE, '<AGE> (x$1)');
}
