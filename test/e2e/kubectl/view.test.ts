import { expect, test } from 'vitest';
import { describeOutput } from './view.ts';

const PLACE = { address: 'https://127.0.0.1:1', folder: '/nowhere' };

function see(stdout: string, view: 'all' | 'fields' | 'json' | 'set' | 'code'): string {
  return describeOutput({ code: 0, stdout, stderr: '' }, view, PLACE);
}

test('explain keeps its fields and loses its prose', () => {
  const text = [
    'KIND:       Pod',
    'VERSION:    v1',
    '',
    'FIELD: restartPolicy <string>',
    'ENUM:',
    '    Always',
    '    Never',
    'DESCRIPTION:',
    '    Prose.',
    'FIELDS:',
    '  a\t<string> -required-',
    '  enum: x, y',
    '    word',
    '    more words',
  ].join('\n');
  expect(see(text, 'fields').split('\n')).toEqual([
    '[ended with 0]',
    'KIND:  Pod',
    'VERSION:  v1',
    'FIELD: restartPolicy <string>',
    'ENUM:',
    '    Always',
    '    Never',
    'FIELDS:',
    '  a  <string> -required-',
    '  enum: x, y',
  ]);
});

test('an object is the same whatever the order of its fields', () => {
  expect(see('{"b":{"d":1,"c":[{"f":1,"e":2}]},"a":1}', 'json')).toBe(
    see('{"a":1,"b":{"c":[{"e":2,"f":1}],"d":1}}', 'json'),
  );
});

test('stderr is shown under its name', () => {
  expect(describeOutput({ code: 1, stdout: '', stderr: 'oh' }, 'all', PLACE)).toBe(
    '[ended with 1]\n[stderr]\noh',
  );
});

test('an output that never came is shown first', () => {
  const output = { code: 0, stdout: 'x', stderr: '', awaited: '/y/' };
  expect(describeOutput(output, 'code', PLACE)).toMatch(/^\[what was awaited never came\]\n\/y\//);
});
