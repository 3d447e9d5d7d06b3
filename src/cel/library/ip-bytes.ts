/** Converts between the text of an IP address and its bytes. */
import { parseIp } from '../../lib/ip.ts';

/** `text`: a valid address in its shortest form. */
export function bytesOfIp(text: string): readonly number[] {
  if (!text.includes(':')) return text.split('.').map(Number);
  const [head = '', tail] = text.split('::');
  const [left, right] = [groupsOf(head), groupsOf(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: missing }, () => 0), ...right];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): readonly number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

export function printIp(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  return parseIp(groups.join(':'))?.text ?? '';
}
