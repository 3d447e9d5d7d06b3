/**
 * Reads the JUnit file of a run of e2e.test in which one test was chosen, and makes it small: ginkgo
 * lists all seven thousand tests that were not chosen as skipped.
 *
 * Only a test that ran and passed has passed. One that skipped itself, that was interrupted or that the
 * file does not name has failed.
 */

export type Outcome =
  | { readonly passed: true }
  | { readonly passed: false; readonly state: string; readonly message: string };

interface TestCase {
  readonly name: string;
  readonly status: string;
  /** As it stands in the file. */
  readonly text: string;
}

const CASE = /<testcase\b([^>]*?)(?:\/>|>[\s\S]*?<\/testcase>)/g;
const MESSAGE =
  /<(?:failure|error|skipped)\b([^>]*?)(?:\/>|>([\s\S]*?)<\/(?:failure|error|skipped)>)/;
const NOT_RUN: Outcome = {
  passed: false,
  state: 'not run',
  message: 'the JUnit file does not name it',
};

export function outcomeOf(junit: string, test: string): Outcome {
  const cases = readCases(junit);
  const own = cases.find(({ name }) => isOf(name, test));
  const broken = cases.find(({ name, status }) => !isTest(name) && isBad(status));
  if (own?.status === 'passed') return { passed: true };
  // When the preparation fails, ginkgo reports the test as skipped.
  const shown = own && own.status !== 'skipped' ? own : (broken ?? own);
  if (!shown) return NOT_RUN;
  return { passed: false, state: shown.status, message: messageOf(shown.text) };
}

/** A file with the test and the suite's own steps alone. */
export function withoutOthers(junit: string, test: string): string {
  const kept = readCases(junit).filter(({ name, status }) => isOf(name, test) || isBad(status));
  const failures = kept.filter(({ status }) => status !== 'passed').length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${kept.length}" failures="${failures}">`,
    `<testsuite name="Kubernetes e2e suite" tests="${kept.length}" failures="${failures}">`,
    ...kept.map(({ text }) => text),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function readCases(junit: string): readonly TestCase[] {
  return [...junit.matchAll(CASE)].map(([text, attributes = '']) => ({
    name: attributeOf(attributes, 'name'),
    status: attributeOf(attributes, 'status'),
    text,
  }));
}

function isOf(name: string, test: string): boolean {
  return name === test || name === `[It] ${test}`;
}

/** The others are steps of the suite, such as [SynchronizedBeforeSuite]. */
function isTest(name: string): boolean {
  return name.startsWith('[It] ');
}

function isBad(status: string): boolean {
  return status !== 'passed' && status !== 'skipped' && status !== 'pending';
}

function messageOf(text: string): string {
  const [, attributes = '', content = ''] = MESSAGE.exec(text) ?? [];
  return decode(content).trim() || attributeOf(attributes, 'message');
}

function attributeOf(attributes: string, name: string): string {
  return decode(new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function decode(text: string): string {
  return text.replaceAll(/&(?:#x([0-9a-fA-F]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? whole;
  });
}
