/** Reads and writes PEM: DER in base64 between two lines with a label. */
import { defineError } from '../errors.ts';

const LINE_LENGTH = 64;

export const pemMissing = defineError<{ label: string }>({
  code: 'PEM_MISSING',
  retry: 'never',
  message: ({ label }) => `no ${label} block was found in the PEM data`,
  hint: ({ label }) => `The text must hold a block that begins with "-----BEGIN ${label}-----".`,
});

export function writePem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g'));
  return [`-----BEGIN ${label}-----`, ...(lines ?? []), `-----END ${label}-----`, ''].join('\n');
}

/** The first block with this label. */
export function readPem(label: string, text: string): Buffer {
  const block = new RegExp(`-----BEGIN ${label}-----\\s([\\w+/=\\s]+)-----END ${label}-----`);
  const found = block.exec(text)?.[1];
  if (found === undefined) throw pemMissing({ label });
  return Buffer.from(found, 'base64');
}
