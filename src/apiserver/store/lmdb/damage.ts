/** The error for a file whose content podkeep did not write. The caller adds the name of the file. */
export class Damage extends Error {
  override readonly name = 'Damage';
}
