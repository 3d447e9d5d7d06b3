/**
 * Reads and writes the subject of a certificate: for Kubernetes, a user (the common name) and groups
 * (organizations).
 */
import { oid, sequence, setOf, utf8String } from './der.ts';
import { childAt, childrenOf, readOid, type DerValue } from './der-reader.ts';

export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Kubernetes' own attribute, for the UID of the user. */
  readonly uids: readonly string[];
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const BMP_STRING = 0x1e;
const USER_UID = '1.3.6.1.4.1.57683.2';

export function writeSubject(subject: Pick<Subject, 'commonName' | 'organizations'>): Buffer {
  const { commonName, organizations } = subject;
  return sequence(
    ...organizations.map((organization) => writeAttribute(ORGANIZATION, organization)),
    writeAttribute(COMMON_NAME, commonName),
  );
}

/** If there are several common names, the last one counts. */
export function readSubject(name: DerValue): Subject {
  const attributes = childrenOf(name)
    .flatMap(childrenOf)
    .map((attribute) => [readOid(childAt(attribute, 0)), textOf(childAt(attribute, 1))] as const);
  const valuesOf = (type: string): readonly string[] =>
    attributes.filter(([key]) => key === type).map(([, value]) => value);
  return {
    commonName: valuesOf(COMMON_NAME).at(-1) ?? '',
    organizations: valuesOf(ORGANIZATION),
    uids: valuesOf(USER_UID),
  };
}

function writeAttribute(type: string, value: string): Buffer {
  return setOf(sequence(oid(type), utf8String(value)));
}

/** As Go reads them, so that every component sees the same name whatever its encoding. */
function textOf({ tag, content }: DerValue): string {
  const bytes = Buffer.from(content);
  if (tag !== BMP_STRING) return bytes.toString();
  // Two bytes for each letter, the higher one first; an odd byte at the end is no letter.
  const isWhole = bytes.byteLength % 2 === 0;
  return isWhole ? bytes.swap16().toString('utf16le') : '';
}
