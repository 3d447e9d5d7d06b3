/** Images whose layers reach outside of the image, when they are unpacked or when they run. */
import { readdirSync } from 'node:fs';
import { podAttack, type Check } from '../harness/pod-attack.ts';
import type { PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';
import { HOSTILE_IMAGES, madeBy } from './layer-images.ts';

const REFUSAL =
  /layer|image|unpack|tar|path|link|invalid|not permitted|working|director|mount|proc/i;

/** What the image may have brought in, read with nothing but what it has itself. */
const READ = `
for f in /found /link/secret /link/open /hard /etc/secret /tmp/secret /dev/secret /sys/secret ./etc/hostname; do cat $f 2>/dev/null; done
for d in /disk /disk-sd /mem /kmsg /fuse; do [ -e $d ] && { : <$d; } 2>/dev/null && echo "SUCCEEDED: $d was opened"; done
cat ".$SECRET_FILE" 2>/dev/null; for f in $OPEN_FILES; do cat ".$f" "../../../..$f"; done 2>/dev/null
for n in proc sys dev etc tmp link; do { echo changed >>"/$n/marks/$(echo $MARK | { IFS=/; read -r line; set -- $line; for w in "$@"; do :; done; echo $w; })"; } 2>/dev/null; done
true`;

/** What was made in, or removed from, the home of the trusted user. */
function traceOf({ canaries }: Target, name: string): Check {
  if (!canaries.isFull()) return 'a folder of the machine was emptied';
  const known = new Set(['marks', 'secret', 'full']);
  const isOurs = (each: string): boolean => each === madeBy(name) || !each.startsWith('made-');
  const found = readdirSync(canaries.home).find((each) => !known.has(each) && isOurs(each));
  return found === undefined ? undefined : `${found} was made in a folder of the machine`;
}

function layerAttack(name: string, tries: string, shape: PodShape, suffix: string): Attack {
  return podAttack({
    class: 'layers',
    id: `${name}${suffix}`,
    tries,
    pod: {
      ...shape,
      shell: '/bin/sh',
      container: { image: `attack/${name}`, imagePullPolicy: 'IfNotPresent' },
    },
    script: READ,
    check: (target) => target.canaries.changeOf(`layers/${name}`) ?? traceOf(target, name),
    mayRefuse: REFUSAL,
    seconds: 10,
  });
}

const AS_ROOT = /devices|link-for|working|hard-link/;
/** Where podkeep makes files with the machine's users, nothing but the way to them protects the machine. */
const HOST_USERS = { as: 'root', spec: { hostUsers: true } } as const;

export const LAYERS: readonly Attack[] = HOSTILE_IMAGES.flatMap(({ name, tries }) => [
  layerAttack(name, tries, {}, ''),
  ...(AS_ROOT.test(name) ? [layerAttack(name, tries, { as: 'root' }, '-as-root')] : []),
  ...(name === 'host-name-link' ? [layerAttack(name, tries, HOST_USERS, '-host-users')] : []),
]);
