/**
 * Defines a protobuf message as a table of fields: its codec and its TypeScript types are derived from the
 * table.
 *
 *     const PodIP = message({ ip: text(1) });
 *     PodIP.read(bytes)            { ip: '10.0.0.7' }
 *     PodIP.write({ ip: '…' })     bytes
 *
 * A message that was read has every field: a scalar that was not sent has protobuf's default, and a nested
 * message that was not sent is `undefined`. A message to write may leave fields out. Fields that the table
 * does not list are skipped, so that a newer runtime may send more.
 */
import { NO_BYTES, Pieces, WireReader } from '../../../api/protobuf/wire-reader.ts';
import { WireWriter } from '../../../api/protobuf/wire-writer.ts';

/** The codec of one field. */
export interface Field<Read, Write> {
  readonly number: number;
  /** The value if the field was not sent. */
  initial(): Read;
  /** Reads one occurrence: lists and maps grow by it, messages are merged. */
  read(reader: WireReader, wireType: number, before: Read): Read;
  /** Writes from the end to the beginning, as the writer does. */
  write(writer: WireWriter, value: Write): void;
}

type Fields = Readonly<Record<string, Field<unknown, unknown>>>;

type ReadOf<Table extends Fields> = {
  readonly [Name in keyof Table]: ReturnType<Table[Name]['initial']>;
};
type WriteOf<Table extends Fields> = {
  readonly [Name in keyof Table]?: Parameters<Table[Name]['write']>[1] | undefined;
};

export interface Message<Read, Write> {
  /** Throws PROTOBUF_MALFORMED. */
  read(bytes: Uint8Array): Read;
  write(value: Write): Uint8Array;
  /** Reads a nested message, and merges it into `before`. */
  readPieces(reader: WireReader, pieces: Pieces, before?: Read): Read;
  writeBody(writer: WireWriter, value: Write): void;
  readonly fields: Fields;
}

/** A message as it is read. */
export type Sent<Kind> = Kind extends Message<infer Read, unknown> ? Read : never;
/** A message as it may be written. */
export type ToSend<Kind> = Kind extends Message<unknown, infer Write> ? Write : never;

export function message<const Table extends Fields>(
  fields: Table,
): Message<ReadOf<Table>, WriteOf<Table>> {
  const entries = Object.entries(fields);
  const byNumber = new Map(entries.map(([name, field]) => [field.number, { name, field }]));
  // The last field is written first.
  const backward = entries.toSorted(([, a], [, b]) => b.number - a.number);

  const readPieces = (
    reader: WireReader,
    pieces: Pieces,
    before?: ReadOf<Table>,
  ): ReadOf<Table> => {
    reader.enter();
    const values: Record<string, unknown> = before
      ? { ...before }
      : Object.fromEntries(entries.map(([name, field]) => [name, field.initial()]));
    reader.eachField(pieces, (number, wireType) => {
      const known = byNumber.get(number);
      if (!known) return false;
      values[known.name] = known.field.read(reader, wireType, values[known.name]);
      return true;
    });
    reader.leave();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each field gave its own
    return values as ReadOf<Table>;
  };

  const writeBody = (writer: WireWriter, value: WriteOf<Table>): void => {
    for (const [name, field] of backward) {
      const part: unknown = value[name];
      if (part !== undefined) field.write(writer, part);
    }
  };

  return {
    fields,
    readPieces,
    writeBody,
    read: (bytes) => {
      const pieces = bytes.length === 0 ? NO_BYTES : new Pieces(0, bytes.length);
      return readPieces(new WireReader(bytes), pieces);
    },
    write: (value) => {
      const writer = new WireWriter();
      writeBody(writer, value);
      return writer.finish();
    },
  };
}
