/** Where in a configuration file somebody reads, and the list of complaints about the whole file. */

export class Place {
  readonly path: string;
  /** Of the file: paths in it begin here. */
  readonly folder: string;
  readonly #complaints: string[];

  constructor(folder: string, path = '', complaints: string[] = []) {
    this.folder = folder;
    this.path = path;
    this.#complaints = complaints;
  }

  get complaints(): readonly string[] {
    return this.#complaints;
  }

  /** A field of this one. */
  field(name: string): Place {
    const plain = /^\w+$/.test(name);
    const step = plain ? (this.path === '' ? name : `.${name}`) : `[${JSON.stringify(name)}]`;
    return new Place(this.folder, `${this.path}${step}`, this.#complaints);
  }

  item(index: number): Place {
    return new Place(this.folder, `${this.path}[${index}]`, this.#complaints);
  }

  /** `problem` follows the path: `maxPods must be …`. */
  complain(problem: string): void {
    this.#complaints.push(this.path === '' ? problem : `${this.path} ${problem}`);
  }
}
