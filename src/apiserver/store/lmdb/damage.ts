/** A file has other contents than podkeep wrote. The caller adds the name of the file. */
export class Damage extends Error {
  override readonly name = 'Damage';
}
