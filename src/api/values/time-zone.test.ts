import { expect, test } from 'vitest';
import { timeZoneOf } from './time-zone.ts';

test.each(['Europe/Berlin', 'America/Port-au-Prince', 'Etc/GMT+1', 'UTC', ''])(
  '%j is a time zone',
  (name) => {
    expect(timeZoneOf(name)).not.toBeNull();
  },
);

test.each(['europe/berlin', 'Europe/berlin', 'utc', '+01:00', 'Nowhere/Else'])(
  '%j is none',
  (name) => {
    expect(timeZoneOf(name)).toBeNull();
  },
);
