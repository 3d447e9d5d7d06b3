import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

test('without options all tests run on podkeep up', () => {
  expect(readOptions([])).toEqual({
    on: 'up',
    focus: null,
    list: null,
    sample: false,
    nodes: 4,
    limitSeconds: 600,
    output: null,
  });
});

test('every option is read', () => {
  const words = ['--on', 'kubelet', '--focus', 'Pods should', '--nodes', '2', '--limit', '60'];
  expect(readOptions([...words, '--output', 'there'])).toEqual({
    on: 'kubelet',
    focus: /Pods should/,
    list: null,
    sample: false,
    nodes: 2,
    limitSeconds: 60,
    output: 'there',
  });
  expect(readOptions(['--sample'])).toMatchObject({ sample: true, limitSeconds: 150 });
  expect(readOptions(['--list', 'names.txt']).list).toBe('names.txt');
});

test.each([
  [['--on', 'minikube'], '--on minikube is none of'],
  [['--sample', '--focus', 'x'], 'choose one'],
  [['--focus', '('], '--focus ('],
  [['--nodes', '0'], '--nodes 0 is no number from 1 to 32'],
  [['--limit', '1.5'], '--limit 1.5 is no number'],
  [['--what'], 'Unknown option'],
  [['word'], 'positional'],
])('%j is refused', (words, message) => {
  expect(() => readOptions(words)).toThrow(message);
});
