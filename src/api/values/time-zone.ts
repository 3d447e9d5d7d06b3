/**
 * Converts between moments and the wall-clock time of a time zone.
 *
 * When clocks change, some wall times are skipped and some occur twice. For these `momentOf` does what Go's
 * time.Date does: it reads the wall time as if it were UTC, converts it with the offset of that moment, and
 * then converts it again with the offset of the result.
 */
export interface WallTime {
  readonly year: number;
  /** 1 to 12. `momentOf` accepts any number here and in the other fields, and carries over. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

export interface TimeZone {
  readonly offsetSeconds: (ms: number) => number;
}

const MS_PER_SECOND = 1000;
/** Offsets change on full quarters of an hour. */
const QUARTER_MS = 15 * 60 * MS_PER_SECOND;
const CACHED_MAX = 4096;

export const UTC_ZONE: TimeZone = { offsetSeconds: () => 0 };

/** Null: there is no such zone. `+01:00` and `europe/berlin` are not zones, although Intl accepts them. */
export function timeZoneOf(name: string): TimeZone | null {
  if (name === '' || name === 'UTC') return UTC_ZONE;
  if (/^[+-]|(?:^|\/)[a-z]/.test(name)) return null;
  try {
    return cachedZone(
      new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
        era: 'short',
      }),
    );
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function cachedZone(format: Intl.DateTimeFormat): TimeZone {
  const cached = new Map<number, number>();
  return {
    offsetSeconds: (ms) => {
      const quarter = Math.floor(ms / QUARTER_MS);
      const known = cached.get(quarter);
      if (known !== undefined) return known;
      const offset = measuredOffset(format, quarter * QUARTER_MS);
      if (cached.size >= CACHED_MAX) cached.clear();
      cached.set(quarter, offset);
      return offset;
    },
  };
}

function measuredOffset(format: Intl.DateTimeFormat, ms: number): number {
  const shown = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return (wall - ms) / MS_PER_SECOND;
}

export function wallTimeOf(zone: TimeZone, ms: number): WallTime & { readonly weekday: number } {
  const date = new Date(ms + zone.offsetSeconds(ms) * MS_PER_SECOND);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    weekday: date.getUTCDay(),
  };
}

export function momentOf(zone: TimeZone, wall: WallTime): number {
  const { year, month, day, hour, minute, second } = wall;
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
  const first = zone.offsetSeconds(asUtc);
  if (first === 0) return asUtc;
  const guess = asUtc - first * MS_PER_SECOND;
  return asUtc - zone.offsetSeconds(guess) * MS_PER_SECOND;
}
