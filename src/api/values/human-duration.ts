/**
 * Prints an age as kubectl does, with two or three significant figures.
 *
 *     90s   5m30s   59m   3h20m   26h   4d12h   100d   3y45d   12y
 *
 * Clocks of two machines never agree exactly, so a time slightly in the future counts as now.
 */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_HOURS = 24;
const YEAR_HOURS = 365 * DAY_HOURS;

export function formatHumanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND_MS);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE_MS);
  if (minutes < 10) return joinUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  return formatHours(Math.trunc(ms / HOUR_MS), minutes % 60);
}

function formatHours(hours: number, minutes: number): string {
  const days = Math.trunc(hours / DAY_HOURS);
  const years = Math.trunc(hours / YEAR_HOURS);
  if (hours < 8) return joinUnits(hours, 'h', minutes, 'm');
  if (hours < 48) return `${hours}h`;
  if (hours < 8 * DAY_HOURS) return joinUnits(days, 'd', hours % DAY_HOURS, 'h');
  if (hours < 2 * YEAR_HOURS) return `${days}d`;
  if (hours < 8 * YEAR_HOURS) return joinUnits(years, 'y', days % 365, 'd');
  return `${years}y`;
}

/** The smaller unit is shown only if it is not zero. */
function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return `${large}${largeUnit}${small === 0 ? '' : `${small}${smallUnit}`}`;
}
