import { expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { TablePrinter, type TableForm } from './table-printer.ts';

const PLAIN: TableForm = { isWide: false, hasHeaders: true, withNamespace: false, prefix: '' };

function table(...rows: readonly (readonly (string | number | null)[])[]): JsonObject {
  return {
    kind: 'Table',
    columnDefinitions: [
      { name: 'Name', priority: 0 },
      { name: 'Restarts', priority: 0 },
      { name: 'Age', priority: 0 },
      { name: 'Node', priority: 1 },
    ],
    rows: rows.map((cells) => ({ cells, object: { metadata: { namespace: 'ns-1' } } })),
  };
}

function print(form: Partial<TableForm>, ...tables: readonly JsonObject[]): string {
  const printer = new TablePrinter({ ...PLAIN, ...form });
  return tables.map((one) => printer.print(one)).join('');
}

test('columns stand three blanks apart, and are six wide at least', () => {
  expect(print({}, table(['a', 0, '5s', 'n'], ['a-long-name', 12, '3d', 'n']))).toBe(
    'NAME          RESTARTS   AGE\na             0          5s\na-long-name   12         3d\n',
  );
  expect(print({ hasHeaders: false }, table(['a', 1, '5s', 'n']))).toBe('a     1     5s\n');
});

test('integers have all their digits, in lists too', () => {
  const cells = [['a', 2n ** 60n, [2n ** 60n], 'n']];
  const rows = cells.map((one) => ({ cells: one, object: {} }));
  expect(print({ hasHeaders: false }, { ...table(), rows })).toBe(
    'a     1152921504606846976   [1152921504606846976]\n',
  );
});

test('what is not important is shown on request', () => {
  expect(print({ isWide: true }, table(['a', 0, '5s', 'node-1']))).toBe(
    'NAME   RESTARTS   AGE   NODE\na      0          5s    node-1\n',
  );
});

test('namespaces and kinds stand in front', () => {
  expect(print({ withNamespace: true, prefix: 'pod/' }, table(['a', 0, '5s', null]))).toBe(
    'NAMESPACE   NAME    RESTARTS   AGE\nns-1        pod/a   0          5s\n',
  );
});

test('of a text with several lines the first is shown, and of nothing nothing', () => {
  expect(print({ hasHeaders: false }, table(['a\nb', null, '5s', null]))).toBe('a...         5s\n');
});

test('a watch names its columns once and keeps their widths', () => {
  const first = table(['a-long-name', 0, '5s', 'n']);
  const { columnDefinitions: _, ...later } = table(['b', 1, '6s', 'n']);
  expect(print({}, first, later)).toBe(
    'NAME          RESTARTS   AGE\na-long-name   0          5s\nb             1          6s\n',
  );
  expect(print({}, table(), later)).toBe('NAME   RESTARTS   AGE\nb      1          6s\n');
});

test('control characters of cells are shown, and not sent', () => {
  expect(print({}, table(['a\u001b[2J', 0, '\u009b31m', 'n']))).toBe(
    `NAME     RESTARTS   AGE\na^[[2J   0          ${String.raw`\x9b31m`}\n`,
  );
});
