/** Parses and prints a Pod Security level (`baseline`) and the version whose checks it means (`v1.24`). */
export type PodSecurityLevel = 'privileged' | 'baseline' | 'restricted';

export interface LevelVersion {
  readonly level: PodSecurityLevel;
  /** The minor version (`v1.24` is 24); null: the latest. */
  readonly version: number | null;
}

const LEVELS: readonly PodSecurityLevel[] = ['privileged', 'baseline', 'restricted'];

/** Undefined: no such level. */
export function parseLevel(text: string): PodSecurityLevel | undefined {
  return LEVELS.find((level) => level === text);
}

/** Undefined: neither `latest` nor `v1.x`. */
export function parseVersion(text: string): number | null | undefined {
  if (text === 'latest') return null;
  const [, minor] = /^v1\.(\d|[1-9]\d*)$/.exec(text) ?? [];
  return minor === undefined || !Number.isSafeInteger(Number(minor)) ? undefined : Number(minor);
}

export function printLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === null ? 'latest' : `v1.${version}`}`;
}

export function isStricter(one: PodSecurityLevel, other: PodSecurityLevel): boolean {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other);
}

export function isSame(one: LevelVersion, other: LevelVersion): boolean {
  return one.level === other.level && one.version === other.version;
}
