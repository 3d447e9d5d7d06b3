/** Something in a file is not as it was written. Whoever knows the name of the file tells the user. */
export class Damage extends Error {
  override readonly name = 'Damage';
}
