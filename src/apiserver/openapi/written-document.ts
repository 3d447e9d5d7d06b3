/**
 * An OpenAPI document, served as JSON and as protobuf. Each form is encoded when it is first requested; both
 * have the ETag of the JSON.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import { encodeDocument, type OpenApiVersion } from './protobuf/encode.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';

export class WrittenDocument {
  readonly #version: OpenApiVersion;
  readonly #write: () => JsonObject;
  #json: string | undefined;
  #tag: string | undefined;
  #protobuf: Uint8Array | undefined;

  constructor(version: OpenApiVersion, write: () => JsonObject) {
    this.#version = version;
    this.#write = write;
  }

  get json(): string {
    this.#json ??= printExactJson(this.#write());
    return this.#json;
  }

  /** Changes if and only if the document changes. */
  get tag(): string {
    this.#tag ??= entityTagOf(this.json);
    return this.#tag;
  }

  get protobuf(): Uint8Array {
    this.#protobuf ??= this.#encode();
    return this.#protobuf;
  }

  #encode(): Uint8Array {
    const document = this.#write();
    // Every request also needs the ETag, which is computed from the JSON.
    this.#json ??= printExactJson(document);
    return encodeDocument(this.#version, document);
  }
}

export function entityTagOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}
