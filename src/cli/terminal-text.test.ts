import { expect, test } from 'vitest';
import { VisibleBytes, visibleText } from './terminal-text.ts';

test.each([
  ['\u001b]0;title\u0007', '^[]0;title^G'],
  ['\u001b[2J', '^[[2J'],
  ['a\rb', String.raw`a\rb`],
  ['\u009b31m\u007f', String.raw`\x9b31m^?`],
  ['\u0000', '^@'],
  ['tab\tand\nline, ü, 日本, 😀', 'tab\tand\nline, ü, 日本, 😀'],
])('%j is shown as %j', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test('text in pieces is shown whole, wherever the pieces end', () => {
  const bytes = Buffer.from('one\r\nß😀\u001b[31m\rtwo\r');
  for (let size = 1; size <= bytes.length; size++) {
    const visible = new VisibleBytes();
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      pieces.push(visible.next(bytes.subarray(at, at + size)));
    }
    const shown = Buffer.concat([...pieces, visible.end()]).toString();
    expect(shown).toBe(`one\r\nß😀^[[31m${String.raw`\rtwo\r`}`);
  }
});
