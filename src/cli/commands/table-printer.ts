/**
 * Prints the server's Tables as kubectl does: columns three blanks apart and at least six wide, column names
 * in capitals, and only the first line of a text. A watch keeps the column widths of its first table. Control
 * characters are escaped.
 */
import { isJsonObject, type Json, type JsonObject } from '../../lib/json.ts';
import { printExactJson } from '../../lib/json-text/exact-json.ts';
import { visibleText } from '../terminal-text.ts';
import { objectsIn, textOf } from './kind-lookup.ts';

export interface TableForm {
  readonly isWide: boolean;
  readonly hasHeaders: boolean;
  readonly withNamespace: boolean;
  /** The prefix of names, such as `pod/`. */
  readonly prefix: string;
}

const PADDING = 3;
const WIDTH_MIN = 6;

export class TablePrinter {
  readonly #form: TableForm;
  #columns: readonly { readonly name: string; readonly index: number }[] = [];
  #widths: number[] = [];
  #hasPrinted = false;

  constructor(form: TableForm) {
    this.#form = form;
  }

  /** The lines of a Table. The first call includes the column names. */
  print(table: JsonObject): string {
    this.#readColumns(table['columnDefinitions']);
    const rows = objectsIn(table['rows']).map((row) => this.#cellsOf(row));
    const isFirst = !this.#hasPrinted && rows.length > 0;
    const lines = isFirst && this.#form.hasHeaders ? [this.#headers(), ...rows] : rows;
    if (rows.length > 0) this.#hasPrinted = true;
    for (const line of lines) {
      for (const [at, cell] of line.entries()) {
        this.#widths[at] = Math.max(this.#widths[at] ?? WIDTH_MIN, cell.length + PADDING);
      }
    }
    return lines.map((line) => `${this.#align(line)}\n`).join('');
  }

  /** In a watch, only the first Table has column definitions. */
  #readColumns(definitions: Json | undefined): void {
    const columns = objectsIn(definitions);
    if (columns.length === 0) return;
    this.#columns = columns.flatMap(({ name, priority = 0 }, index) =>
      this.#form.isWide || priority === 0 ? [{ name: visibleText(textOf(name)), index }] : [],
    );
  }

  #headers(): readonly string[] {
    const names = this.#columns.map(({ name }) => name.toUpperCase());
    return this.#form.withNamespace ? ['NAMESPACE', ...names] : names;
  }

  #cellsOf({ cells, object }: JsonObject): readonly string[] {
    const values: readonly Json[] = Array.isArray(cells) ? cells : [];
    const texts = this.#columns.map(({ index }) => printCell(values[index] ?? null));
    const [first = '', ...rest] = texts;
    const named = [`${this.#form.prefix}${first}`, ...rest];
    return this.#form.withNamespace ? [namespaceOf(object), ...named] : named;
  }

  #align(cells: readonly string[]): string {
    const last = cells.length - 1;
    return cells
      .map((cell, at) => (at === last ? cell : cell.padEnd(this.#widths[at] ?? WIDTH_MIN)))
      .join('');
  }
}

function printCell(cell: Json): string {
  if (cell === null) return '';
  if (typeof cell !== 'string')
    return visibleText(typeof cell === 'object' ? printExactJson(cell) : String(cell));
  const [line = '', ...more] = cell.split(/[\n\r\f]/);
  return visibleText(more.length > 0 ? `${line}...` : line);
}

function namespaceOf(object: Json | undefined): string {
  const metadata = isJsonObject(object) ? object['metadata'] : null;
  return isJsonObject(metadata) ? visibleText(textOf(metadata['namespace'])) : '';
}
