/**
 * The script of every container in these tests: it records its life independently of podkeep.
 *
 * One line each in LEDGER/lines, which all containers append to, so that its order is the order of
 * time: `UID CONTAINER ATTEMPT start`, `… end CODE LINES`, `… term` when it was asked to stop,
 * `… overlap` when another run of the same container still held its lock, `… config VALUE`.
 *
 * 1. A run that has written `start` handles SIGTERM: only SIGKILL ends it without the line `end`.
 * 2. After `end` nothing but SIGKILL can change the exit code.
 * 3. The number of lines in `end` is the number of lines that went to stdout, no more and no less.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Where containers find the ledger. */
export const LEDGER_MOUNT = '/ledger';

/**
 * The attempt is the name of the file behind /dev/termination-log: a container can see it nowhere else.
 * The kernel releases the lock when the last process of a run is gone.
 */
const SCRIPT = `ledger=${LEDGER_MOUNT}/lines
attempt=$(sed -n 's,.*/\\([0-9]*\\) /dev/termination-log .*,\\1,p' /proc/self/mountinfo)
say() { echo "$POD_UID $CONTAINER $attempt $*" >>"$ledger"; }
stop= lines=0 seen= code=$CODE
trap 'stop=yes' TERM
exec 9>>"${LEDGER_MOUNT}/lock-$POD_UID-$CONTAINER"
flock -n 9 || say overlap
say start
while [ -z "$stop" ] && { [ "$LINES_MAX" -lt 0 ] || [ "$lines" -lt "$LINES_MAX" ]; }; do
  echo "line $lines"
  lines=$((lines + 1))
  if [ -r /config/value ]; then
    read -r value </config/value
    [ "$value" = "$seen" ] || { seen=$value; say "config $value"; }
  fi
  sleep 0.2
done
trap '' TERM
[ -z "$VARIES" ] || code=$((code + attempt % 5))
[ "$attempt" -lt "$ENOUGH" ] || code=0
[ -z "$stop" ] || { say term; code=$TERM_CODE; }
say "end $code $lines"
exit "$code"
`;

/** Returns the folder. Every user may write to it: containers run as various users. */
export function makeLedger(folder: string): void {
  writeFileSync(path.join(folder, 'run.sh'), SCRIPT, { mode: 0o755 });
  writeFileSync(path.join(folder, 'lines'), '', { mode: 0o666 });
}
