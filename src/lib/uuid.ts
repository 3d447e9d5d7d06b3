/** Formats sixteen random bytes as a UUID of version 4. */
export function uuidOf(bytes: Uint8Array): string {
  const own = Buffer.from(bytes.subarray(0, 16));
  own.writeUInt8(0x40 | (own.readUInt8(6) & 0x0f), 6); // the version
  own.writeUInt8(0x80 | (own.readUInt8(8) & 0x3f), 8); // the variant
  const text = own.toString('hex');
  return [
    text.slice(0, 8),
    text.slice(8, 12),
    text.slice(12, 16),
    text.slice(16, 20),
    text.slice(20),
  ].join('-');
}
