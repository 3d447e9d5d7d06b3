/**
 * One document, in the two forms in which it is handed out. Both are made when they are first asked for,
 * and have the same tag: that of the JSON.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import { encodeDocument, type OpenApiVersion } from './protobuf/encode.ts';

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
    this.#json ??= JSON.stringify(this.#write());
    return this.#json;
  }

  /** It changes if, and only if, the document does. */
  get tag(): string {
    this.#tag ??= tagOf(this.json);
    return this.#tag;
  }

  get protobuf(): Uint8Array {
    this.#protobuf ??= this.#encode();
    return this.#protobuf;
  }

  #encode(): Uint8Array {
    const document = this.#write();
    // Whoever asks for this asks for the tag as well, and that is made of the JSON.
    this.#json ??= JSON.stringify(document);
    return encodeDocument(this.#version, document);
  }
}

export function tagOf(text: string): string {
  return createHash('sha512').update(text).digest('hex').toUpperCase();
}
