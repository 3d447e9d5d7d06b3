/** Reads the fields of one part of a kubeconfig; every error names the file and the path of the field. */
import path from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { kubeconfigInvalid } from './kubeconfig-errors.ts';

export class ConfigFields {
  readonly file: string;
  readonly path: string;
  readonly #object: JsonObject;

  constructor(file: string, fieldPath: string, object: JsonObject) {
    this.file = file;
    this.path = fieldPath;
    this.#object = object;
  }

  /** Undefined: the field is absent, null or empty. */
  text(name: string): string | undefined {
    const value = this.#read(name);
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw this.invalid(name, 'must be a string');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#read(name) ?? false;
    if (typeof value !== 'boolean') throw this.invalid(name, 'must be true or false');
    return value;
  }

  texts(name: string): readonly string[] {
    return this.#list(name).map((item, index) => {
      if (typeof item !== 'string') throw this.invalid(`${name}[${index}]`, 'must be a string');
      return item;
    });
  }

  part(name: string): ConfigFields | undefined {
    const value = this.#read(name);
    if (value === undefined || value === null) return undefined;
    if (!isJsonObject(value)) throw this.invalid(name, 'must be a mapping');
    return new ConfigFields(this.file, this.pathTo(name), value);
  }

  parts(name: string): readonly ConfigFields[] {
    return this.#list(name).map((item, index) => {
      const inner = `${name}[${index}]`;
      if (!isJsonObject(item)) throw this.invalid(inner, 'must be a mapping');
      return new ConfigFields(this.file, this.pathTo(inner), item);
    });
  }

  /** A mapping of names to lists of texts. */
  textLists(name: string): readonly (readonly [string, readonly string[]])[] {
    const part = this.part(name);
    return part ? Object.keys(part.#object).map((key) => [key, part.texts(key)]) : [];
  }

  /** Any JSON value. */
  json(name: string): Json | undefined {
    return this.#read(name);
  }

  /** A path that is relative to the folder of the kubeconfig. */
  filePath(name: string): string | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : path.resolve(path.dirname(this.file), value);
  }

  /** Decodes a field in base64. */
  data(name: string): string | undefined {
    const value = this.text(name)?.replaceAll(/\s/g, '');
    if (value === undefined) return undefined;
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value) || value.length % 4 !== 0) {
      throw this.invalid(name, 'is not valid base64');
    }
    return Buffer.from(value, 'base64').toString('utf8');
  }

  invalid(name: string, problem: string): Error {
    return kubeconfigInvalid({ file: this.file, field: this.pathTo(name), problem });
  }

  pathTo(name: string): string {
    return [this.path, name].filter((part) => part !== '').join('.');
  }

  #list(name: string): readonly Json[] {
    const value = this.#read(name);
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw this.invalid(name, 'must be a list');
    return value;
  }

  #read(name: string): Json | undefined {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
  }
}
