import { describe, expect, test } from 'vitest';
import { parseManifest } from './manifest-text.ts';

const FILE = '/etc/manifests/web.yaml';

function parse(text: string) {
  return parseManifest(text, FILE);
}

function pod(name: string): string {
  return `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\n`;
}

describe('a manifest', () => {
  test('may be YAML or JSON', async () => {
    const web = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
    expect(await parse(pod('web'))).toEqual([web]);
    expect(await parse(JSON.stringify(web))).toEqual([web]);
  });

  test('may hold several documents, and nothing between them', async () => {
    const names = async (text: string): Promise<unknown> =>
      (await parse(text)).map(({ metadata }) => metadata);
    expect(await names(`---\n${pod('a')}---\n# nothing\n---\n${pod('b')}---\n`)).toEqual([
      { name: 'a' },
      { name: 'b' },
    ]);
  });

  test('may be a list, whose items may omit apiVersion and kind', async () => {
    const list = `apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: a}}]`;
    expect(await parse(list)).toEqual([{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }]);
    const mixed = `apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod}]`;
    expect(await parse(mixed)).toEqual([{ apiVersion: 'v1', kind: 'Pod' }]);
  });

  test('is read as Kubernetes reads YAML', async () => {
    const text = `${pod('web')}spec: {mode: 0644, yes: on, ports: 22:22, day: 2030-01-02, big: 1_000}`;
    const [web] = await parse(text);
    expect(web?.['spec']).toEqual({
      mode: 420,
      true: true,
      ports: '22:22',
      day: '2030-01-02',
      big: 1000,
    });
  });

  test('keeps keys that are also JavaScript properties', async () => {
    const [web] = await parse(`${pod('web')}spec: {__proto__: {a: 1}, constructor: b}`);
    expect(Object.keys(web?.['spec'] ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(web?.['spec'])).toBe(Object.prototype);
  });
});

describe('a manifest that cannot be used gives the reason and its name', () => {
  const bomb = `a: &a [x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n`;
  test.each([
    ['', 'it is empty'],
    ['# only a note\n', 'it is empty'],
    ['kind: [', 'at line 1'],
    ['hello', 'it does not hold an object'],
    ['apiVersion: v1\nkind: Service', 'it holds "v1" "Service", not a v1 Pod'],
    ['kind: Pod', 'it holds "" "Pod", not a v1 Pod'],
    ['apiVersion: v1\nkind: PodList\nitems: []', 'it is empty'],
    [
      `${pod('web')}spec: {big: 9007199254740993}`,
      'spec.big is a number that cannot be represented exactly',
    ],
    [`${pod('web')}spec: {big: .inf}`, 'spec.big is a number that cannot be represented exactly'],
    [bomb, 'alias'],
  ])('%j: %s', async (text, problem) => {
    await expect(parse(text)).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      message: expect.stringContaining(problem),
    });
    await expect(parse(text)).rejects.toThrow(FILE);
  });
});
