/** The path of the field being read in a configuration file, and the problems found in the whole file. */

export class ConfigPath {
  readonly path: string;
  /** The folder of the file: relative paths in it start here. */
  readonly folder: string;
  readonly #problems: string[];

  constructor(folder: string, path = '', problems: string[] = []) {
    this.folder = folder;
    this.path = path;
    this.#problems = problems;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** The path of a field inside this one. */
  field(name: string): ConfigPath {
    const plain = /^\w+$/.test(name);
    const step = plain ? (this.path === '' ? name : `.${name}`) : `[${JSON.stringify(name)}]`;
    return new ConfigPath(this.folder, `${this.path}${step}`, this.#problems);
  }

  item(index: number): ConfigPath {
    return new ConfigPath(this.folder, `${this.path}[${index}]`, this.#problems);
  }

  /** `problem` follows the path: `maxPods must be …`. */
  addProblem(problem: string): void {
    this.#problems.push(this.path === '' ? problem : `${this.path} ${problem}`);
  }
}
