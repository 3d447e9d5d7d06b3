/** Converts IP addresses to and from bytes, as in certificates. */
import { assert } from '../assert.ts';
import { parseIp } from '../ip.ts';

const GROUPS = 8;

export function writeAddress(text: string): Buffer {
  const address = parseIp(text);
  assert(address !== undefined, `${text} is no IP address`);
  if (address.family === 4) return Buffer.from(address.text.split('.').map(Number));
  const [left = '', right = ''] = address.text.split('::');
  const [head, tail] = [left, right].map((side) => (side === '' ? [] : side.split(':')));
  const missing = GROUPS - (head?.length ?? 0) - (tail?.length ?? 0);
  const groups = [...(head ?? []), ...Array<string>(missing).fill('0'), ...(tail ?? [])];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Four bytes or sixteen. */
export function readAddress(bytes: Uint8Array): string {
  if (bytes.byteLength === 4) return bytes.join('.');
  const digits = Buffer.from(bytes).toString('hex');
  const text = digits.match(/.{4}/g)?.join(':') ?? '';
  return parseIp(text)?.text ?? text;
}
